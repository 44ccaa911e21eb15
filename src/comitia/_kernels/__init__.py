"""Hot loops, compiled by numba. Import them in the function that needs them."""
