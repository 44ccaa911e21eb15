"""Compile the kernels and say how long each takes.

``python -m benchmarks.compile_kernels`` calls what calls kernels, on tiny input, and
listens to numba. Run it with an empty ``NUMBA_CACHE_DIR``. Prints JSON: the longest
compilation of each kernel in CPU seconds, callees included, because that is what the
first caller waits for; and the names of the kernels that nothing called.
"""

import json
import sys
import time
import warnings

from numba.core.event import Event, Listener, install_listener

from comitia.cli.warm import call_everything, kernels

PACKAGE = "comitia._kernels."


class Clock(Listener):
    """Keeps the longest CPU time of the compilations of each function."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._starts: list[float] = []

    def on_start(self, event: Event) -> None:
        """Note when a compilation begins; those of callees nest."""
        self._starts.append(time.process_time())

    def on_end(self, event: Event) -> None:
        """Note how long it took."""
        spent = time.process_time() - self._starts.pop()
        function = event.data["dispatcher"].py_func
        # What numba compiles for itself is in the time of the kernel that needs it.
        if function.__module__.startswith(PACKAGE):
            module = function.__module__.removeprefix(PACKAGE)
            name = f"{module}.{function.__qualname__}"
            self.seconds[name] = max(spent, self.seconds.get(name, 0.0))


def main() -> None:
    """Compile, then report."""
    clock = Clock()
    with warnings.catch_warnings():
        # What the methods make of random labels is of no interest here.
        warnings.simplefilter("ignore")
        with install_listener("numba:compile", clock):
            call_everything(smoke="--smoke" in sys.argv)
    idle = sorted(kernels().keys() - clock.seconds.keys())
    print(json.dumps({"seconds": clock.seconds, "not compiled": idle}))


if __name__ == "__main__":
    main()
