"""The wheel, in a fresh virtual environment: the README's example runs there."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from docs_test import ROOT, examples

# Instead of scripts/build.sh: what CMake does when it looks for NumPy, and the files of a build.
BUILD = """#!/bin/sh
set -eu
for word; do
  case $word in -DPython3_EXECUTABLE=*) python=${word#*=} ;; esac
done
"$python" -c 'import numpy'
build=$(dirname "$0")/../build/release
mkdir -p "$build/python/taut" "$build/bin"
echo 'name = "taut"' > "$build/python/taut/__init__.py"
echo > "$build/bin/taut"
"""


class Isolation(unittest.TestCase):
    def test_the_build_finds_what_pip_hides(self):
        """pip gives builds an environment without installed packages. The build needs NumPy."""
        with tempfile.TemporaryDirectory() as folder:
            tree = os.path.join(folder, "tree")
            for name in ("python/build_wheel.py", "pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE"):
                os.makedirs(os.path.dirname(os.path.join(tree, name)), exist_ok=True)
                shutil.copy(os.path.join(ROOT, name), os.path.join(tree, name))
            os.makedirs(os.path.join(tree, "scripts"))
            script = os.path.join(tree, "scripts", "build.sh")
            with open(script, "w", encoding="utf-8") as file:
                file.write(BUILD)
            os.chmod(script, 0o755)
            environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "TAUT_BUILD")}
            done = subprocess.run(
                [sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps",
                 "--disable-pip-version-check", "-w", os.path.join(folder, "dist"), tree],
                capture_output=True, text=True, env=environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(len(os.listdir(os.path.join(folder, "dist"))), 1)


@unittest.skipUnless("TAUT_BUILD" in os.environ, "needs a finished build")
class Wheel(unittest.TestCase):
    def test_the_example_of_the_readme(self):
        with tempfile.TemporaryDirectory() as folder:
            def run(*command):
                done = subprocess.run(command, cwd=folder, capture_output=True, text=True,
                                      env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"})
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                return done.stdout

            run(sys.executable, "-m", "pip", "wheel", "--no-index", "--no-deps",
                "--disable-pip-version-check", "-w", "dist", ROOT)
            (wheel,) = os.listdir(os.path.join(folder, "dist"))
            run(sys.executable, "-m", "venv", "--system-site-packages", "venv")
            python = os.path.join(folder, "venv", "bin", "python")
            run(python, "-m", "pip", "install", "--no-index", "--no-deps",
                "--disable-pip-version-check", os.path.join("dist", wheel))
            self.assertIn(folder, run(python, "-c", "import taut; print(taut.__file__)"))
            ((_, example),) = examples("README.md")
            self.assertIn("rod", run(python, "-c", example))
            program = run(python, "-c", "import taut.viewing as v; print(v.program())").strip()
            self.assertIn(folder, program)
            self.assertIn("two_link", run(program, "list", "scenes"))


if __name__ == "__main__":
    unittest.main()
