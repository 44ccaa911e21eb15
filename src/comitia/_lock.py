"""One writer for each folder, by a lock that the system drops when its holder dies.

The lock is a file that its holder keeps locked by the means of the operating system,
which unlocks it however the process ends. What stands in the file (who holds it, and
since when) is for the words of a refusal. Only where the file system has no locks, as
on some network drives, it decides: then the file's being there is the lock, unless the
process that it names is known to be gone.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from comitia.exceptions import ComitiaError, ComitiaWarning, FolderInUseError

__all__ = ["LOCK", "locked"]

# The lock inside a folder; beside it, the name of the folder stands in front.
LOCK = ".comitia-lock"

_FLAGS = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0)
_SECONDS_BETWEEN_TRIES = 0.05

# Locks that this process holds. A fork has copies of them, and would keep them locked
# when this process is killed.
_held: set[int] = set()


def _warn(text: str) -> None:
    warnings.warn(text, ComitiaWarning, stacklevel=4)


@contextmanager
def locked(
    folder: str | os.PathLike[str],
    *,
    beside: bool = False,
    instead: str = "give another folder",
    say: Callable[[str], None] = _warn,
    wait: bool = False,
) -> Iterator[None]:
    """Be the only one, in any thread or process, who writes to a folder.

    Readers need no lock. Where this process may not write, no lock is made, and
    whoever wants to write finds out.

    Parameters
    ----------
    folder : path-like
        What is written to. Folders on the way to the lock are made, and taken away
        again if nothing else was put into them.

    beside : bool, default=False
        Keep the lock beside the folder, for folders (or files) that are replaced as a
        whole, rather than in it.

    instead : str, default="give another folder"
        What the user can do rather than wait, for the message.

    say : callable, default=_warn
        Called with a sentence when a holder was killed and its lock is taken over; by
        default that is a warning.

    wait : bool, default=False
        Wait for the holder to finish, rather than raise FolderInUseError.
    """
    place = Path(os.path.realpath(folder))  # whatever links lead there, one lock
    path = place.parent / f".{place.name}{LOCK}" if beside else place / LOCK
    handle, made = None, []
    try:
        made = [each for each in path.parents if not each.exists()]
        handle, earlier = _taken(path, folder, instead, wait)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise
        if os.path.lexists(path):
            raise FolderInUseError(
                f"{folder} is being written by another user; wait, or {instead}. If "
                f"no run is going on there, delete {path}."
            ) from None
    if handle is None:
        yield
        return
    try:
        if earlier is not None:
            say(
                f"{folder} was being written by {_described(earlier)}, which ended "
                "before it was done; its lock is taken over."
            )
        yield
    finally:
        _release(handle, path)
        for each in made:
            with suppress(OSError):  # something else is in it
                each.rmdir()


def _taken(
    path: Path, folder: Any, instead: str, wait: bool
) -> tuple[int, dict[str, Any] | None]:
    """Take a lock; its handle, and who left it if somebody did."""
    earlier = None
    while True:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            handle, is_new = _opened(path)
        except FileNotFoundError:  # another holder took the file or the folder away
            continue
        _held.add(handle)
        try:
            got = _lock(handle)
            found = _read(handle)
            if not _is_at(handle, path):
                continue  # it was unlinked between opening and locking
            if got is None and not is_new and not _may_live(found):
                path.unlink()  # the next to make it anew is the holder
                earlier = found or {}
                continue
            if got or (got is None and is_new):
                _write(handle)
                kept, handle = handle, -1
                return kept, earlier if is_new else (found or None)
        finally:
            if handle >= 0:
                _close(handle)
        if not wait:
            text = f"{folder} is being written by {_described(found)}"
            text += f"; wait for it, or {instead}."
            if got is None:
                text += f" If that process is gone, delete {path}."
            raise FolderInUseError(text)
        time.sleep(_SECONDS_BETWEEN_TRIES)


def _opened(path: Path) -> tuple[int, bool]:
    with suppress(FileExistsError):
        return os.open(path, _FLAGS | os.O_CREAT | os.O_EXCL, 0o666), True
    if path.is_symlink():
        raise ComitiaError(f"{path} must be no link, as it is a lock; delete it.")
    return os.open(path, _FLAGS), False


def _release(handle: int, path: Path) -> None:
    if handle not in _held:
        return  # in a fork, to which the lock does not belong
    # While it is locked: whoever has opened it already sees, once it is unlocked, that
    # it is gone.
    is_gone = True
    if _is_at(handle, path):
        try:
            path.unlink()
        except OSError:  # Windows deletes no file that is open, here or elsewhere
            is_gone = False
            os.ftruncate(handle, 0)  # nobody is to think that this process was killed
    _close(handle)
    if not is_gone:
        with suppress(OSError):  # another process has it by now
            path.unlink()


def _close(handle: int) -> None:
    _held.discard(handle)
    os.close(handle)


def _close_in_fork() -> None:
    while _held:
        os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_in_fork)


if sys.platform == "win32":

    def _lock(handle: int) -> bool | None:
        import msvcrt

        # What is locked cannot be read, so it is a byte behind what stands there.
        os.lseek(handle, 1 << 20, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as error:
            return False if error.errno in (errno.EACCES, errno.EDEADLK) else None
        return True
else:

    def _lock(handle: int) -> bool | None:
        """Lock a file: True, False if somebody else has, None if it has no locks.

        Not by ``lockf``, which knows no threads, and forgets the lock when anybody in
        the process closes the file.
        """
        try:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        except (OSError, ImportError):
            return None
        return True


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


# -- who holds it -------------------------------------------------------------------


def _write(handle: int) -> None:
    about = {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": time.time(),
        "started": _started(os.getpid()),
    }
    # A full disk does not spoil the lock, only the words.
    with suppress(OSError):
        os.ftruncate(handle, 0)
        os.lseek(handle, 0, os.SEEK_SET)
        os.write(handle, json.dumps(about).encode())


def _read(handle: int) -> dict[str, Any]:
    """What the last holder wrote; nothing if that cannot be made out."""
    try:
        os.lseek(handle, 0, os.SEEK_SET)
        about = json.loads(os.read(handle, 1 << 12))
        pid, host, since = int(about["pid"]), str(about["host"]), float(about["since"])
        time.localtime(since)
        started = about.get("started")
    except (OSError, ValueError, LookupError, TypeError, OverflowError, AttributeError):
        return {}
    if pid < 1 or not host.isprintable():
        return {}
    return {"pid": pid, "host": host, "since": since, "started": started}


def _described(about: dict[str, Any]) -> str:
    if not about:
        return "another process"
    since = time.strftime("%Y-%m-%d %H:%M", time.localtime(about["since"]))
    return f"process {about['pid']} on {about['host']} since {since}"


def _may_live(about: dict[str, Any]) -> bool:
    """False where it is known that a process is gone."""
    if about.get("host") != socket.gethostname() or os.name != "posix":
        return True
    try:
        os.kill(about["pid"], 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # it is another user's, or there is no such number
        pass
    # The number of a process that is gone is given to another one in time.
    now, then = _started(about["pid"]), about["started"]
    return now is None or then is None or now == then


def _started(pid: int) -> int | None:
    """When a process was started, in ticks of Linux' clock; None elsewhere."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
        return int(stat[stat.rindex(")") :].split()[20])
    except (OSError, ValueError, LookupError):
        return None
