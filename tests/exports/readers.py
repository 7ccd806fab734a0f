"""Readers of exports that share nothing with taut: of glTF, USD and VTK as far as the checks need
them, and NumPy's and VTK's own."""

import base64
import json
import re
import struct
import xml.etree.ElementTree as xml

import numpy

used = set()  # readers of others that were there


def table(path):
    """Names and numbers of a CSV file."""
    import csv

    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return rows[0], numpy.array([[float(cell) for cell in row] for row in rows[1:]])


class Gltf:
    """A .glb or .gltf: its JSON, and its accessors as arrays."""

    def __init__(self, path):
        data = path.read_bytes()
        if path.suffix == ".glb":
            magic, version, length = struct.unpack_from("<4sII", data)
            assert (magic, version, length) == (b"glTF", 2, len(data))
            size, kind = struct.unpack_from("<I4s", data, 12)
            assert kind == b"JSON"
            self.json = json.loads(data[20 : 20 + size])
            self.binary = data[28 + size :]
        else:
            self.json = json.loads(data)
            from urllib.parse import unquote

            buffers = self.json.get("buffers", [])
            self.binary = b"".join((path.parent / unquote(b["uri"])).read_bytes() for b in buffers)
        assert len(self.binary) == sum(b["byteLength"] for b in self.json.get("buffers", []))

    def array(self, number):
        accessor = self.json["accessors"][number]
        view = self.json["bufferViews"][accessor["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[accessor["type"]]
        kind = {5126: "<f4", 5125: "<u4"}[accessor["componentType"]]
        offset = view["byteOffset"] + accessor["byteOffset"]
        count = accessor["count"] * width
        return numpy.frombuffer(self.binary, kind, count, offset).reshape(-1, width)

    def nodes(self, name):
        """Those directly below the root."""
        children = self.json["nodes"][0]["children"]
        return [i for i in children if self.json["nodes"][i].get("name") == name]

    def motion(self, node, path):
        """Times and values of an animated property."""
        (animation,) = self.json["animations"]
        for channel in animation["channels"]:
            if channel["target"] == {"node": node, "path": path}:
                sampler = animation["samplers"][channel["sampler"]]
                return self.array(sampler["input"])[:, 0], self.array(sampler["output"])
        raise KeyError((node, path))


def numbers(text):
    return numpy.array([float(x) for x in re.findall(r"[-+.\deinfa]+", text)])


class Usd:
    """Prims of a .usda by their paths: their kind, and their attributes as texts or samples."""

    drawn = {"Mesh", "Cube", "Sphere", "Capsule", "Cylinder", "Cone", "BasisCurves"}

    def __init__(self, path):
        text = path.read_text(encoding="utf-8")
        assert text.startswith("#usda 1.0\n(")
        self.prims, self.head = {}, {}
        stack, samples = [], None
        for line in text.split("\n")[1:]:
            line = line.strip()
            prim = re.fullmatch(r'def (\w+) "(\w+)" \(', line)
            if prim:
                stack.append(prim[2])
                key = "/" + "/".join(stack)
                assert key not in self.prims, "a name is there twice"
                self.prims[key] = {"kind": prim[1]}
            elif samples is not None and line == "}":
                samples = None
            elif samples is not None:
                time, value = line.rstrip(",").split(": ", 1)
                samples[float(time)] = numbers(value)
            elif line == "}":
                stack.pop()
            elif line.endswith(".timeSamples = {"):
                samples = {}
                name = line.removesuffix(".timeSamples = {").split()[-1]
                self.prims["/" + "/".join(stack)][name] = samples
            elif " = " in line:
                name, value = line.split(" = ", 1)
                where = self.prims["/" + "/".join(stack)] if stack else self.head
                where[name.split()[-1]] = value
        assert not stack

    def named(self, name):
        wanted = "{ string name = " + json.dumps(name, ensure_ascii=False) + " }"
        below = [prim for path, prim in self.prims.items() if path.count("/") == 2]
        return [prim for prim in below if prim.get("customData") == wanted]


def vtp(path):
    """Points, polygons and named data of a .vtp, from its XML."""
    root = xml.parse(path).getroot()
    assert root.attrib["type"] == "PolyData" and root.attrib["header_type"] == "UInt64"
    piece = root.find("PolyData/Piece")
    kinds = {"Float32": "<f4", "Float64": "<f8", "Int32": "<i4", "Int64": "<i8"}

    def values(array):
        if array.attrib["type"] == "String":
            codes = bytes(int(c) for c in array.text.split())
            return [name.decode() for name in codes.split(b"\0")[:-1]]
        raw = base64.b64decode(array.text, validate=True)
        assert struct.unpack_from("<Q", raw)[0] == len(raw) - 8
        found = numpy.frombuffer(raw, kinds[array.attrib["type"]], -1, 8)
        return found.reshape(-1, int(array.attrib["NumberOfComponents"]))

    data = {a.attrib["Name"]: values(a) for a in piece.find("PointData")}
    points = values(piece.find("Points/DataArray"))
    assert len(points) == int(piece.attrib["NumberOfPoints"])
    cells = {}
    for kind in ("Verts", "Polys"):
        for array in piece.findall(f"{kind}/DataArray"):
            cells[array.attrib["Name"]] = values(array)[:, 0]
    return points, cells, data


def vtp_by_vtk(path):
    """The same by VTK's reader; None where VTK is not installed."""
    try:
        from vtkmodules.util.numpy_support import vtk_to_numpy
        from vtkmodules.vtkIOXML import vtkXMLPolyDataReader
    except ImportError:
        return None
    reader = vtkXMLPolyDataReader()
    reader.SetFileName(str(path))
    reader.Update()
    assert reader.GetErrorCode() == 0
    found = reader.GetOutput()
    data = {}
    for i in range(found.GetPointData().GetNumberOfArrays()):
        array = found.GetPointData().GetAbstractArray(i)
        if array.GetDataTypeAsString() == "string":
            data[array.GetName()] = [array.GetValue(k) for k in range(array.GetNumberOfValues())]
        else:
            data[array.GetName()] = vtk_to_numpy(array)
    points = found.GetPoints()
    places = vtk_to_numpy(points.GetData()) if points else numpy.zeros((0, 3))
    return places, found.GetNumberOfCells(), data


def pvd(path):
    """Times and files of a collection, by the names of its parts."""
    parts = {}
    for each in xml.parse(path).getroot().findall("Collection/DataSet"):
        parts.setdefault(each.attrib["name"], []).append(
            (float(each.attrib["timestep"]), path.parent / each.attrib["file"])
        )
    return parts
