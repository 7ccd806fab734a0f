"""Scenes in Python: loaded, written, refused."""

import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

import taut


def pendulum(**arguments):
    scene = taut.Scene("pendulum", step=0.001, duration=1, **arguments)
    bob = scene.particle("bob", mass=1, at=[1, 0, 0])
    scene.gravity()
    rod = scene.distance([0, 0, 0], bob, name="rod")
    return scene, bob, rod


class Loading(unittest.TestCase):
    def test_built_in_with_parameters(self):
        scene = taut.Scene.load("chain", N=7)
        self.assertEqual(scene.name, "chain")
        self.assertEqual(scene.parameters["N"], 7)
        self.assertEqual(len(scene.bodies), len(taut.Scene.load("chain", N=5).bodies) + 2)

    def test_a_robot(self):
        scene = taut.Scene.load("arm6.urdf", elbow=1.2)
        self.assertIn("elbow", scene.joints)
        with self.assertRaisesRegex(taut.Error, "cannot be changed"):
            scene.gravity()

    def test_errors_are_those_of_the_command_line(self):
        program = os.environ.get("TAUT_CLI")
        for arguments in (["two_lnk"], ["chain", "N=-3"], ["chain", "M=3"], ["missing.json"]):
            settings = dict(word.split("=") for word in arguments[1:])
            with self.assertRaises(taut.Error) as caught:
                taut.Scene.load(arguments[0], **settings)
            if program:
                said = subprocess.run([program, "run", *arguments], capture_output=True, text=True)
                self.assertEqual(said.returncode, 2)
                self.assertEqual(said.stderr.strip(), f"taut: {caught.exception}")

    def test_text_and_dict(self):
        text = pendulum()[0].to_json()
        self.assertEqual(taut.Scene.parse(text).bodies, ["bob"])
        self.assertEqual(taut.Scene.parse(json.loads(text)).bodies, ["bob"])
        with self.assertRaisesRegex(taut.Error, "my file.*line 1"):
            taut.Scene.parse("{", origin="my file")
        with self.assertRaisesRegex(taut.Error, "/bodies/0/mas.*mass"):
            taut.Scene.parse({"taut": 1, "bodies": [{"type": "particle", "mas": 1}]})

    def test_a_loaded_scene_can_be_changed(self):
        scene = taut.Scene.load("two_link", )
        count = len(scene.bodies)
        extra = scene.particle(mass=1, at=[0, 5, 0])
        scene.duration = 0.1
        self.assertEqual(len(scene.bodies), count + 1)
        result = taut.run(scene)
        self.assertAlmostEqual(result[extra].position[-1][0], 0)
        self.assertEqual(result.time, 0.1)


