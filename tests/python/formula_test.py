"""Constraints whose formula is written in Python."""

import math
import unittest

import numpy as np

import taut
from taut import formula


def orbit(rule, points=1, **arguments):
    scene = taut.Scene("orbit", step=1e-3, duration=2)
    bodies = [scene.particle(f"p{i}", mass=1 + i, at=[1 + i, 0.5 * i, 0], velocity=[0, 1, 1 - i])
              for i in range(points)]
    scene.constraint(rule, points=bodies, name="rule")
    return scene


class Formulas(unittest.TestCase):
    def test_a_distance_is_a_distance(self):
        scene = orbit(lambda a, b: np.sqrt((b - a) @ (b - a)) - math.sqrt(1.25), points=2)
        same = taut.Scene.parse({**scene._json, "constraints": [
            {"type": "distance", "a": "p0", "b": "p1", "name": "rule"}]})
        for method in ("rattle", "icd2", "dop853", "energy_momentum", "implicit2", "baumgarte"):
            mine, theirs = (taut.run(s, method, forces=True) for s in (scene, same))
            np.testing.assert_allclose(mine.q, theirs.q, atol=1e-7, err_msg=method)
            np.testing.assert_allclose(mine.forces["rule"], theirs.forces["rule"], atol=1e-6)

    def test_linalg_norm_and_cross(self):
        a = orbit(lambda a, b: np.linalg.norm(b - a) - math.sqrt(1.25), points=2)
        self.assertLess(taut.run(a, "rattle").constraint_error.max, 1e-11)
        b = orbit(lambda a, b: np.cross(a, b)[2] - 0.5, points=2)
        self.assertLess(taut.run(b, "rattle").constraint_error.max, 1e-10)

    def test_on_a_rigid_body(self):
        scene = taut.Scene("rod", step=1e-3, duration=1)
        rod = scene.rigid_body("rod", mass=1, inertia=[0.1, 0.1, 0.1], at=[0.5, 0, 0],
                               angular_velocity=[0, 0.3, 0])
        scene.gravity()
        scene.constraint(lambda x: x, points=[rod.at(-0.5, 0, 0)], name="ball")
        self.assertEqual(scene.constraints, ["ball/0", "ball/1", "ball/2"])
        same = taut.Scene.parse({**scene._json, "constraints": [
            {"type": "ball", "a": rod.at(-0.5, 0, 0), "b": [0, 0, 0]}]})
        np.testing.assert_allclose(taut.run(scene, "icd2").q, taut.run(same, "icd2").q, atol=1e-8)

    def test_driven_by_time(self):
        scene = taut.Scene("lift", step=1e-3, duration=1)
        bob = scene.particle("bob", mass=1, at=[0, 0, 0], velocity=[0, 2, 0])

        @scene.constraint(points=[bob])
        def lift(x, t):
            return x[1] - formula.sin(2 * t)

        result = taut.run(scene, "rattle", forces=True)
        np.testing.assert_allclose(result["bob"].position[:, 1], np.sin(2 * result.times), atol=1e-11)
        np.testing.assert_allclose(result.forces["lift"][-1, 0], 4 * math.sin(2), rtol=1e-3)

    def test_every_function_agrees_with_numbers(self):
        x = np.array([0.3, 0.7, -0.4])
        rules = [
            lambda x: x[0] + 2 * x[1] - x[2] / 3, lambda x: 1 / (2 + x[0]) - (3 - x[1]),
            lambda x: x[0] ** 2 + x[1] ** 3 - (2 + x[2]) ** 0.5, lambda x: 2 ** x[0] * x[1] ** x[0],
            lambda x: np.sqrt(x[1]) + np.sin(x[0]) * np.cos(x[1]) + np.tan(x[2]),
            lambda x: np.arcsin(x[0]) + np.arccos(x[1]) + np.arctan(x[2]),
            lambda x: np.exp(x[0]) - np.log(x[1]) + abs(x[2]), lambda x: np.arctan2(x[1], x[2]),
            lambda x: formula.minimum(x[0], x[1]) + formula.maximum(x[1], x[2]) * 3,
            lambda x: formula.atan2(x[2], -x[1]) + formula.asin(x[0]) - +x[1],
            lambda x: sum(x * x) + np.dot(x, [1, 2, 3]) + (-x)[0],
        ]
        for i, rule in enumerate(rules):
            value = float(_numbers(rule, x))
            scene = taut.Scene("here")
            scene.particle("p", mass=1, at=x)
            scene.constraint(lambda x: rule(x) - value, points=["p"])
            sim = taut.Simulation(scene, "rattle", start="as_is")
            self.assertLess(sim.report.constraint_error.max, 1e-14, i)
            off = taut.Scene("off")
            off.particle("p", mass=1, at=x)
            off.constraint(lambda x: rule(x) - value - 0.25, points=["p"])
            sim = taut.Simulation(off, "rattle", start="as_is", step=1e-9)
            sim.step()
            self.assertLess(sim.report.constraint_error.max, 1e-9, i)  # solved: gradients are right

    def test_what_cannot_be_traced(self):
        for rule, says in (
            (lambda x: x[0] if x[1] > 0 else x[2], "cannot decide"),
            (lambda x: math.sin(x[0]), "instead of those of math"),
            (lambda x: 3.0, "depends on the points"),
            (lambda x: [], "no value"),
            (lambda x, y, z: x[0], "3 arguments"),
            (lambda x: x[0] + math.nan, "nan"),
            (lambda x: np.log(x[1] - 5), "nan.* at the start"),
            (lambda x: np.sqrt(x[1] ** 2 + x[2] ** 2), "gradient"),
            (lambda x: (x[0] - 1) ** 2, "gradient"),
            (3, "expected a function"),
        ):
            with self.assertRaisesRegex(taut.Error, says):
                orbit(rule)

    def test_bad_points(self):
        scene = taut.Scene("bad")
        scene.particle("a", mass=1, at=[1, 2, 3])
        for points, says in ((["b"], "body \"b\""), (5 * ["a"], "5 points"), ([], "0 points"),
                             ([[1, 2]], "three"), ([{"at": [1, 2, 3]}], "points"), ([3], "points"),
                             ([{"body": "a", "at": [1, 0, 0]}], "particle"),
                             ([["x", 0, 0]], "three numbers")):
            with self.assertRaisesRegex(taut.Error, says):
                scene.constraint(lambda *x: x[0][0] if x else 0, points=points)
        scene.constraint(lambda x: x[0] - 1, points=["a"], name="one")
        with self.assertRaisesRegex(taut.Error, "again"):
            scene.constraint(lambda x: x[1] - 2, points=["a"], name="one")
        with self.assertRaisesRegex(taut.Error, "scene file"):
            scene.to_json()


def _numbers(rule, x):
    """The value of a rule by plain numbers."""
    return rule(x)


if __name__ == "__main__":
    unittest.main()
