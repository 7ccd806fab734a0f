"""Exports scenes in every format, and reads the files with other readers: as many frames, bodies
and vertices as the run had, at the places that its table has.

    run.py --taut build/release/bin/taut --web web

web/node_modules has the Khronos validator and three.js for glTF, and Pixar's library for USD. VTK's
reader and Blender are used where they are installed (scripts/install-dependencies.sh --readers).
--require names readers that must be there."""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    sys.exit(77)
import readers
from checks import DOUBLE, SINGLE, Truth, checks, gltf_expectations, usd_expectations
from hostile import check_hostile

arguments = argparse.ArgumentParser()
arguments.add_argument("--taut", required=True)
arguments.add_argument("--web", required=True)
arguments.add_argument("--require", default="", help="vtk,gltf,usd,blender")
arguments.add_argument("--only", default="", help="a scene")
arguments = arguments.parse_args()
here = pathlib.Path(__file__).parent


def taut(*words, code=0):
    done = subprocess.run([arguments.taut, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


class Scene:
    def __init__(self, scratch, about, words):
        self.words = words
        self.cloth = about.get("cloth")  # the name of a surface: all particles are its vertices
        self.up = about["up"]
        self.touches = about.get("contacts", False)
        self.folder = scratch / about["name"]
        self.folder.mkdir()

    def export(self, extension):
        """A run with an export and a table of the same states."""
        path = self.folder / f"direct{extension}"
        tables = self.folder / f"tables{extension}"
        taut("run", *self.words, "--no-verify", "--quiet", "--out", tables, "--export", path)
        return path, tables


def check_scene(scratch, about):
    file = scratch / f"{about['name']}.json"
    file.write_text(json.dumps(about.get("scene", {})))
    scene = Scene(scratch, about, [word.replace("SCENE", str(file)) for word in about["run"]])
    recording, tables = scene.folder / "motion.taut", scene.folder / "tables"
    taut("run", *scene.words, "--no-verify", "--quiet", "--out", tables, "--recording", recording)
    for extension, check in checks.items():
        if extension not in about.get("formats", checks):
            continue
        path, own_tables = scene.export(extension)
        check(scene, path, Truth(own_tables, about["frames"]), DOUBLE, True)
        again = scene.folder / f"recorded{extension}"
        taut("export", recording, "--out", again, "--quiet")
        check(scene, again, Truth(tables, about["frames"]), SINGLE, False)


def ask(reader, command, expectations, scratch):
    """Runs another program on the files. It ends with 77 where the reader is not installed."""
    file = scratch / f"{reader}.json"
    file.write_text(json.dumps(expectations))
    done = subprocess.run([*map(str, command), str(file)], capture_output=True, text=True)
    assert done.returncode in (0, 77), f"{reader}: {done.returncode}\n{done.stderr[-4000:]}"
    if done.returncode == 0:
        readers.used.add(reader)


with tempfile.TemporaryDirectory() as name:
    scratch = pathlib.Path(name)
    scenes = json.loads((here / "scenes.json").read_text())
    for about in scenes:
        if arguments.only in ("", about["name"]):
            check_scene(scratch, about)
    check_hostile(scratch, taut)
    ask("gltf", ["node", here / "validate.mjs", arguments.web], gltf_expectations, scratch)
    hydra = ["node", "--require", here / "hydra_worker.cjs", here / "hydra.mjs", arguments.web]
    ask("usd", hydra, usd_expectations, scratch)
    if shutil.which("blender"):
        words = ["--background", "--factory-startup", "--python-exit-code", 1, "--python"]
        ask("blender", ["blender", *words, here / "blender.py", "--"], gltf_expectations, scratch)

missing = [r for r in arguments.require.split(",") if r and r not in readers.used]
print(f"exports: {len(scenes)} scenes, {len(checks)} formats; read by numpy, {', '.join(sorted(readers.used))}")
sys.exit(f"not there: {missing}" if missing else 0)
