"""Many runs at once, and simulations that are saved and restored."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

import taut
from scene_test import pendulum


def crash(result):
    os.kill(os.getpid(), signal.SIGSEGV)


class RunMany(unittest.TestCase):
    def test_a_table_of_all_combinations_in_order(self):
        table = taut.run_many("heavy_chain", {"R": "1:100:log3", "N": [5, 10]},
                              {"error": "energy.max_abs_error",
                               "low": lambda result: result["node5"].position[:, 1].min()},
                              duration=0.2)
        self.assertEqual([(row["R"], row["N"]) for row in table],
                         [(1, 5), (1, 10), (10, 5), (10, 10), (100, 5), (100, 10)])
        alone = taut.run(taut.Scene.load("heavy_chain", R=10, N=5), duration=0.2, verify=False)
        self.assertEqual(table[2]["error"], alone.energy.max_abs_error)
        self.assertEqual(table[2]["low"], alone["node5"].position[:, 1].min())

    def test_a_function_makes_the_scene(self):
        def scene(L):
            made, _, _ = pendulum()
            made.particle("beside", mass=L, at=[3, 0, 0])
            return made

        table = taut.run_many(scene, {"L": np.array([1.0, 2.5])}, lambda result: {"end": result.time})
        self.assertEqual([row["L"] for row in table], [1, 2.5])
        self.assertEqual([row["status"] for row in table], ["ok", "ok"])

    def test_what_fails_is_a_row(self):
        table = taut.run_many("heavy_chain", {"N": [5, -1]}, "steps", duration=0.1)
        self.assertEqual([row["status"] for row in table], ["ok", "failed"])
        self.assertIn("N", table[1]["reason"])
        table = taut.run_many("heavy_chain", {"N": [5]}, {"x": crash}, duration=0.1)
        self.assertIn("signal 11", table[0]["reason"])
        table = taut.run_many("heavy_chain", {"N": [5]}, "energy.finl", duration=0.1)
        self.assertIn("final", table[0]["reason"])

    def test_samples_are_those_of_the_seed(self):
        def sampled(seed):
            return [row["R"] for row in taut.run_many(
                "heavy_chain", {"R": "uniform(1, 2)"}, "steps", samples=4, seed=seed, duration=0.05)]

        self.assertEqual(sampled(3), sampled(3))
        self.assertNotEqual(sampled(3), sampled(4))

    def test_goes_on_after_it_was_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            call = ("import taut, sys; taut.run_many('heavy_chain', {'R': '1:100:log8'}, jobs=1, "
                    "duration=1, step=0.001, out=sys.argv[1])")
            whole, killed = Path(folder, "whole.csv"), Path(folder, "killed.csv")
            subprocess.run([sys.executable, "-c", call, whole], check=True)
            process = subprocess.Popen([sys.executable, "-c", call, killed])
            partial = Path(folder, "killed.csv.partial")
            while not partial.exists() or len(partial.read_bytes().splitlines()) < 3:
                self.assertIsNone(process.poll())
            process.kill()
            process.wait()
            self.assertFalse(killed.exists())
            subprocess.run([sys.executable, "-c", call, killed], check=True)
            self.assertEqual(whole.read_bytes(), killed.read_bytes())
            self.assertEqual(len(whole.read_text().splitlines()), 9)


class Saving(unittest.TestCase):
    def test_a_restored_simulation_goes_on_bit_for_bit(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "state")
            for scene, method in (("two_link", "icd2"), ("two_link", "generalized_alpha"),
                                  ("box_stack", "icd2"), ("four_bar", "avbd")):
                sim = taut.Simulation(scene, method=method)
                q = sim.q
                for _ in range(30):
                    sim.step()
                sim.save(path)
                self.assertTrue(np.shares_memory(q, sim.q))
                other = taut.Simulation.restore(path, scene, method=method)
                self.assertEqual((other.time, other.steps), (sim.time, sim.steps))
                for _ in range(30):
                    sim.step()
                    other.step()
                np.testing.assert_array_equal(sim.q, other.q, err_msg=f"{scene} with {method}")
                np.testing.assert_array_equal(sim.v, other.v)
                self.assertEqual(sim.report.energy.max_abs_error, other.report.energy.max_abs_error)

    def test_refuses_another_simulation(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "state")
            taut.Simulation("two_link", method="icd2").save(path)
            with self.assertRaisesRegex(taut.Error, "another simulation"):
                taut.Simulation.restore(path, "two_link", method="rattle")
            with self.assertRaisesRegex(taut.Error, "another simulation"):
                taut.Simulation.restore(path, "two_link", method="icd2", step=0.123)
            path.write_bytes(path.read_bytes()[:-1])
            with self.assertRaisesRegex(taut.Error, "damaged"):
                taut.Simulation.restore(path, "two_link", method="icd2")


if __name__ == "__main__":
    unittest.main()
