"""Nsight Compute's own report files, read without any software of the vendor."""
