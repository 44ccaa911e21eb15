"""Jobs for the tests of the store, at module level so that workers find them."""

import os
import time
import warnings


def square(number, seed, raised=None, sleep=0.0):
    """A number squared; or an error, a death, a long wait."""
    if raised == "exit":
        os._exit(3)
    if raised == "hang":
        time.sleep(60.0)
    if raised == "memory":
        bytearray(4_000_000_000)
    if raised:
        raise ValueError(f"{raised}\nwith a second line")
    if number == 7:
        warnings.warn("seven", stacklevel=1)
    time.sleep(sleep)
    return {"square": number**2, "root": number**0.5}


def threads(name):
    """What the environment of a worker says."""
    return {"value": os.environ[name]}
