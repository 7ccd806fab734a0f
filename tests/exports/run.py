"""Exports scenes in every format, and reads the files with other readers: as many frames, bodies
and vertices as the run had, at the places that its table has.

    run.py --taut build/release/bin/taut --web web

The Khronos validator and three.js are used where web/node_modules has them, and VTK where Python
has it (scripts/install-dependencies.sh --readers installs it). --require names readers that must be there."""

import argparse
import json
import pathlib
import struct
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    sys.exit(77)
import readers

arguments = argparse.ArgumentParser()
arguments.add_argument("--taut", required=True)
arguments.add_argument("--web", required=True)
arguments.add_argument("--require", default="", help="vtk,gltf")
arguments.add_argument("--only", default="", help="a scene")
arguments = arguments.parse_args()
required = arguments.require.split(",")
used = set()

SINGLE = 1e-6  # relative to the size of a scene: float32 has 6e-8
DOUBLE = 1e-14


class Truth:
    """What the run's own table says, at the times of the frames."""

    def __init__(self, folder, frame_count):
        names, rows = readers.table(folder / "trajectory.csv")
        assert len(rows) - frame_count in (0, 1), (len(rows), frame_count)
        rows = rows[:frame_count]  # the last state of a run is in the table whenever it is
        self.bodies, self.columns = [], {}
        for number, column in enumerate(names[1:], 1):
            body, _, part = column.rpartition(".")
            if part == "x":
                self.bodies.append(body)
            self.columns[column] = rows[:, number]
        self.times = rows[:, 0]
        self.rigid = [b for b in self.bodies if f"{b}.qw" in self.columns]
        self.particles = [b for b in self.bodies if b not in self.rigid]
        self.order = self.particles + self.rigid  # as exports number them
        self.size = max(1.0, max(abs(self.parts(b, "xyz")).max() for b in self.bodies))

    def parts(self, body, parts):
        return numpy.stack([self.columns[f"{body}.{part}"] for part in parts], axis=-1)

    def turn(self, body):
        return self.parts(body, ["qw", "qx", "qy", "qz"])


def near(found, wanted, tolerance, what):
    found, wanted = numpy.asarray(found), numpy.asarray(wanted)
    assert found.shape == wanted.shape, f"{what}: {found.shape} instead of {wanted.shape}"
    away = abs(found - wanted).max(initial=0)
    assert away <= tolerance, f"{what}: off by {away}"


def same_turns(found, wanted, what):
    """q and −q are the same turn."""
    sign = numpy.sign((found * wanted).sum(axis=-1, keepdims=True))
    near(found * sign, wanted, 1e-6, what)


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


def check_csv(scene, path, truth, tolerance, has_velocities):
    names, rows = readers.table(path)
    near(rows[:, 0], truth.times, 0, "times")
    parts = ["x", "y", "z"] + (["vx", "vy", "vz"] if has_velocities else [])
    for body in truth.bodies:
        columns = [names.index(f"{body}.{part}") for part in parts]
        near(rows[:, columns], truth.parts(body, parts), tolerance * truth.size * 10, body)
    assert len(names) == 1 + sum(
        (7 if b in truth.rigid else 3) + (len(parts) - 3) * (2 if b in truth.rigid else 1)
        for b in truth.bodies
    )


def check_npz(scene, path, truth, tolerance, has_velocities):
    with numpy.load(path) as arrays:
        near(arrays["times"], truth.times, 0, "times")
        assert list(arrays["names"]) == truth.order, arrays["names"]
        wanted = numpy.stack([truth.parts(b, "xyz") for b in truth.order], axis=1)
        near(arrays["positions"], wanted, tolerance * truth.size, "positions")
        assert arrays["quaternions"].shape == (len(truth.times), len(truth.rigid), 4)
        for i, body in enumerate(truth.rigid):
            same_turns(arrays["quaternions"][:, i], truth.turn(body), body)
        assert ("velocities" in arrays) == has_velocities
        if has_velocities:
            speeds = [truth.parts(b, ["vx", "vy", "vz"]) for b in truth.order]
            near(arrays["velocities"], numpy.stack(speeds, axis=1), 1e-12, "velocities")
            spins = [truth.parts(b, ["wx", "wy", "wz"]) for b in truth.rigid]
            if spins:
                near(arrays["angular_velocities"], numpy.stack(spins, axis=1), 1e-12, "spins")
        count = len(arrays["contact_frames"])
        assert (count > 0) == scene.touches
        assert arrays["contact_forces"].shape == arrays["contact_points"].shape == (count, 3)
        assert arrays["contact_bodies"].shape == (count, 2)
        assert (arrays["contact_bodies"] < len(truth.order)).all()
        if scene.cloth:
            assert len(arrays["surface0_vertices"]) == len(truth.particles)


