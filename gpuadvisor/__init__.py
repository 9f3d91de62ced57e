"""gpuadvisor: rules that tell what makes a GPU program slow, why, where, and what to change."""

__version__ = "0.1.0"
