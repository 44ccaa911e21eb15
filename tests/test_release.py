"""The tools of a release; that it builds is seen by ``make release`` itself."""

import hashlib
import sys

from tools import check_links, release


def test_what_to_upload_is_named_with_its_digest(tmp_path):
    file = tmp_path / "comitia-9.whl"
    file.write_bytes(b"wheel")
    text = release.page([file], ["- Python 3.11: tried"])
    assert f"`{hashlib.sha256(b'wheel').hexdigest()}`" in text
    assert "- Python 3.11: tried" in text
    assert "Nothing was uploaded." in text


def test_a_python_that_does_not_run_is_none(tmp_path):
    shim = tmp_path / "python3.99"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert release.runs(sys.executable)
    assert not release.runs(str(shim))
    assert not release.runs(str(tmp_path / "absent"))


def test_links_to_files_and_places_that_are_not_there_are_dead(tmp_path):
    (tmp_path / "other.html").write_text("<p id='here'>")
    good = "other.html other.html#here #top https://example.org/none mailto:a@b.c"
    bad = ["absent.html", "#nowhere", "other.html#nowhere"]
    links = "".join(f'<a href="{link}">' for link in [*good.split(), *bad])
    (tmp_path / "index.html").write_text(f"<p id='top'>{links}")
    assert check_links.dead_links(tmp_path) == [
        f"index.html: {link}" for link in sorted(bad)
    ]
