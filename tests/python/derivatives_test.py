"""Derivatives of runs, fits, and functions for PyTorch."""

import json
import os
import tempfile
import unittest

import numpy as np

import taut

try:
    import torch
except ImportError:
    torch = None


def end(sensor, **parameters):
    """A coordinate of the bob after a second."""
    result = taut.run(taut.Scene.load("pendulum", **parameters), "icd2", duration=1, verify=False)
    return result["bob"].position[-1, "xyz".index(sensor[-1])]


class Derivatives(unittest.TestCase):
    def test_gradient(self):
        found = taut.gradient("pendulum", "bob.x", ["L", "g"], "icd2", duration=1,
                              initial_state=True)
        self.assertTrue(found.is_adjoint and found.is_trusted)
        self.assertAlmostEqual(found.value, end("x"), 12)
        for name, value in (("L", 1), ("g", 9.81)):
            h = 1e-4 * value
            difference = (end("x", **{name: value + h}) - end("x", **{name: value - h})) / (2 * h)
            self.assertAlmostEqual(found[name], difference, 6)
        self.assertEqual(found.start_v.shape, (3,))
        self.assertEqual(found.by_theorem, 100)
        with self.assertRaisesRegex(taut.Error, "asked for"):
            found["m"]

    def test_of_a_function(self):
        def loss(times, values):
            self.assertEqual(values.shape, (len(times), 2))
            return 0.5 * (values**2).sum(), values

        found = taut.gradient("two_link", loss, "g", "energy_momentum", duration=1,
                              sensors=["node2.x", "node2.y"])
        whole = taut.sensitivities("two_link", "g", ["node2.x", "node2.y"], "energy_momentum",
                                   duration=1)
        expected = np.einsum("ks,ksp->p", whole.values, whole.slopes)
        np.testing.assert_allclose(found.parameters, expected, rtol=1e-7)

    def test_sensitivities(self):
        found = taut.sensitivities("pendulum", "g", {"height": "bob.y"}, "rattle", duration=0.5,
                                   forces=True)
        self.assertEqual(found.sensors, ["height"])
        self.assertEqual(found.slopes.shape, (51, 1, 1))
        self.assertEqual(found.force_slopes.shape, (1, 1))
        self.assertEqual(found.end_q_slopes.shape, (3, 1))
        self.assertAlmostEqual(found.slopes[-1, 0, 0], found.end_q_slopes[1, 0], 8)

    def test_events_are_listed(self):
        found = taut.sensitivities("sliding_block", "friction", "block.x", duration=0.8)
        self.assertTrue(found.changes)
        self.assertTrue(found.by_stretches > 0)

    def test_fit(self):
        scene = taut.Scene.load("pendulum", L=1.2)
        result = taut.run(scene, "icd2", duration=1, verify=False)
        data = {"t": result.times, "bob.x": result["bob"].position[:, 0]}
        seen = []
        found = taut.fit("pendulum", data, "L", "icd2",
                         progress=lambda iteration, rms, values: seen.append(rms))
        self.assertTrue(found.converged)
        self.assertAlmostEqual(found["L"], 1.2, 7)
        self.assertTrue(found.errors["L"] < 1e-6)
        self.assertEqual(found.model.shape, (101, 1))
        self.assertTrue(seen[-1] < seen[0])
        found = taut.fit("pendulum", data, "L", "icd2", bounds={"L": (0.5, 1.1)})
        self.assertEqual(found.at_bounds, ["L"])
        self.assertEqual(found["L"], 1.1)

    def test_bad_input(self):
        for what, call in (
            ("whole number", lambda: taut.gradient("chain", "node1.y", "N")),
            ("did you mean \"L\"", lambda: taut.gradient("pendulum", "bob.y", "l")),
            ("torch", lambda: taut.differentiable("pendulum", "L", "bob.y", backend="numpy")),
            ("increasing", lambda: taut.fit("pendulum", {"t": [1, 0], "bob.x": [1, 2]}, "L")),
        ):
            with self.subTest(what), self.assertRaisesRegex(taut.Error, what):
                call()

    def test_controls(self):
        scene = {"taut": 1, "name": "pushed", "inputs": [{"name": "push", "value": 0}],
                 "bodies": [{"type": "particle", "name": "a", "mass": 2, "position": [0, 0, 0]}],
                 "forces": [{"type": "force", "point": "a",
                             "force": {"type": "formula", "value": ["=push", 0, 0]}}],
                 "simulation": {"step": 0.01, "duration": 1}}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pushed.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(scene, file)
            found = taut.gradient(path, "a.x", ["push@0", "push@0.5"], "energy_momentum",
                                  values=[3, -1])
            self.assertTrue(found.is_adjoint and found.is_trusted)
            self.assertAlmostEqual(found.value, 0.5 * (3 * 0.375 - 1 * 0.125), 9)
            self.assertAlmostEqual(found["push@0"], 0.5 * 0.375, 9)
            self.assertAlmostEqual(found["push@0.5"], 0.5 * 0.125, 9)
            with self.assertRaisesRegex(taut.Error, "did you mean \"push\""):
                taut.gradient(path, "a.x", "pusch@0")

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_torch(self):
        run = taut.differentiable("pendulum", ["L", "g"], ["bob.x", "bob.y"], "icd2", duration=0.5)
        parameters = torch.tensor([1.0, 9.81], dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(run, (parameters,), eps=1e-5, atol=1e-5))

    @unittest.skipIf(torch is None, "PyTorch is not installed")
    def test_torch_descends(self):
        """taut.gradient behind a function of torch: the adjoint, in an optimisation."""

        class Miss(torch.autograd.Function):
            @staticmethod
            def forward(context, parameters):
                found = taut.gradient("pendulum", "(bob.x - 0.3)^2 + (bob.y + 1.2)^2", ["L", "g"],
                                      "icd2", duration=0.5, values=parameters.detach().numpy())
                context.save_for_backward(torch.as_tensor(found.parameters))
                return torch.tensor(found.value, dtype=torch.float64)

            @staticmethod
            def backward(context, weight):
                return weight * context.saved_tensors[0]

        parameters = torch.tensor([1.0, 9.81], dtype=torch.float64, requires_grad=True)
        self.assertTrue(torch.autograd.gradcheck(Miss.apply, (parameters,), eps=1e-5, atol=1e-5))
        optimiser = torch.optim.LBFGS([parameters], max_iter=30, line_search_fn="strong_wolfe")

        def closure():
            optimiser.zero_grad()
            loss = Miss.apply(parameters)
            loss.backward()
            return loss

        optimiser.step(closure)
        self.assertLess(float(Miss.apply(parameters)), 1e-6)


if __name__ == "__main__":
    unittest.main()
