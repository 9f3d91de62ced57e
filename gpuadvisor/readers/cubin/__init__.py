"""Cubins: the code of a kernel and the lines it came from."""
