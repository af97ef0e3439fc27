"""Kernels for devices, in languages that hosts compile themselves."""
