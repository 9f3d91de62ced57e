"""What removing a fault would gain: a resource model, never a percentage of stalls alone.

A kernel's time is bounded below by each resource it uses: DRAM, L2, L1, issue slots, every pipe.
The utilisations u_r (0..1 of the duration) come from the report. A fix scales some of them by
s_r. With T = 1 for the present time, the new time is at least

    floor = max over r of u_r * s_r / ceiling_r,    ceiling_r = max(PRACTICAL_PEAK, u_r)

because measured kernels rarely pass PRACTICAL_PEAK of a resource. The high end of a speedup is
1 / floor, unless the relieved resource was not the limit: then only the warp time that waits on
it (`removed`, a share of the samples) can go. The low end takes away half of that warp time, the
middle between "all of it" and "the next bottleneck takes its place at once".
"""

from gpuadvisor.estimates.models import MODELS

__all__ = ["MODELS"]
