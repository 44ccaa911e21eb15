"""Progress: plain lines now and then, with the time left."""

import io
import time

import pytest

from comitia.cli import _meter
from comitia.cli._meter import Meter, clock


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (7.4, "0:07"), (59.6, "1:00"), (75, "1:15"), (7384, "2:03:04")],
)
def test_a_clock_shows_minutes_and_seconds(seconds, text):
    assert clock(seconds) == text


@pytest.fixture
def now(monkeypatch):
    """A clock that a test turns, and a line each ten seconds of it."""
    at = [0.0]
    monkeypatch.setattr(_meter, "_SECONDS_BETWEEN_LINES", 10.0)
    monkeypatch.setattr(time, "monotonic", lambda: at[0])
    monkeypatch.setattr(_meter, "memory_words", lambda: "1.5 GB")
    return at


def test_a_line_now_and_then_says_the_time_left(now, capsys):
    with Meter(n_earlier=10) as meter:
        for done in range(11):  # what an earlier run did is read
            meter.on_progress("generate", done, 100)
        now[0] = 9.0
        meter.on_progress("generate", 15, 100)
        assert not capsys.readouterr().err
        now[0] = 10.0
        meter.on_progress("generate", 30, 100)
        # Twenty new ones took ten seconds; seventy are left.
        line = "  ensemble  30 of 100, about 0:35 left, 1.5 GB\n"
        assert capsys.readouterr().err == line
        meter.on_progress("combine", 0, 8)
        assert capsys.readouterr().err == "  ensemble  0:10, 1.5 GB\n"
        now[0] = 21.0
        meter.on_progress("combine", 4, 8)
        line = "  consensus 4 of 8, about 0:11 left, 1.5 GB\n"
        assert capsys.readouterr().err == line


def test_a_long_stage_that_tells_nothing_has_a_line_in_the_end(now, capsys):
    with Meter() as meter:
        meter.on_progress("combine", 0, 1)
        now[0] = 75.0
    assert capsys.readouterr().err == "  consensus 1:15, 1.5 GB\n"


def test_memory_is_told_in_gigabytes():
    number, unit = _meter.memory_words().split()
    assert (0.0 < float(number) < 1000, unit) == (True, "GB")


def test_a_quiet_meter_says_nothing(now, capsys):
    with Meter(quiet=True) as meter:
        meter.on_progress("generate", 0, 2)
        now[0] = 100.0
        meter.on_progress("generate", 1, 2)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_a_terminal_gets_a_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with Meter() as meter:
        meter.on_progress("generate", 30, 100)
        meter._bar.refresh()
        meter.on_progress("combine", 0, 1)
        meter._bar.refresh()
    assert "30/100" in screen.getvalue()
    assert "consensus" in screen.getvalue()
    assert meter._bar is None
