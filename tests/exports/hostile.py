"""Recordings that taut itself would not write."""

import json
import struct

import numpy
import readers
from checks import checks, gltf_expectations, near, usd_expectations


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


def check_hostile(scratch, taut):
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
                drawn = [key for key, prim in usd.prims.items() if prim["kind"] in usd.drawn]
                usd_expectations.append({"file": str(path), "drawn": drawn})
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
                gltf_expectations.append({"file": str(path)})
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


