"""Ctrl-C is told in one line at most, however early it comes: there is nothing to report to anyone.

Which module is being loaded when the signal arrives is chance; here each of them gets its turn, deterministically.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

INTERRUPTING = """
import sys

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Interrupt())
{then}
"""
BY_MODULE = "import runpy; sys.argv = ['measure', 'runs', '--json']; runpy.run_module('measure', run_name='__main__')"
BY_SCRIPT = "from measure.cli import main; sys.argv = ['measure', 'runs', '--json']; main()"


def loaded() -> list[str]:
    """The modules that are loaded between the start of the program and its first command, in their order."""
    script = (
        "import sys; before = set(sys.modules); import measure.cli; middle = set(sys.modules)\n"
        "measure.cli.invoke(['--version'])\n"
        "print(*[m for m in middle if m not in before], sep=' ')\n"
        "print(*[m for m in sys.modules if m not in middle and '__mp' not in m], sep=' ')"
    )
    out = subprocess.check_output([sys.executable, "-c", script], text=True).splitlines()
    at_once, later = out[-2].split(), out[-1].split()
    assert sorted(at_once) == ["__future__", "measure", "measure.cli"], "nothing may be loaded where nothing catches"
    return later


def test_an_interrupt_while_any_module_is_loaded_shows_no_trace() -> None:
    modules = [name for name in loaded() if name.startswith("measure.")]
    assert "measure.cli.output" in modules
    for module in modules:
        script = INTERRUPTING.format(module=module, then=BY_SCRIPT)
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        assert done.returncode == 130, module
        assert done.stderr.count("\n") <= 1, (module, done.stderr)


@pytest.mark.parametrize("module", ["measure.cli", "measure.cli.output", "measure.cli.app"])
def test_an_interrupt_in_the_very_beginning_ends_as_sigint_would(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTING.format(module=module, then=BY_MODULE)], capture_output=True, text=True
    )
    assert done.returncode == 130
    assert "Traceback" not in done.stderr
