"""The plugin as a template: one short file, found through its entry point."""

from pathlib import Path

import kernelopt_minimal

import kernelopt


def test_it_is_found_as_any_plugin_is():
    assert "gaussians" in kernelopt.families()
    mine = [plugin for plugin in kernelopt.plugins() if plugin.name == "minimal"]
    assert [plugin.offers for plugin in mine] == [(("family", "gaussians"),)]


def test_it_fits_on_a_page():
    lines = Path(kernelopt_minimal.__file__).read_text(encoding="utf-8").splitlines()
    assert len(lines) < 60
