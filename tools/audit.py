"""Ask a service for known weaknesses of what is installed, where there is one.

    python tools/audit.py              one line if no service can be reached
    python tools/audit.py --required   an error if none can

pip-audit does the asking. Whether anybody answers is seen from a version whose weakness
is known: behind a mirror that serves packages and no advisories, pip-audit finds
nothing and is content.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

# CVE-2024-22195: attributes of HTML that users may choose.
KNOWN = "jinja2==3.1.0"
# Of one answer. Nobody waits for a network that is not there.
_SECONDS = 4


def installed() -> list[str]:
    """What is installed, each with its version; ours is no package of the index."""
    found = {
        f"{one.metadata['Name']}=={one.version}"
        for one in distributions()
        if one.metadata["Name"] != "comitia"
    }
    return sorted(found, key=str.lower)


def ask(requirements: Iterable[str]) -> list[dict[str, Any]] | None:
    """What pip-audit says of each package; None if it could not ask."""
    with tempfile.TemporaryDirectory() as folder:
        listed = Path(folder, "requirements.txt")
        listed.write_text("\n".join(requirements) + "\n", encoding="utf-8")
        command = [sys.executable, "-m", "pip_audit", "-r", str(listed)]
        command += ["--no-deps", "--disable-pip", "--format", "json"]
        command += ["--progress-spinner", "off", "--timeout", str(_SECONDS)]
        done = subprocess.run(command, capture_output=True, text=True)
    try:
        return list(json.loads(done.stdout)["dependencies"])
    except (ValueError, KeyError):  # not installed, or the network is not there
        return None


def weaknesses(said: Iterable[dict[str, Any]]) -> list[str]:
    """One line for each weakness that was told."""
    return [
        f"{one['name']} {one['version']}: {told['id']}, mended in "
        f"{', '.join(told['fix_versions']) or 'no version'}"
        for one in said
        for told in one.get("vulns", ())
    ]


def main(arguments: Sequence[str]) -> int:
    """Print what was found; 1 if that is something, or nobody could be asked."""
    if not weaknesses(ask([KNOWN]) or ()):
        print("pip-audit: skipped, no service with advisories can be reached")
        return int("--required" in arguments)
    said = ask(installed()) or []
    unknown = [one["name"] for one in said if "skip_reason" in one]
    found = weaknesses(said)
    print(*found, sep="\n", end="\n" if found else "")
    print(
        f"pip-audit: {len(said) - len(unknown)} packages, {len(found)} weaknesses"
        + (f"; not known there: {', '.join(unknown)}" if unknown else "")
    )
    return 1 if found or not said else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
