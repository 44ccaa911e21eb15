"""Build what is uploaded, try it where nothing else is, and say what to upload.

    python -m tools.release                       sdist and wheel, in dist/
    python -m tools.release --try dist/*.whl      only try a wheel, by this Python alone

Builds, checks the metadata and the contents, and for each Python that is found installs
the wheel into a fresh environment: ``tools/smoke.py`` runs without extras, then
``comitia demo`` with those of the command line, both from an empty folder. Nothing is
uploaded. ``make release`` runs this in an environment with build, twine and
check-wheel-contents.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tools.places import undecided

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def main() -> int:
    """Do all of it; 1 when a step failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--try", dest="wheel", type=Path, help="only try this wheel")
    wheel = parser.parse_args().wheel
    try:
        if wheel is not None:
            print(try_wheel(wheel.resolve(), sys.executable))
            return 0
        release(ROOT / "dist")
    except subprocess.CalledProcessError as error:
        print(f"{' '.join(map(str, error.cmd))} ended with {error.returncode}.")
        return 1
    return 0


def release(out: Path) -> None:
    """Build into an empty folder, check, try, and write ``UPLOAD.md``."""
    shutil.rmtree(out, ignore_errors=True)
    # The same commit gives the same bytes.
    stamp = run("git", "log", "-1", "--format=%ct", cwd=ROOT, quiet=True).strip()
    made = {**os.environ, "SOURCE_DATE_EPOCH": stamp}
    run(sys.executable, "-m", "build", "--outdir", out, ROOT, env=made, quiet=True)
    files = sorted(out.iterdir())
    run(sys.executable, "-m", "twine", "check", "--strict", *files)
    (wheel,) = out.glob("*.whl")
    run(sys.executable, "-m", "check_wheel_contents", wheel)
    tried = [
        f"- Python {version}: {try_wheel(wheel, f'python{version}')}"
        if runs(f"python{version}")
        else f"- Python {version}: not on this machine, not tried"
        for version in PYTHONS
    ]
    text = page(files, tried)
    (out / "UPLOAD.md").write_text(text, encoding="utf-8")
    print(f"\n{text}")


def runs(python: str) -> bool:
    """Whether there is such a Python; a shim of pyenv may stand for none."""
    try:
        return not subprocess.run([python, "-c", ""], capture_output=True).returncode
    except FileNotFoundError:
        return False


def try_wheel(wheel: Path, python: str) -> str:
    """Install a wheel into a fresh environment and use it; what the smoke test said."""
    with tempfile.TemporaryDirectory() as folder:
        venv, empty = Path(folder, "venv"), Path(folder, "empty")
        empty.mkdir()
        clean = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith("PYTHON")
        }
        scripts = venv / ("Scripts" if os.name == "nt" else "bin")
        install = [scripts / "python", "-m", "pip", "install", "--quiet"]
        run(python, "-m", "venv", venv, env=clean)
        run(*install, wheel, cwd=empty, env=clean)
        smoke = [scripts / "python", "-P", "-W", "error::DeprecationWarning:comitia"]
        said = run(*smoke, HERE / "smoke.py", cwd=empty, env=clean, quiet=True)
        run(*install, f"{wheel}[cli,report]", cwd=empty, env=clean)
        run(scripts / "comitia", "demo", "-o", "demo", cwd=empty, env=clean)
        size = (empty / "demo" / "report.html").stat().st_size
        return f"{said.strip()}; the demo wrote a report of {size / 1e3:.0f} kB"


def page(files: list[Path], tried: list[str]) -> str:
    """What to upload, what was tried, and what a person has to decide first."""
    lacking = undecided()
    rows = [
        f"- `{file.name}`, {file.stat().st_size / 1e6:.1f} MB, sha256 "
        f"`{hashlib.sha256(file.read_bytes()).hexdigest()}`"
        for file in files
    ]
    before = "nothing"
    if lacking:
        before = (
            f"{', '.join(lacking)}. `make release` with `REPOSITORY=`,\n"
            "`DOCS=` and `CONTACT=` writes them where they belong (`tools/places.py`)"
        )
    return "\n".join(
        [
            "# To upload",
            "",
            *rows,
            "",
            "Tried in fresh environments:",
            "",
            *tried,
            "",
            f"To be decided before: {before}. A tag `v<version>` lets",
            "`.github/workflows/release.yml` upload; by hand it is `twine upload` with",
            "the files above. Nothing was uploaded.",
            "",
        ]
    )


def run(*command: object, quiet: bool = False, **how: object) -> str:
    """Run a command; what it printed, or an error with it."""
    words = [str(word) for word in command]
    print("$", " ".join(words), flush=True)
    done = subprocess.run(words, text=True, capture_output=True, **how)
    if done.returncode or not quiet:
        print(done.stdout + done.stderr, end="", flush=True)
    done.check_returncode()
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
