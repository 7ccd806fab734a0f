"""Opens glTF files in Blender and compares what it shows with what the run had.

    blender --background --factory-startup --python-exit-code 1 --python blender.py -- EXPECTED.json

EXPECTED has for each file the times, and for each node that moves its places at these times; of a
cloth, those of its vertices."""

import json
import sys

import bpy
import numpy
from mathutils.kdtree import KDTree

numpy.bool = bool  # what Debian's importer asks for is no longer in Debian's NumPy


def corners(object):
    """In its own frame."""
    places = numpy.empty(3 * len(object.data.vertices), numpy.float32)
    object.data.vertices.foreach_get("co", places)
    return places.reshape(-1, 3)


def moved(places, matrix):
    return places @ numpy.array(matrix)[:3, :3].T + numpy.array(matrix)[:3, 3]


def upright(places, up):
    """From taut's world to Blender's, where z is up."""
    places = numpy.atleast_2d(places)
    return places if up[2] == 1 else numpy.stack([places[:, 0], -places[:, 2], places[:, 1]], 1)


def axes(places, turns):
    """Where a body is, and the points at 1 on its axes."""
    w, x, y, z = turns
    return places + numpy.array(
        [
            [0, 0, 0],
            [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
            [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
            [2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def only_shown(name, objects):
    """The one that has a size: a long motion of cloth is several meshes, one after another."""
    shown = [object for object in objects if object.matrix_world.to_scale().length > 0.5]
    assert len(shown) == 1, f"{name}: {len(shown)} are shown"
    return shown[0]


def near(what, found, wanted, tolerance):
    assert found.shape == wanted.shape, f"{what}: {found.shape} instead of {wanted.shape}"
    away = abs(found - wanted).max()
    assert away <= tolerance, f"{what} is {away} m away"


def check_skin(objects, graph, skin, tolerance):
    """All vertices of solids and cloth are where VTK's export has them. Rods are turned otherwise."""
    tree = KDTree(len(skin))
    for i, place in enumerate(skin):
        tree.insert(place, i)
    tree.balance()
    count = 0
    for object in objects:
        if object.type != "MESH" or object.data.name.partition(".")[0] == "rod":
            continue
        if object.matrix_world.to_scale().length <= 0.5:
            continue
        for place in moved(corners(object.evaluated_get(graph)), object.matrix_world):
            _, _, away = tree.find(place)
            assert away <= tolerance, f"a vertex of {object.name} is {away} m from VTK's"
            count += 1
    assert count > 0, "nothing is drawn"


def check(expected):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    times, up = expected.get("times", [0]), expected.get("up")
    if len(times) > 1:
        scene.render.fps = round((len(times) - 1) / (times[-1] - times[0]))
    bpy.ops.import_scene.gltf(filepath=expected["file"])
    (root,) = [object for object in bpy.data.objects if object.parent is None]
    if "nodes" not in expected:
        return
    shown = {name: [] for name in expected["nodes"]}
    for object in root.children:
        # Blender lets no two have the same name, so meshes of a cloth are numbered.
        name = object.name if object.name in shown else object.name.rpartition(".")[0]
        if name in shown:
            shown[name].append(object)
    if len(times) > 1:
        last = max(action.frame_range[1] for action in bpy.data.actions)
        wanted = times[-1] * scene.render.fps
        assert abs(last - wanted) < 1e-3, f"ends at frame {last} instead of {wanted}"
    frames = {*range(0, len(times), max(1, len(times) // 50)), *map(int, expected.get("skin", []))}
    for t in frames:
        scene.frame_set(round(times[t] * scene.render.fps))
        graph = bpy.context.evaluated_depsgraph_get()
        for name, places in expected["nodes"].items():
            object = only_shown(name, shown[name])
            place, wanted = object.matrix_world.translation, numpy.array(places[t])
            found = numpy.array([place])
            if wanted.ndim > 1:
                found = moved(corners(object.evaluated_get(graph)), object.matrix_world)
            elif name in expected["turns"]:
                # The importer turns the frame of each node, as it turns the world.
                own = upright(numpy.vstack([numpy.zeros(3), numpy.eye(3)]), (0, 1, 0))
                found = moved(own, object.matrix_world)
                wanted = axes(wanted, expected["turns"][name][t])
            near(f"{name} at {times[t]} s", found, upright(wanted, up), expected["tolerance"])
        for object in bpy.data.objects:
            size = object.matrix_world.to_scale()
            assert size.length == 0 or min(size) > 0, f"{object.name} is flat: {size}"
        if str(t) in expected.get("skin", []):
            skin = upright(expected["skin"][str(t)], up)
            check_skin(bpy.data.objects, graph, skin, 2 * expected["tolerance"])


faults = []
for each in json.load(open(sys.argv[sys.argv.index("--") + 1])):
    try:
        check(each)
    except Exception as fault:  # of the importer, too
        faults.append(f"{each['file']}: {fault}")
print("\n".join(faults[:20]), file=sys.stderr)
sys.exit(1 if faults else 0)