class Building(unittest.TestCase):
    def test_the_file_is_the_scene(self):
        scene, bob, rod = pendulum()
        self.assertEqual(scene.constraints, ["rod"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "pendulum.json")
            scene.save(path)
            again = taut.Scene.load(path)
            self.assertEqual(again.to_dict(), scene.to_dict())
            np.testing.assert_array_equal(taut.run(again).q, taut.run(scene).q)

    def test_files_that_it_refers_to_are_found_from_anywhere(self):
        source = os.path.join(os.path.dirname(__file__), "../../robots/arm6.urdf")
        with open(source, encoding="utf-8") as file:
            urdf = file.read()
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "a"))
            os.makedirs(os.path.join(folder, "b", "c"))
            with open(os.path.join(folder, "a", "mine.urdf"), "w", encoding="utf-8") as file:
                file.write(urdf)
            scene = taut.Scene.parse({"taut": 1, "robots": [{"urdf": "mine.urdf"}]},
                                     os.path.join(folder, "a", "scene.json"))
            saved = os.path.join(folder, "b", "c", "scene.json")
            scene.save(saved)
            self.assertEqual(taut.Scene.load(saved).bodies, scene.bodies)
            with open(saved, encoding="utf-8") as file:
                self.assertIn("../../a/mine.urdf", file.read())
            # What is built in stays what it is.
            scene = taut.Scene("arm")
            scene.robot("r", urdf="arm6.urdf")
            scene.save(saved)
            self.assertEqual(taut.Scene.load(saved).bodies, scene.bodies)

    def test_parameters_stay_in_the_file(self):
        scene = taut.Scene("p")
        length = scene.parameter("l", 2, unit="m", min=1)
        scene.particle("a", mass=1, at=[length, 0, 0])
        saved = taut.Scene.parse(scene.to_dict(), l=3)
        self.assertEqual(taut.Simulation(saved).q[0], 3)
        self.assertEqual(saved.to_dict()["parameters"]["l"]["value"], 3)
        with self.assertRaisesRegex(taut.Error, "l"):
            taut.Scene.parse(scene.to_dict(), l=0.5)

    def test_every_type_has_a_method_that_says_what_it_is(self):
        for entry in taut.list_constraints() + taut.list_forces():
            method = getattr(taut.Scene, entry["name"])
            for field in entry["parameters"]:
                self.assertIn(f":param {field['name']}:", method.__doc__)
        for entry in taut.list_shapes():
            self.assertIn(entry["summary"][1:], getattr(taut.shapes, entry["name"]).__doc__)

    def test_units_and_defaults_are_documented(self):
        doc = taut.Scene.spring.__doc__
        self.assertIn("N/m", doc)
        self.assertIn("default 0 N·s/m", doc)

    def test_a_rigid_body_with_shapes(self):
        scene = taut.Scene("crate", duration=0.5)
        scene.shape(taut.shapes.plane(material="concrete"))
        scene.material("felt", density=300, friction=0.4)
        crate = scene.rigid_body("crate", at=[0, 0, 0.5],
                                 shapes=[taut.shapes.box(size=[1, 1, 1], material="felt")])
        scene.gravity([0, 0, -9.81])
        sim = taut.Simulation(scene)
        sim.advance(0.2)
        contacts = sim.contacts
        self.assertGreaterEqual(len(contacts), 1)
        self.assertAlmostEqual(contacts["force"][:, 2].sum(), 300 * 9.81, delta=1e-3 * 300 * 9.81)
        self.assertTrue(all("crate" in a + b for a, b in sim.contact_names))
        np.testing.assert_allclose(sim.bodies[crate].orientation, [1, 0, 0, 0], atol=1e-15)

    def test_joints_motors_and_robots_by_object(self):
        scene = taut.Scene("arm", duration=0.1)
        robot = scene.robot("arm", urdf="arm6.urdf")
        base = scene.rigid_body("wheel", mass=1, inertia=[1, 1, 1], at=[3, 0, 0])
        axle = scene.hinge(a=[3, 0, 0], b=base, axis=[0, 0, 1], name="axle")
        scene.motor(joint=axle, speed=2.0)
        scene.gravity()
        sim = taut.Simulation(scene)
        sim.advance(0.05)
        self.assertAlmostEqual(sim.joint(axle)[1], 2.0, places=6)
        self.assertIn(robot.joint("elbow"), sim.joints)

    def test_bad_arguments(self):
        scene, bob, _ = pendulum()
        for wrong, says in (
            (lambda: scene.distance(bob, [0, 0, 0], lenght=1), "length"),
            (lambda: scene.distance(bob), "'b'"),
            (lambda: scene.distance(bob, object()), "distance.b"),
            (lambda: scene.particle(mass=float("nan"), at=[0, 0, 0]), "finite"),
            (lambda: scene.particle(mass=1, at=[0, 0, 0], position=[0, 0, 0]), "both"),
            (lambda: bob.at(1, 2), "x, y, z"),
            (lambda: taut.shapes.box(siz=[1, 1, 1]), "size"),
            (lambda: taut.list_types("methodes"), "methods"),
        ):
            with self.assertRaisesRegex(taut.Error, says):
                wrong()
        scene.distance("bub", [0, 3, 0])
        with self.assertRaisesRegex(taut.Error, "bub.*bob"):
            scene.check()

    def test_names_are_not_given_twice(self):
        scene = taut.Scene("many")
        scene.particle("body0", mass=1, at=[0, 0, 0])
        names = {scene.particle(mass=1, at=[i + 1, 0, 0]).name for i in range(3)}
        self.assertEqual(len(names), 3)
        self.assertEqual(len(scene.check().bodies), 4)


class Stubs(unittest.TestCase):
    def test_they_are_python_and_know_every_type(self):
        import ast

        from taut import stubs

        tree = ast.parse(stubs.package_stub())
        classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
        methods = {node.name for node in classes["Scene"].body if isinstance(node, ast.FunctionDef)}
        for entry in taut.list_constraints() + taut.list_forces():
            self.assertIn(entry["name"], methods)
        names = set(classes) | {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.assertLessEqual(set(taut.__all__) - {"__version__", "formula", "shapes"}, names)
        shapes = ast.parse(stubs.shapes_stub())
        self.assertEqual({n.name for n in shapes.body if isinstance(n, ast.FunctionDef)},
                         {entry["name"] for entry in taut.list_shapes()})


if __name__ == "__main__":
    unittest.main()
