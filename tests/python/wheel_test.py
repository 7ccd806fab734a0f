"""The wheel, in a fresh virtual environment: the README's example runs there."""

import os
import subprocess
import sys
import tempfile
import unittest

from docs_test import ROOT, examples


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