def check_gltf(scene, path, truth, tolerance, has_velocities):
    gltf = readers.Gltf(path)
    drawn = truth.rigid if scene.cloth else truth.order
    for body in drawn:
        (node,) = gltf.nodes(body)
        start = gltf.json["nodes"][node]
        near(start["translation"], truth.parts(body, "xyz")[0], SINGLE * truth.size, body)
        if len(truth.times) == 1:
            assert "animations" not in gltf.json
            continue
        times, places = gltf.motion(node, "translation")
        near(times, truth.times, 1e-6 * truth.times[-1], "times")
        near(places, truth.parts(body, "xyz"), SINGLE * truth.size, body)
        if body in truth.rigid:
            _, turns = gltf.motion(node, "rotation")
            same_turns(turns[:, [3, 0, 1, 2]], truth.turn(body), body)
    expectations.append(
        {
            "file": str(path),
            "times": [float(t) for t in numpy.float32(truth.times)],
            "up": scene.up,
            "tolerance": 2 * SINGLE * truth.size,
            "nodes": {b: truth.parts(b, "xyz").tolist() for b in drawn},
        }
    )
    if scene.cloth:
        sheet = numpy.stack([truth.parts(b, "xyz") for b in truth.particles], axis=1)
        expectations[-1]["nodes"][scene.cloth] = sheet.tolist()
    if path.suffix == ".gltf":
        expectations[-1].pop("nodes")  # three.js would fetch the buffer


def check_usd(scene, path, truth, tolerance, has_velocities):
    usd = readers.Usd(path)
    codes = truth.times * float(usd.head["timeCodesPerSecond"])
    drawn = truth.rigid if scene.cloth else truth.order
    for body in drawn:
        (prim,) = usd.named(body)
        samples = prim["xformOp:translate"]
        near(list(samples), codes, 1e-5, "time codes")
        near(list(samples.values()), truth.parts(body, "xyz"), SINGLE * truth.size, body)
        if body in truth.rigid:
            same_turns(numpy.array(list(prim["xformOp:orient"].values())), truth.turn(body), body)
    if scene.cloth:
        (prim,) = usd.named(scene.cloth)
        sheet = numpy.concatenate([truth.parts(b, "xyz") for b in truth.particles], axis=1)
        near(list(prim["points"].values()), sheet, SINGLE * truth.size, scene.cloth)
    assert usd.head["upAxis"] == ('"Z"' if scene.up[2] == 1 else '"Y"')


def check_vtk(scene, path, truth, tolerance, has_velocities):
    parts = readers.pvd(path)
    assert sorted(parts) == ["bodies", "contacts", "skin"]
    for i, (time, file) in enumerate(parts["bodies"]):
        assert time == truth.times[i]
        places, cells, data = readers.vtp(file)
        wanted = numpy.stack([truth.parts(b, "xyz")[i] for b in truth.order])
        near(places, wanted, tolerance * truth.size, "bodies")
        assert data["name"] == truth.order
        if has_velocities:
            speeds = [truth.parts(b, ["vx", "vy", "vz"])[i] for b in truth.order]
            near(data["velocity"], numpy.stack(speeds), 1e-12, "velocities")
        theirs = readers.vtp_by_vtk(file)
        if theirs:
            used.add("vtk")
            near(theirs[0], wanted, tolerance * truth.size, "bodies in VTK")
            assert theirs[1] == len(truth.order) and theirs[2]["name"] == truth.order
    for (_, skin), (_, touches) in zip(parts["skin"], parts["contacts"]):
        places, cells, data = readers.vtp(skin)
        assert cells["connectivity"].max() < len(places) and len(data["body"]) == len(places)
        assert cells["offsets"][-1] == len(cells["connectivity"])
        theirs = readers.vtp_by_vtk(skin)
        if theirs:
            near(theirs[0], places, 0, "skin in VTK")
            assert theirs[1] == len(cells["offsets"])
            assert theirs[2]["body"].shape == (len(places),)
        points, _, data = readers.vtp(touches)
        assert len(points) == len(data["force"])
        theirs = readers.vtp_by_vtk(touches)
        assert theirs is None or theirs[1] == len(points)
    if scene.cloth:
        places, _, _ = readers.vtp(parts["skin"][-1][1])
        sheet = numpy.stack([truth.parts(b, "xyz")[-1] for b in truth.particles])
        near(places[: len(sheet)], sheet, tolerance * truth.size, "cloth")


