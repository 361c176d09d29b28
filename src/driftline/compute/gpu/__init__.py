"""Hot loops for an NVIDIA graphics processor, in Numba-CUDA; modules and functions are named as in ``compute/cpu``."""
