"""The hot loops, on plain arrays and nothing else; each device has the same files with the same functions."""

from driftline.compute.devices import current_device, current_kernels, kernels, on_device, register_device

__all__ = ["current_device", "current_kernels", "kernels", "on_device", "register_device"]
