"""Simulations that Python drives: state, inputs, sensors, and what must not go wrong."""

import gc
import math
import threading
import unittest

import numpy as np

import taut
from scene_test import pendulum


class State(unittest.TestCase):
    def test_arrays_show_the_memory_of_the_simulation(self):
        sim = taut.Simulation("two_link")
        q, v = sim.q, sim.v
        node = sim.bodies["node1"].position
        address = q.__array_interface__["data"][0]
        before = q.copy()
        for _ in range(100):
            sim.step()
        self.assertEqual(sim.q.__array_interface__["data"][0], address)
        self.assertTrue(np.shares_memory(q, sim.q))
        self.assertTrue(np.shares_memory(node, sim.q))
        self.assertGreater(abs(q - before).max(), 1e-3)
        np.testing.assert_array_equal(q, sim.q)
        np.testing.assert_array_equal(v, sim.v)

    def test_arrays_stay_where_they_are_with_every_method(self):
        for entry in taut.list_methods():
            for scene in ("two_link", "small_cloth"):
                if scene == "small_cloth":
                    scene = taut.Scene.load("cloth", n=4)
                try:
                    sim = taut.Simulation(scene, method=entry["name"])
                except taut.Error:
                    continue  # not for this scene
                q, v = sim.q, sim.v
                try:
                    for _ in range(10):
                        sim.step()
                    sim.step(0.5 * sim.step_size)
                except taut.Diverged:
                    pass
                np.testing.assert_array_equal(q, sim.q, entry["name"])
                self.assertTrue(np.shares_memory(q, sim.q), entry["name"])
                self.assertTrue(np.shares_memory(v, sim.v), entry["name"])

    def test_arrays_outlive_the_simulation(self):
        sim = taut.Simulation("two_link")
        sim.step()
        q, forces = sim.q, sim.forces.all
        kept = q.copy(), forces.copy()
        del sim
        gc.collect()
        rubbish = [taut.Simulation("two_link") for _ in range(20)]
        np.testing.assert_array_equal(q, kept[0])
        np.testing.assert_array_equal(forces, kept[1])
        self.assertEqual(len(rubbish), 20)

    def test_arrays_cannot_be_written_to(self):
        sim = taut.Simulation("two_link")
        for array in (sim.q, sim.v, sim.bodies["node1"].position, sim.forces.all):
            with self.assertRaises(ValueError):
                array[0] = 1
            with self.assertRaises(ValueError):
                array.flags.writeable = True

    def test_bodies_can_be_moved(self):
        scene = taut.Scene("free")
        scene.particle("a", mass=1, at=[0, 0, 0], velocity=[1, 0, 0])
        sim = taut.Simulation(scene, step=0.1)
        q = sim.q
        sim.q = [5, 6, 7]
        self.assertEqual(q.tolist(), [5, 6, 7])
        sim.step()
        np.testing.assert_allclose(q, [5.1, 6, 7])

    def test_steps_of_any_length(self):
        sim = taut.Simulation("two_link", method="rattle", step=0.01)
        for h in (0.01, 0.01, 0.005, 0.02):
            sim.step(h)
        self.assertAlmostEqual(sim.time, 0.045, places=15)
        self.assertEqual(sim.advance(0.1), 10)
        self.assertAlmostEqual(sim.time, 0.145, places=14)
        self.assertEqual(sim.advance(0.013), 2)
        self.assertAlmostEqual(sim.time, 0.158, places=14)

    def test_steps_are_those_of_a_run(self):
        scene = taut.Scene.load("ten_link")
        result = taut.run(scene, "rattle", 0.01, 0.5, verify=False)
        sim = taut.Simulation(scene, "rattle", 0.01)
        for _ in range(result.steps):
            sim.step()
        np.testing.assert_array_equal(sim.q, result.q[-1])
        np.testing.assert_array_equal(sim.v, result.v[-1])

    def test_rotation_and_angular_velocity(self):
        scene = taut.Scene("top")
        half = math.sqrt(0.5)  # a quarter turn about x: the body's z is −y of the world
        scene.rigid_body("top", mass=1, inertia=[1, 2, 3], at=[0, 0, 0],
                         orientation=[half, half, 0, 0], angular_velocity=[1, 2, 3])
        top = taut.Simulation(scene).bodies["top"]
        np.testing.assert_allclose(top.rotation @ [0, 0, 1], [0, -1, 0], atol=1e-15)
        np.testing.assert_allclose(top.angular_velocity, [1, 2, 3], atol=1e-15)


