"""Progress: plain lines now and then, with the time left."""

import io
import time

import numpy as np
import pytest

from comitia.cli import _meter
from comitia.cli._meter import Meter, clock, watching
from comitia.generate import KMeansGenerator


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
    with Meter().stage("ensemble") as meter:
        meter.show(10, 100)  # what an earlier run did
        now[0] = 9.0
        meter.show(15, 100)
        assert not capsys.readouterr().err
        now[0] = 10.0
        meter.show(30, 100)
    # Twenty new ones took ten seconds; seventy are left.
    assert capsys.readouterr().err == "  ensemble  30 of 100, about 0:35 left\n"


def test_a_quiet_meter_says_nothing(now, capsys):
    with Meter(quiet=True).stage("ensemble") as meter:
        now[0] = 100.0
        meter.show(1, 2)
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_a_terminal_gets_a_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr("sys.stderr", screen)
    with Meter().stage("ensemble") as meter:
        meter.show(30, 100)
        meter._bar.refresh()
    assert "30/100" in screen.getvalue()


def test_finished_members_are_counted_while_they_are_made(tmp_path, monkeypatch):
    monkeypatch.setattr(_meter, "_SECONDS_BETWEEN_LOOKS", 0.001)
    seen = []

    class Listening(Meter):
        def show(self, done, total=None):
            seen.append((done, total))

    folder = tmp_path / "clusterings"
    with watching(folder, Listening()):
        X = np.random.RandomState(0).randn(30, 2)
        KMeansGenerator(4, n_clusters=2, checkpoint=folder, random_state=0).generate(X)
        while (4, 4) not in seen:
            time.sleep(0.001)
    assert {total for _, total in seen} == {4}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
