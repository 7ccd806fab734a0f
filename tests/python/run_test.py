"""Whole runs, comparisons, reports, pictures."""

import io
import os
import signal
import tempfile
import threading
import unittest
from contextlib import redirect_stderr

import numpy as np

import taut


class Running(unittest.TestCase):
    def test_what_is_recorded(self):
        scene = taut.Scene.load("two_link")
        result = taut.run(scene, "rattle", 0.01, 1, record_every=5, forces=True)
        self.assertEqual(result.status, "ok")
        np.testing.assert_allclose(result.times, np.arange(0, 21) * 0.05, atol=1e-12)
        self.assertEqual(result.q.shape, (21, len(scene.bodies) * 3))
        self.assertEqual(result["node1"].position.shape, (21, 3))
        self.assertTrue(np.shares_memory(result["node1"].position, result.q))
        link = scene.constraints[0]
        self.assertEqual(result.forces[link].shape, (21, 1))
        self.assertEqual(result.method, "rattle")
        self.assertIn("max", result.constraint_error)
        self.assertTrue(result.is_trusted == (result.verdict != "suspect"))
        self.assertEqual(result["energy"].initial, result.energy.initial)
        with self.assertRaisesRegex(AttributeError, "verdict"):
            result.verdikt
        with self.assertRaisesRegex(taut.Error, "forces=True"):
            taut.run(scene, duration=0.1).forces

    def test_automatic_steps(self):
        result = taut.run("two_link", "dop853", tolerance=1e-9, record_interval=0.25, duration=1)
        np.testing.assert_allclose(result.times, np.arange(5) * 0.25, atol=1e-12)
        self.assertTrue(result.step_control.accepted > 0)

    def test_verification(self):
        self.assertNotIn("verification", taut.run("two_link", duration=1, verify=False))
        self.assertTrue(taut.run("two_link", "rattle", 1e-3, 1, verify=1e-2).verification.met)

    def test_the_result_outlives_the_run(self):
        q = taut.run("two_link", duration=0.1).q
        self.assertTrue(np.isfinite(q).all())
        q[0, 0] = 7  # it belongs to whoever has it

    def test_progress(self):
        seen = []
        taut.run("ten_link", step=1e-3, progress=lambda fraction, time: seen.append(fraction))
        self.assertEqual(seen[-1], 1)
        self.assertEqual(seen, sorted(seen))
        shown = io.StringIO()
        with redirect_stderr(shown):
            taut.run("two_link", duration=0.1, progress=True)
        self.assertIn("100 %", shown.getvalue())

    def test_what_progress_raises(self):
        def stop(fraction, time):
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            taut.run("two_link", progress=stop)

    def test_ctrl_c_ends_it_with_what_there_is(self):
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        result = taut.run("ten_link", "rattle", 1e-6, 100, verify=False)
        timer.join()
        self.assertEqual(result.status, "interrupted")
        self.assertGreater(len(result.times), 1)
        self.assertLess(result.time, 100)

    def test_ctrl_c_ends_an_advance(self):
        sim = taut.Simulation("ten_link", step=1e-6)
        timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        with self.assertRaises(KeyboardInterrupt):
            sim.advance(100)
        timer.join()
        sim.step()

    def test_bad_arguments(self):
        for arguments in ({"step": 0}, {"step": float("nan")}, {"duration": -1},
                          {"tolerance": 1e-6, "step": 0.1}, {"tolerance": 0},
                          {"record_every": 0}, {"record_interval": 1}, {"method": "rattel"},
                          {"duration": 1e300}, {"verify": -1}, {"start": "now"}, {"solver": "x"},
                          {"options": {"tolerence": 1}, "method": "icd"}):
            with self.assertRaises(taut.Error, msg=str(arguments)):
                taut.run("two_link", **arguments)


class Comparing(unittest.TestCase):
    def test_a_table(self):
        table = taut.compare("two_link", ["rattle", "post"], [0.01, 0.02], duration=0.5)
        self.assertEqual([(row["method"], row["step"]) for row in table],
                         [("rattle", 0.01), ("rattle", 0.02), ("post", 0.01), ("post", 0.02)])
        self.assertEqual(len(str(table).splitlines()), 5)
        self.assertEqual(table._repr_html_().count("<tr>"), 5)
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("no pandas")
        self.assertEqual(list(table.to_pandas()["method"]), ["rattle"] * 2 + ["post"] * 2)


class Showing(unittest.TestCase):
    def test_reports_in_notebooks(self):
        result = taut.run("two_link", duration=0.1)
        self.assertIn("<table>", result._repr_html_())
        self.assertIn("two_link", repr(result))
        self.assertIn("two_link", taut.Scene.load("two_link")._repr_html_())
        self.assertIn("two_link", repr(taut.Simulation("two_link").report))

    def test_names_are_escaped(self):
        scene = taut.Scene("<script>", duration=0.1)
        scene.particle("a", mass=1, at=[0, 0, 0])
        for shown in (scene._repr_html_(), taut.run(scene)._repr_html_()):
            self.assertNotIn("<script>", shown)

    def test_plot(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("no matplotlib")
        matplotlib.use("Agg")
        result = taut.run("two_link", duration=0.5)
        axes = result.plot("node1", "node2")
        self.assertEqual(len(axes.lines), 2)
        np.testing.assert_array_equal(axes.lines[0].get_ydata(), result["node1"].position[:, 1])
        self.assertEqual(len(taut.plot([result, result], "node1", axis="xy").lines), 2)

    def test_view_starts_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "taut"), "w", encoding="ascii") as file:
                file.write(f'#!/bin/sh\nprintf "%s " "$@" > "{folder}/said"\n[ "$2" = chain ] || cp "$2" "{folder}/scene"\n')
            os.chmod(file.name, 0o755)
            path = os.environ["PATH"]
            os.environ["PATH"] = folder + os.pathsep + path
            try:
                made = taut.Scene("mine")
                made.particle("a", mass=1, at=[1, 2, 3])
                self.assertEqual(made.view().wait(), 0)
                self.assertEqual(taut.Scene.load(os.path.join(folder, "scene")).bodies, ["a"])
                taut.view(taut.Scene.load("chain", N=3), "--port", 0).wait()
            finally:
                os.environ["PATH"] = path
            with open(os.path.join(folder, "said"), encoding="utf-8") as file:
                self.assertEqual(file.read().split(),
                                 ["view", "chain", "--set", "N=3", "--port", "0"])

    def test_lists_and_version(self):
        self.assertRegex(taut.__version__, r"^\d+\.\d+\.\d+$")
        self.assertIn("two_link", [entry["name"] for entry in taut.list_scenes()])
        self.assertIn("arm6.urdf", [entry["name"] for entry in taut.list_robots()])
        self.assertIn("rattle", [entry["name"] for entry in taut.list_methods()])


if __name__ == "__main__":
    unittest.main()