checks = {
    ".csv": check_csv,
    ".npz": check_npz,
    ".glb": check_gltf,
    ".gltf": check_gltf,
    ".usda": check_usd,
    ".pvd": check_vtk,
}
expectations = []

def write_recording(path, names, rigid, frames, surfaces=(), shapes=(), links=()):
    """A recording as docs/recording.md has it, with all that taut itself would not write."""
    head = {
        **{"taut": "0", "scene": "", "title": "", "method": "", "gravity": [0, 0, 0]},
        **{"frame_interval": 0, "rigid": rigid, "visuals": [], "shapes": list(shapes)},
        "particles": {"count": len(names), "names": names},
        "surfaces": [
            {"name": name, "vertices": len(vertices), "faces": len(faces)}
            for name, vertices, faces in surfaces
        ],
        "links": {"count": len(links), "types": ["distance"]},
    }
    chunks = [(b"HEAD", json.dumps(head).encode())]
    for _, vertices, faces in surfaces:
        numbers = [len(vertices), len(faces), *vertices, *(c for face in faces for c in face)]
        chunks.append((b"SURF", numpy.array(numbers, "<i4").tobytes()))
    if links:
        ends = [struct.pack("<i3fi3fI", a, 0, 0, 0, b, 0, 0, 0, 0) for a, b in links]
        chunks.append((b"LINK", b"".join(ends)))
    for time, places, turns in frames:
        rows = [[*p, *q] for p, q in zip(places[len(names) :], turns)]
        content = struct.pack("<dII", time, 0, 0) + numpy.array(rows, "<f4").tobytes()
        chunks.append((b"FRAM", content + numpy.array(places[: len(names)], "<f4").tobytes()))
    data = b"\x89TAUT\r\n\x1a" + struct.pack("<II", 1, 0)
    for kind, content in chunks:
        data += kind + struct.pack("<IQ", 0, len(content)) + content + bytes(-len(content) % 8)
    path.write_bytes(data)


