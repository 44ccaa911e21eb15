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
        assert capsys.readouterr().err == "  ensemble  30 of 100, about 0:35 left\n"
        meter.on_progress("combine", 0, 8)
        now[0] = 21.0
        meter.on_progress("combine", 4, 8)
    assert capsys.readouterr().err == "  consensus 4 of 8, about 0:11 left\n"


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
