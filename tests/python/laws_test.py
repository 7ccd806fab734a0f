"""Forces, controllers and laws that Python gives to a simulation."""

import math
import unittest

import numpy as np

import taut
from taut import formula
from scene_test import pendulum


class Acting(unittest.TestCase):
    def test_forces_of_constraints(self):
        scene, _, rod = pendulum()
        scene = taut.Scene.parse(scene.to_dict())
        sim = taut.Simulation(scene, "rattle")
        sim.advance(0.3)
        bob = sim.bodies["bob"]
        # The rod carries the weight along it and turns the way: v²/l + g·cos
        x, v = bob.position, bob.velocity
        tension = v @ v - 9.81 * x[1]
        self.assertAlmostEqual(sim.forces[rod][0], tension, places=5)
        self.assertEqual(sim.forces.unit("rod"), "N")

    def test_an_applied_force_acts_for_one_step(self):
        scene = taut.Scene("free")
        scene.particle("a", mass=2, at=[0, 0, 0])
        sim = taut.Simulation(scene, "rattle", 0.1)
        sim.apply_force("a", [4, 0, 0])
        sim.step()
        np.testing.assert_allclose(sim.v, [0.2, 0, 0])
        sim.step()
        np.testing.assert_allclose(sim.v, [0.2, 0, 0])

    def test_a_force_beside_the_centre_turns(self):
        scene = taut.Scene("free")
        body = scene.rigid_body(mass=1, inertia=[1, 2, 2.5], at=[0, 0, 0])
        sim = taut.Simulation(scene, "rattle", 1e-3)
        sim.apply_force(body, [0, 1, 0], at=[2, 0, 0], torque=[0.5, 0, 0])
        sim.step()
        np.testing.assert_allclose(sim.bodies[body].angular_velocity, [0.5e-3, 0, 0.8e-3],
                                   rtol=1e-3, atol=1e-8)

    def test_a_controller_holds_a_pendulum(self):
        scene = taut.Scene("joint", step=0.001)
        arm = scene.rigid_body("arm", mass=1, inertia=[0.1, 0.1, 0.1], at=[0.5, 0, 0])
        hinge = scene.hinge(a=[0, 0, 0], b=arm.at(-0.5, 0, 0), axis=[0, 0, 1], name="hinge")
        scene.gravity()
        sim = taut.Simulation(scene, "icd2")
        angles = []

        @sim.controller
        def pd(sim):
            angle, rate = sim.joint(hinge)
            angles.append(angle)
            sim.apply_joint_torque(hinge, 200 * (0.5 - angle) - 20 * rate
                                   + 9.81 * 0.5 * math.cos(angle))

        sim.advance(2)
        self.assertEqual(len(angles), 2000)
        self.assertAlmostEqual(sim.joint(hinge)[0], 0.5, places=6)
        self.assertFalse(sim.report.energy.conservative)

    def test_an_error_in_a_controller_is_raised_and_changes_nothing(self):
        sim = taut.Simulation("two_link")
        q = sim.q.copy()

        @sim.controller
        def broken(sim):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            sim.step()
        np.testing.assert_array_equal(sim.q, q)
        self.assertEqual(sim.time, 0)

    def test_a_force_law(self):
        for method in ("rattle", "icd2", "dop853"):
            scene = taut.Scene("spring", step=1e-3)
            bob = scene.particle("bob", mass=1, at=[1, 0, 0])

            @scene.force_law(points=[bob])
            def spring(x, v, t):
                return -4 * x[0]

            sim = taut.Simulation(scene, method)
            sim.advance(math.pi)  # one period
            np.testing.assert_allclose(sim.q, [1, 0, 0], atol=4e-3, err_msg=method)
            result = taut.run(scene, method, duration=1)
            self.assertAlmostEqual(result.q[-1][0], math.cos(2), delta=4e-3)

    def test_errors_in_a_force_law(self):
        for law, says in ((lambda x, v, t: 1 / 0, "division"),
                          (lambda x, v, t: [1, 2], "gave 2 numbers"),
                          (lambda x, v, t: [math.nan, 0, 0], "gave .nan")):
            scene, bob, _ = pendulum()
            scene.force_law(law, points=[bob])
            with self.assertRaisesRegex((taut.Error, ZeroDivisionError), says):
                taut.Simulation(scene).step()
            with self.assertRaisesRegex((taut.Error, ZeroDivisionError), says):
                taut.run(scene)


class EveryMethod(unittest.TestCase):
    """What goes wrong in the middle of a step of any method ends as an exception."""

    def each(self, add, says, kinds, rigid):
        tried = 0
        for entry in taut.list_methods():
            scene = taut.Scene("trouble", step=0.005, duration=1)
            if rigid:
                bob = scene.rigid_body("bob", mass=1, inertia=[1, 1, 1], at=[1, 0, 0])
                scene.ball(a=[0, 0, 0], b=bob.at(-1, 0, 0))
            else:
                bob = scene.particle("bob", mass=1, at=[1, 0, 0])
                scene.distance([0, 0, 0], bob)
            scene.gravity()
            try:
                taut.Simulation(scene, entry["name"])
            except taut.Error:
                continue  # not for this scene
            tried += 1
            add(scene, bob)
            with self.subTest(method=entry["name"]), self.assertRaisesRegex(kinds, says):
                sim = taut.Simulation(scene, entry["name"])
                sim.advance(1)
        self.assertGreater(tried, 15)

    def test_a_law_that_fails_later(self):
        def law(x, v, t):
            if t > 0.1:
                raise ValueError("no more")
            return [0, 0, 0]

        for rigid in (False, True):
            self.each(lambda scene, bob: scene.force_law(law, points=[bob]), "no more", ValueError,
                      rigid)

    def test_a_law_that_gives_no_number_later(self):
        for rigid in (False, True):
            self.each(lambda scene, bob: scene.force_law(
                lambda x, v, t: [0, 0, math.inf if t > 0.1 else 0], points=[bob]),
                "inf", taut.Error, rigid)

    def test_a_formula_that_ends(self):
        # x = log(…) of what falls below 0: there is no number
        for rigid in (False, True):
            self.each(lambda scene, bob: scene.constraint(
                lambda x, t: x[2] + 1e-3 * formula.log(0.1 - t) - 1e-3 * math.log(0.1),
                points=[bob]), "", taut.Diverged, rigid)


if __name__ == "__main__":
    unittest.main()