def check_hostile(scratch):
    """What only a strange recording has: other readers can still open what is made of it."""
    still = [1, 0, 0, 0]
    names = ["a", "a", "", "\U0001f600 \n\t\x01", "../../x", "a" * 300, "%s", "]]>"]
    places = [[i, 0, 0] for i in range(len(names))]
    mesh = {"body": -1, "type": "mesh", "size": [0, 0, 0], "radius": 0, "position": [0, 0, 0]}
    mesh["orientation"] = still
    nan = float("nan")
    cases = {
        "names": (names, [], [(t, places, []) for t in (0, 1)], [("a", [0, 1, 2], [[0, 1, 2, -1]])]),
        "rigid_names": ([], names, [(t, places, [still] * len(names)) for t in (0, 1)]),
        "nothing": ([], [], [(0, [], []), (1, [], [])]),
        "no_faces": (["a"], [], [(t, [[0, 0, 0]], []) for t in (0, 1)], [("a", [0], [])]),
        "empty_surface": (["a"], [], [(t, [[0, 0, 0]], []) for t in (0, 1)], [("a", [], [])]),
        "empty_mesh": (["a"], [], [(0, [[0, 0, 0]], [])], [], [mesh]),
        "nan": (["a"], [], [(0, [[0, 0, 0]], []), (1, [[nan, 0, 0]], []), (2, [[1, 0, 0]], [])]),
        "huge": (["a"], [], [(0, [[0, 0, 0]], []), (1, [[2e38, 0, 0]], [])]),
        "no_turn": ([], ["a"], [(t, [[0, 0, 0]], [[0, 0, 0, 0]]) for t in (0, 1)]),
        "same_times": (["a"], [], [(1e9 + t, [[t, 0, 0]], []) for t in (0, 1, 2)]),
        "no_length": (["a", "b"], [], [(t, [[0, 0, 0]] * 2, []) for t in (0, 1)], [], [], [(0, 1)]),
        "turning": (
            *(["a", "b"], []),
            [(t, [[0, 0, 0], [numpy.sin(t), 0, numpy.cos(t)]], []) for t in range(7)],
            *([], [], [(0, 1)]),
        ),
    }
    for name, case in cases.items():
        file = scratch / f"{name}.taut"
        write_recording(file, *case)
        kept = [f for f in case[2] if numpy.isfinite(f[1]).all() and numpy.max(f[1], initial=0) < 1e38]
        for extension in checks:
            path = scratch / f"hostile {name} ü'&{extension}"
            taut("export", file, "--out", path, "--quiet")
            if extension == ".csv":
                table_names, rows = readers.table(path)
                assert len(rows) == len(case[2]) and len(table_names) == rows.shape[1]
            elif extension == ".npz":
                with numpy.load(path) as arrays:
                    assert list(arrays["names"]) == [n.rstrip("\0") for n in case[0] + case[1]]
                    wanted = numpy.array([f[1] for f in case[2]]).reshape(len(case[2]), -1, 3)
                    numpy.testing.assert_array_equal(arrays["positions"], numpy.float32(wanted))
            elif extension == ".usda":
                usd = readers.Usd(path)
                for prim in usd.prims.values():
                    for samples in prim.values():
                        assert isinstance(samples, str) or len(samples) == len(kept)
            elif extension == ".pvd":
                for time, bodies in readers.pvd(path)["bodies"]:
                    points, _, data = readers.vtp(bodies)
                    assert len(points) == len(data["name"]) == len(case[0] + case[1])
                    theirs = readers.vtp_by_vtk(bodies)
                    assert theirs is None or theirs[2]["name"] == data["name"]
                assert len(readers.pvd(path)["skin"]) == len(kept)
            else:
                gltf = readers.Gltf(path)
                assert len([n for n in gltf.json["nodes"] if n.get("name") in case[1]]) >= len(case[1])
                expectations.append({"file": str(path)})
                if name == "turning":
                    (rod,) = gltf.nodes("link0")
                    check_rod(gltf, rod, case[2])


def check_rod(gltf, node, frames):
    """A rod is along z from 0 to 1, turned and stretched to its ends."""
    _, turns = gltf.motion(node, "rotation")
    _, scales = gltf.motion(node, "scale")
    for (x, y, z, w), scale, (_, (_, end), _) in zip(turns, scales, frames):
        tip = [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)]
        near(numpy.array(tip) * scale[2], end, 1e-6, "a rod's end")


def check_with_node(scratch):
    file = scratch / "expected.json"
    file.write_text(json.dumps(expectations))
    script = pathlib.Path(__file__).with_name("validate.mjs")
    done = subprocess.run(
        ["node", str(script), arguments.web, str(file)], capture_output=True, text=True
    )
    if done.returncode != 77:
        used.add("gltf")
    assert done.returncode in (0, 77), done.stderr[-4000:]


with tempfile.TemporaryDirectory() as name:
    scratch = pathlib.Path(name)
    scenes = json.loads(pathlib.Path(__file__).with_name("scenes.json").read_text())
    for scene in scenes:
        if arguments.only not in ("", scene["name"]):
            continue
        (scratch / f"{scene['name']}.json").write_text(json.dumps(scene.get("scene", {})))
        words = [w.replace("SCENE", str(scratch / f"{scene['name']}.json")) for w in scene["run"]]
        each = Scene(scratch, scene, words)
        recording, tables = each.folder / "motion.taut", each.folder / "tables"
        taut("run", *words, "--no-verify", "--quiet", "--out", tables, "--recording", recording)
        for extension, check in checks.items():
            if extension not in scene.get("formats", checks):
                continue
            path, own_tables = each.export(extension)
            truth = Truth(own_tables, scene["frames"])
            check(each, path, truth, DOUBLE, True)
            again = each.folder / f"recorded{extension}"
            taut("export", recording, "--out", again, "--quiet")
            check(each, again, Truth(tables, scene["frames"]), SINGLE, False)
    check_hostile(scratch)
    check_with_node(scratch)

missing = [reader for reader in required if reader and reader not in used]
print(f"exports: {len(scenes)} scenes, {len(checks)} formats; read by numpy, {', '.join(sorted(used))}")
sys.exit(f"not there: {missing}" if missing else 0)
