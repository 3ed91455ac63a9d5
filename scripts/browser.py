"""Has Chromium and its driver there for the tests of the report page: Debian's package, where this user may install it.

Uses nothing but the standard library, and never fails: without a browser these tests are skipped, and fail where `CI`
is set.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile

PACKAGES = ("chromium", "chromium-driver")
PROGRAMS = ("chromium", "chromedriver")


def is_there() -> bool:
    """Whether a page can be tested here."""
    return all(shutil.which(program) for program in PROGRAMS)


def install() -> None:
    """Install the packages quietly; show what was said only when it fails."""
    print("measure: installing Chromium for the tests of the report page …", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with tempfile.TemporaryFile() as said:
        for command in (("update",), ("install", "--yes", "--no-install-recommends", *PACKAGES)):
            done = subprocess.run(
                ["apt-get", "-qq", *command],
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                check=False,
            )
        if done.returncode:
            said.seek(0)
            print(said.read().decode(errors="replace")[-1500:], file=sys.stderr)


def main() -> None:
    """See to the browser, or say loudly that there is none."""
    if not is_there() and os.geteuid() == 0 and shutil.which("apt-get"):
        install()
    if not is_there():
        print(
            "measure: NO BROWSER: the report page is NOT tested (and its tests fail where CI is set).\n"
            "measure: on Debian and Ubuntu: apt install chromium chromium-driver",
            file=sys.stderr,
        )


if __name__ == "__main__":
    main()
