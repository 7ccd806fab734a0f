"""Type stubs: mypy accepts them, and finds what is wrong with their help."""

import os
import subprocess
import sys
import tempfile
import unittest

import taut
from taut import stubs

PROGRAM = """
import taut

scene = taut.Scene("swing", step=0.002)
rod = scene.rigid_body("rod", mass=1, inertia=[1, 1, 1], at=[0, 0, 0])
hinge = scene.hinge(a=[0, 0, 0], b=rod.at(-0.5, 0, 0), axis=[0, 0, 1], name="hinge")
goal = scene.input("goal", 0.5)
scene.servo(joint=hinge, target=goal, stiffness=5, name="servo")
scene.sensor("torque", "=servo.torque")
result = taut.run(scene)
print(result.verdict, result.sensors["torque"], result["rod"].position)
sim = taut.Simulation(scene)
sim.inputs["goal"] = 1
angle, rate = sim.joint(hinge)
loaded = taut.Scene.load("chain", N=20).check()
loaded.gravity([0, -1, 0])
try:
    print(taut.compare(loaded, steps=[0.01])[0], len(rod.name))
except taut.Error as error:
    print(error)
{more}
"""


@unittest.skipIf(subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True).returncode,
                 "mypy is not installed")
class Mypy(unittest.TestCase):
    def found(self, more):
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.join(folder, "taut")
            os.mkdir(package)
            with open(os.path.join(package, "formula.pyi"), "w", encoding="utf-8") as file:
                file.write("from typing import Any\ndef __getattr__(name: str) -> Any: ...\n")
            stubs.main(package)
            program = os.path.join(folder, "program.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write(PROGRAM.format(more=more))
            run = subprocess.run(
                [sys.executable, "-m", "mypy", "--cache-dir", os.path.join(folder, "cache"), program],
                cwd=folder, env={**os.environ, "MYPYPATH": folder, "PYTHONPATH": ""},
                capture_output=True, text=True)
            return [line for line in run.stdout.splitlines() if ": error:" in line]

    def test_a_program_is_accepted(self):
        self.assertEqual(self.found(""), [])

    def test_a_mistake_is_found(self):
        errors = self.found("scene.hing(a=[0, 0, 0])\nscene.servo(joint=hinge, stifness=1)")
        self.assertEqual(len([line for line in errors if "hing" in line or "stifness" in line]), 2,
                         errors)


if __name__ == "__main__":
    unittest.main()
