"""The seam: pure kernels over blocks of rows, and a driver that grows a tree with nothing else."""