class Refusals(unittest.TestCase):
    def test_bad_arguments(self):
        sim = taut.Simulation("two_link")
        size = len(sim.q)
        for wrong in (
            lambda: taut.Simulation("two_link", method="rattel"),
            lambda: taut.Simulation("two_link", step=-1),
            lambda: taut.Simulation("two_link", step=math.nan),
            lambda: taut.Simulation("two_link", solver="fast"),
            lambda: taut.Simulation("two_link", contact_solver="fast"),
            lambda: taut.Simulation("two_link", start="now"),
            lambda: taut.Simulation("two_link", "rattle", options={"tol": 1}),
            lambda: sim.step(0),
            lambda: sim.step(math.inf),
            lambda: sim.advance(-1),
            lambda: sim.advance(1e300),
            lambda: setattr(sim, "q", np.zeros(size + 1)),
            lambda: setattr(sim, "q", np.zeros((size, 1))),
            lambda: setattr(sim, "q", np.full(size, np.nan)),
            lambda: setattr(sim, "q", "somewhere"),
            lambda: setattr(sim, "q", None),
            lambda: sim.apply_force("node", [0, 0, 0]),
            lambda: sim.apply_force("node1", [0, 0]),
            lambda: sim.apply_force("node1", [0, math.nan, 0]),
            lambda: sim.apply_force("node1", [0, 0, 0], at=[1, 0, 0]),
            lambda: sim.apply_force("node1", [0, 0, 0], at=[1, 0]),
            lambda: sim.apply_force("", [0, 0, 0]),
            lambda: sim.apply_force("node1", [0, 0, 0], torque=[1, 0, 0]),
            lambda: sim.apply_joint_torque("elbow", 1),
            lambda: sim.joint("elbow"),
            lambda: sim.bodies["node9"],
            lambda: sim.forces["rod"],
            lambda: sim.bodies["node1"].orientation,
            lambda: sim.controller(3),
        ):
            with self.assertRaises(taut.Error):
                wrong()
        sim.step()  # it still works

    def test_quaternions_are_checked(self):
        scene = taut.Scene("one")
        scene.rigid_body(mass=1, inertia=[1, 1, 1], at=[0, 0, 0])
        sim = taut.Simulation(scene)
        with self.assertRaisesRegex(taut.Error, "quaternion of length 2"):
            sim.q = [0, 0, 0, 2, 0, 0, 0]
        sim.q = [0, 0, 0, 0, 1, 0, 0]
        sim.step()

    def test_an_object_that_was_not_initialised(self):
        empty = taut.Simulation.__new__(taut.Simulation)
        for use in (lambda: empty.step(), lambda: empty.q, lambda: empty.time, lambda: empty.forces,
                    lambda: empty.apply_force("a", [0, 0, 0]), lambda: empty.advance(1)):
            with self.assertRaises((TypeError, AttributeError, RuntimeError)):
                use()

    def test_a_law_cannot_use_the_simulation_that_calls_it(self):
        scene, bob, _ = pendulum()
        sims = []
        scene.force_law(lambda x, v, t: sims[0].step() if sims else [0, 0, 0], points=[bob])
        sims.append(taut.Simulation(scene))
        with self.assertRaisesRegex(taut.Error, "in the middle of a step"):
            sims[0].step()

    def test_two_threads(self):
        sim = taut.Simulation("chain", step=1e-3)
        errors, done = [], []

        def work():
            for _ in range(300):
                try:
                    sim.step()
                    done.append(1)
                    sim.forces.all.sum()
                except taut.Error as error:
                    errors.append(str(error))

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sim.steps, len(done))
        self.assertTrue(all("middle of a step" in error for error in errors))

    def test_others_run_while_a_step_works(self):
        # A step of this scene takes long; a thread that counts gets on meanwhile.
        sim = taut.Simulation(taut.Scene.load("cloth", n=41))
        sim.step()
        counts, is_over = [0], []

        def count():
            while not is_over:
                counts[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = counts[0]
        for _ in range(3):
            sim.step()
        after = counts[0]
        is_over.append(True)
        thread.join()
        self.assertGreater(after - before, 1000)

    def test_what_diverges_raises(self):
        scene = taut.Scene("blow", step=1e-3)
        a = scene.particle("a", mass=1, at=[0, 0, 0])
        scene.distance([1, 0, 0], a)
        scene.force_law(lambda x, v, t: 1e200 * (1 + x[0]), points=[a])
        sim = taut.Simulation(scene, "penalty")
        with self.assertRaises(taut.Diverged):
            for _ in range(1000):
                sim.step()
        with self.assertRaises(taut.Diverged):
            sim.step()
        self.assertEqual(sim.report.status, "diverged")


def pushed():
    """A particle of 1 kg that is pushed with what the input says."""
    scene = taut.Scene("pushed", step=0.01, duration=1, method="dop853")
    ball = scene.particle("ball", mass=1, at=[0, 0, 0])
    push = scene.input("push", 1, min=-2, max=2, unit="N", description="to the right")
    scene.force(point=ball, force={"type": "formula", "value": [push, 0, 0]})
    scene.sensor("x", "ball.x")
    scene.sensor("power", f"{push} * ball.vx", unit="W")
    return scene


class InputsAndSensors(unittest.TestCase):
    def test_inputs_hold_from_the_next_step_on(self):
        sim = taut.Simulation(pushed())
        self.assertEqual(dict(sim.inputs), {"push": 1})
        sim.advance(1)
        self.assertAlmostEqual(sim.sensors["x"], 0.5, 12)
        self.assertAlmostEqual(sim.sensors["power"], 1, 12)
        self.assertEqual(sim.sensors.unit("power"), "W")
        self.assertEqual(sim.sensors.unit("x"), "m")
        sim.inputs["push"] = -1
        self.assertAlmostEqual(sim.sensors["power"], -1, 12)
        sim.advance(1)
        self.assertAlmostEqual(sim.sensors["x"], 1, 12)
        self.assertEqual(sim.inputs.info("push"), {"unit": "N", "description": "to the right",
                                                   "start": 1, "min": -2, "max": 2})

    def test_a_controller_sets_inputs(self):
        sim = taut.Simulation(pushed())

        @sim.controller
        def brake(sim):
            sim.inputs["push"] = -sim.bodies["ball"].velocity[0]

        sim.advance(1)
        self.assertEqual(sim.sensors["x"], 0)

    def test_what_is_refused(self):
        sim = taut.Simulation(pushed())
        for name, value, words in (("pusch", 1, "push"), ("push", 3, "from -2 to 2"),
                                   ("push", math.nan, "found nan")):
            with self.assertRaisesRegex(taut.Error, words):
                sim.inputs[name] = value
        self.assertEqual(sim.inputs["push"], 1)
        with self.assertRaisesRegex(taut.Error, "x"):
            sim.sensors["y"]

    def test_sensors_over_a_run(self):
        result = taut.run(pushed())
        self.assertEqual(list(result.sensors), ["x", "power"])
        self.assertEqual(result.sensors["x"].shape, result.times.shape)
        np.testing.assert_allclose(result.sensors["x"], 0.5 * result.times ** 2, atol=1e-12)
        np.testing.assert_allclose(result.sensors["x"], result["ball"].position[:, 0], atol=0)
        self.assertEqual(result["sensors"][0]["name"], "x")
        forced = taut.run(pushed(), forces=True)
        np.testing.assert_array_equal(forced.sensors["power"], result.sensors["power"])
        self.assertEqual(dict(taut.run("pendulum", duration=0.1).sensors), {})

    def test_sensors_of_forces_over_a_run(self):
        scene = taut.Scene.load("two_link")
        name = scene.constraints[0]
        scene.sensor("pull", f"='{name}'.tension")
        result = taut.run(scene, forces=True, duration=0.5)
        np.testing.assert_array_equal(result.sensors["pull"], result.forces[name][:, 0])

    def test_a_servo(self):
        scene = taut.Scene("cart", step=0.002, duration=2)
        box = scene.rigid_body("box", mass=2, inertia=[1, 1, 1], at=[0, 0, 0])
        rail = scene.slider(a=[0, 0, 0], b=box, axis=[1, 0, 0], name="rail")
        goal = scene.input("goal", 0.5)
        scene.servo(joint=rail, target=goal, stiffness=50, damping=20, max=4, name="servo")
        sim = taut.Simulation(scene)
        sim.advance(3)
        self.assertAlmostEqual(sim.joint(rail)[0], 0.5, 4)
        sim.inputs["goal"] = -0.25
        sim.advance(3)
        self.assertAlmostEqual(sim.joint(rail)[0], -0.25, 4)


if __name__ == "__main__":
    unittest.main()
