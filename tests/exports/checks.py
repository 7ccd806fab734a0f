"""What an export says, beside what the run's own table says."""

import json

import numpy
import readers
from readers import numbers

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

    def sheet(self):
        """Of the vertices of a cloth, by frames."""
        return numpy.stack([self.parts(b, "xyz") for b in self.particles], axis=1)

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


def skins_beside(path):
    """All that is drawn of the same motion, as VTK has it, by frames."""
    skins = path.with_suffix(".pvd")
    return readers.pvd(skins)["skin"] if skins.exists() else []


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
    expected = {
        "file": str(path),
        "times": [float(t) for t in numpy.float32(truth.times)],
        "up": scene.up,
        "tolerance": 2 * SINGLE * truth.size,
        "nodes": {b: truth.parts(b, "xyz").tolist() for b in drawn},
        "turns": {b: truth.turn(b).tolist() for b in drawn if b in truth.rigid},
    }
    if scene.cloth:
        expected["nodes"][scene.cloth] = truth.sheet().tolist()
    skins = skins_beside(path)
    if skins:
        for frame in {0, len(skins) // 2, len(skins) - 1}:
            expected.setdefault("skin", {})[frame] = readers.vtp(skins[frame][1])[0].tolist()
    gltf_expectations.append(expected)


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
        sheet = truth.sheet().reshape(len(codes), -1)
        near(list(prim["points"].values()), sheet, SINGLE * truth.size, scene.cloth)
    usd_expectations.append(usd_expectation(scene, usd, path, truth, codes))
    assert usd.head["upAxis"] == ('"Z"' if scene.up[2] == 1 else '"Y"')


def matrix(place, turn=(1, 0, 0, 0), scale=(1, 1, 1)):
    """As USD has them: rows are multiplied from the left."""
    w, x, y, z = numpy.asarray(turn) / numpy.linalg.norm(turn)
    axes = [
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
        [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
    ]
    all = numpy.eye(4)
    all[:3, :3] = numpy.diag(scale) @ axes
    all[3, :3] = place
    return all


def usd_expectation(scene, usd, path, truth, codes):
    """Where each prim is that USD's own library draws, over the frames; the vertices of cloth."""
    names = {path: json.loads(p["customData"][len("{ string name = ") : -2])
             for path, p in usd.prims.items() if "customData" in p}
    root = next(iter(usd.prims))
    upright = matrix([0, 0, 0], numbers(usd.prims[root]["xformOp:orient"]))
    frames = sorted({*range(0, len(codes), max(1, len(codes) // 50)), len(codes) - 1})
    expected = {"file": str(path), "tolerance": 2 * SINGLE * truth.size, "prims": {}, "points": {}}
    expected["codes"] = [float(codes[i]) for i in frames]
    expected["end"], expected["rate"] = float(codes[-1]), float(usd.head["timeCodesPerSecond"])
    for key, prim in usd.prims.items():
        if prim["kind"] not in usd.drawn:
            continue
        body = names["/".join(key.split("/")[:3])]
        own = numpy.eye(4)
        if key.count("/") == 3 or body not in truth.order:
            parts = [f"xformOp:{part}" for part in ("translate", "orient", "scale")]
            if parts[0] in prim:
                own = matrix(*(numbers(prim[part]) for part in parts))
        moves = [numpy.eye(4)] * len(frames)
        if body in truth.rigid:
            turns = truth.turn(body)
            moves = [matrix(truth.parts(body, "xyz")[i], turns[i]) for i in frames]
        elif body in truth.particles:
            moves = [matrix(truth.parts(body, "xyz")[i]) for i in frames]
        expected["prims"][key] = [(own @ move @ upright).tolist() for move in moves]
        if body == scene.cloth:
            expected["points"][key] = truth.sheet()[frames].tolist()
    skins = skins_beside(path)
    if skins:
        points, _, _ = readers.vtp(skins[0][1])
        places = points @ upright[:3, :3]
        expected["box"] = [places.min(axis=0).tolist(), places.max(axis=0).tolist()]
    return expected


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
            readers.used.add("vtk")
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
    ".pvd": check_vtk,
    ".csv": check_csv,
    ".npz": check_npz,
    ".glb": check_gltf,
    ".gltf": check_gltf,
    ".usda": check_usd,
}
gltf_expectations, usd_expectations = [], []

