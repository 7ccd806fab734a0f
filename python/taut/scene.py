"""Scenes: built in ones, files, and those that are made here."""

import copy
import json
import os

from . import _taut
from .formula import trace
from .values import Named, plain

_VERSION = 1  # of the format of scene files


class Scene:
    """What to simulate: bodies, forces, constraints, and how.

    ``Scene.load("two_link")`` takes a built-in scene or a file, ``Scene("name")`` is an empty one.
    There is one method for each type of body, constraint and force; ``taut.list_constraints()`` and
    its like tell which. What is said here is what a scene file says: ``save`` writes one.
    """

    def __init__(self, name="scene", *, title="", method=None, step=None, duration=None):
        self._json = {"taut": _VERSION, "name": name}
        if title:
            self._json["title"] = title
        self._origin = name
        self._settings = {}
        self._loaded = None  # the name or path, as long as nothing was changed
        self._laws = []  # what is written in Python: (how to add it, its arguments)
        self._known = None
        self._counts = {}
        for key, value in (("method", method), ("step", step), ("duration", duration)):
            if value is not None:
                self._set_simulation(key, value)

    # Reading ---------------------------------------------------------------------------------

    @classmethod
    def load(cls, name_or_path, /, **parameters):
        """A built-in scene or robot by its name, a JSON file, or a robot's file.

        The arguments set parameters of the scene: ``Scene.load("chain", N=100)``. Raises
        ``taut.Error`` with the message of the command line.
        """
        scene = cls()
        scene._loaded = scene._origin = os.fspath(name_or_path)
        scene._settings = _settings(parameters)
        scene._json = None  # read when something is to be changed
        scene._info()
        return scene

    @classmethod
    def parse(cls, scene, /, origin="scene", **parameters):
        """A scene from JSON text, or from a dict with the same keys. ``origin`` stands for the file
        in messages, and other files are looked for in its folder."""
        made = cls()
        if isinstance(scene, str):
            _taut.parse(scene, origin, _settings(parameters))  # its messages have line and column
            made._json = json.loads(scene)
        else:
            made._json = plain(dict(scene), "scene")
        made._origin = origin
        made._settings = _settings(parameters)
        made._info()
        return made

    def _read(self):
        """A fresh scene of the library, for one simulation."""
        if self._loaded is not None:
            read = _taut.load(self._loaded, self._settings)
        else:
            read = _taut.parse(json.dumps(self._json), self._origin, self._settings)
        for add, arguments in self._laws:
            getattr(read, add)(*arguments)
        return read

    def _info(self):
        if self._known is None:
            self._known = json.loads(self._read().describe())
        return self._known

    def check(self):
        """Reads the scene as a simulation will. Raises ``taut.Error`` where something is wrong with
        it; returns the scene."""
        self._known = None
        self._info()
        return self

    # What it is ------------------------------------------------------------------------------

    name = property(lambda self: self._info()["name"], doc="Its name.")
    title = property(lambda self: self._info()["title"], doc="One line.")
    description = property(lambda self: self._info()["description"], doc="What it is for.")
    parameters = property(lambda self: dict(self._info()["parameters"]),
                          doc="Its parameters, with the values in force.")
    bodies = property(lambda self: list(self._info()["bodies"]), doc="The names of its bodies.")
    constraints = property(lambda self: list(self._info()["constraints"]),
                           doc="The names of its constraints.")
    joints = property(lambda self: list(self._info()["joints"]), doc="The names of its joints.")
    ignored = property(lambda self: list(self._info()["ignored"]),
                       doc="What has no effect in files of robots, a line for each kind.")
    not_simulated = property(lambda self: list(self._info()["not_simulated"]),
                             doc="What makes the motion another one than in files of robots.")

    def _get_simulation(self, key):
        if self._loaded is None and self._json.get("simulation", {}).get(key) is not None:
            return self._json["simulation"][key]
        return self._info()[key]

    def _set_simulation(self, key, value):
        self._change().setdefault("simulation", {})[key] = plain(value, key)

    method = property(lambda self: self._get_simulation("method"),
                      lambda self, value: self._set_simulation("method", value),
                      doc="The method that runs it, or \"auto\".")
    step = property(lambda self: self._get_simulation("step"),
                    lambda self, value: self._set_simulation("step", value),
                    doc="The time step, s.")
    duration = property(lambda self: self._get_simulation("duration"),
                        lambda self, value: self._set_simulation("duration", value),
                        doc="How long a run takes, in s of the scene.")
    record_every = property(lambda self: self._get_simulation("record_every"),
                            lambda self, value: self._set_simulation("record_every", value),
                            doc="A run records each such step.")

    def to_dict(self):
        """The scene as a scene file has it. What is written in Python cannot be in a file."""
        if self._laws:
            raise _taut.Error(
                "this scene has constraints or forces that are written in Python, which a scene "
                "file cannot hold"
            )
        scene = copy.deepcopy(self._json if self._loaded is None else self._text())
        for name, value in self._settings.items():
            scene.get("parameters", {}).get(name, {})["value"] = float(value)
        return scene

    def to_json(self, indent=2):
        """The text of a scene file."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)

    def save(self, path):
        """Writes a scene file. Other files that it refers to stay where they are."""
        scene = self.to_dict()
        here = os.path.dirname(os.path.abspath(self._origin))
        there = os.path.dirname(os.path.abspath(path))
        if here != there:
            _move_references(scene, here, there)
        text = json.dumps(scene, indent=2, ensure_ascii=False) + "\n"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def _text(self):
        """The content of what was loaded."""
        text = _taut.builtin_text(self._loaded)
        if text is None:
            if not self._loaded.endswith(".json"):
                raise _taut.Error(
                    f"{self._loaded}: found a robot by itself, which cannot be changed: make a "
                    "scene with it, scene.robot(file=…)"
                )
            with open(self._loaded, encoding="utf-8") as file:
                text = file.read()
        return json.loads(text)

    # Making it -------------------------------------------------------------------------------

    def _change(self):
        """Its JSON, which is about to be changed."""
        if self._loaded is not None:
            self._json = self._text()
            self._loaded = None
        self._known = None
        return self._json

    def _add(self, section, item):
        self._change().setdefault(section, []).append(item)

    def _new_name(self, kind, taken=()):
        """As the reader of scene files names what has no name: distance0, distance1, …"""
        while True:
            number = self._counts.get(kind, 0)
            self._counts[kind] = number + 1
            name = f"{kind}{number}"
            if name not in taken and all(
                item.get("name") != name
                for items in self._json.values() if isinstance(items, list)
                for item in items if isinstance(item, dict)
            ):
                return name

    def shape(self, shape):
        """Adds a shape that does not move to the world: ``scene.shape(taut.shapes.plane())``."""
        self._add("shapes", plain(shape, "shape"))

    def material(self, name, **properties):
        """A material of shapes: density, friction, restitution, …"""
        self._add("materials", {"name": name, **plain(properties, "material")})

    def material_pair(self, first, second, **properties):
        """What holds where two materials touch: friction, restitution."""
        self._add("material_pairs",
                  {"materials": [first, second], **plain(properties, "material_pair")})

    def parameter(self, name, value, *, unit=None, description=None, min=None, max=None,
                  integer=None):
        """A number that ``Scene.load(…, name=value)`` can change later. Returns the expression
        that stands for it."""
        fields = {"value": value, "unit": unit, "description": description, "min": min, "max": max,
                  "integer": integer}
        self._change().setdefault("parameters", {})[name] = {
            key: plain(item, name) for key, item in fields.items() if item is not None
        }
        return f"={name}"

    def input(self, name, value=0, *, unit=None, description=None, min=None, max=None):
        """A number that is set from outside while the scene runs: ``sim.inputs[name] = …``, or a
        slider of the viewer. Formulas may use it. Returns the expression that stands for it."""
        fields = {"name": name, "value": value, "unit": unit, "description": description,
                  "min": min, "max": max}
        self._add("inputs", {key: plain(item, name) for key, item in fields.items()
                             if item is not None})
        return f"={name}"

    def sensor(self, name, value, *, unit=None, description=None):
        """A formula over what can be known of a run, such as ``"=distance(a, b)"``; ``taut list
        sensors`` tells what there is. ``result.sensors[name]`` has it over time, and
        ``sim.sensors[name]`` now. Returns the name."""
        fields = {"name": name, "value": value if value.startswith("=") else f"={value}",
                  "unit": unit, "description": description}
        self._add("sensors", {key: item for key, item in fields.items() if item is not None})
        return name

    def constraint(self, formula=None, *, points, name=None):
        """A constraint formula = 0, by your own formula of the places of up to four points.

        ``formula(x, …, t)`` gets the place of each point, an array of three, and, if it takes one
        more argument, the time. It is called once, with symbols: what it calculates is written
        down, and evaluated later without Python, with exact derivatives. So it may use
        arithmetic, the functions of NumPy and of ``taut.formula``, and loops, but no ``if`` that
        depends on a place. Several numbers are several constraints. As a decorator:

            @scene.constraint(points=[bead])
            def on_ellipsoid(x):
                return np.sqrt((x[0] / 2) ** 2 + x[1] ** 2 + x[2] ** 2) - 1
        """
        if formula is None:
            return lambda function: self.constraint(function, points=points, name=name)
        places = _points(points)
        name = name or getattr(formula, "__name__", "formula")
        name = self._new_name("formula") if name == "<lambda>" else name
        if not 1 <= len(places) <= 4:
            raise _taut.Error(f"constraint: found {len(places)} points, expected 1 to 4")
        rows = trace(formula, len(places))
        for i, (program, result) in enumerate(rows):
            full = name if len(rows) == 1 else f"{name}/{i}"
            self._add_law("add_formula", (full, places, program, result))
        return formula

    def force_law(self, law=None, *, points):
        """A force by your own law: ``law(x, v, t)`` gets places and velocities of the points, a row
        for each, and gives a row of force for each, in N.

        It is called whenever a method asks for forces, several times in a step of some. Implicit
        methods do not know its derivatives. As a decorator: ``@scene.force_law(points=[bob])``.
        """
        if law is None:
            return lambda function: self.force_law(function, points=points)
        if not callable(law):
            raise _taut.Error(f"force_law: found {law!r}, expected a function law(x, v, t)")
        self._add_law("add_force_law", (_points(points), law))
        return law

    def _add_law(self, add, arguments):
        self._known = None
        self._laws.append((add, arguments))
        try:
            self._info()  # says at once what is wrong with it
        except _taut.Error:
            self._laws.pop()
            raise

    # Seeing it -------------------------------------------------------------------------------

    def view(self, **arguments):
        """Opens it in the viewer: see ``taut.view``."""
        from .viewing import view

        return view(self, **arguments)

    def __repr__(self):
        return f"<taut.Scene {self._origin!r}>"

    def _repr_html_(self):
        from html import escape

        info = self._info()
        rows = [("bodies", len(info["bodies"])), ("constraints", len(info["constraints"])),
                ("step", f"{info['step']} s"), ("duration", f"{info['duration']} s"),
                ("method", info["method"])]
        rows += [(name, f"{value:g}") for name, value in info["parameters"].items()]
        cells = "".join(f"<tr><th>{escape(str(name))}</th><td>{escape(str(value))}</td></tr>"
                        for name, value in rows)
        title = f": {escape(info['title'])}" if info["title"] else ""
        return f"<p><b>{escape(info['name'])}</b>{title}</p><table>{cells}</table>"


_FILES = ("urdf", "file", "mesh", "motion", "sizes")  # keys that name files


def _move_references(part, here, there):
    """Names of files that were relative to one folder become relative to another one."""
    for key, value in part.items() if isinstance(part, dict) else enumerate(part):
        if isinstance(value, (dict, list)):
            _move_references(value, here, there)
        elif key in _FILES and isinstance(value, str):
            path = os.path.join(here, value)
            if not os.path.isabs(value) and os.path.isfile(path):
                part[key] = os.path.relpath(path, there)


def _settings(parameters):
    """Parameters as the command line has them: text, which the library reads."""
    settings = {}
    for name, value in parameters.items():
        value = plain(value, name)
        if isinstance(value, bool):
            value = int(value)
        if not isinstance(value, (int, float, str)):
            raise _taut.Error(f"{name}: found {value!r}, expected a number")
        settings[name] = value if isinstance(value, str) else repr(value)
    return settings


def _points(points):
    """Bodies and places, as the library takes them: (name of the body or "", place in it)."""
    if isinstance(points, (str, dict, Named)):
        points = [points]
    found = []
    for point in points:
        point = plain(point, "points")
        if isinstance(point, str):
            found.append((point, [0.0, 0.0, 0.0]))
        elif isinstance(point, dict) and "body" in point and set(point) <= {"body", "at"}:
            found.append((point["body"], _numbers(point.get("at", [0, 0, 0]))))
        elif isinstance(point, list):
            found.append(("", _numbers(point)))
        else:
            raise _taut.Error(
                f"points: found {point!r}, expected a body, body.at(x, y, z), or [x, y, z]")
    return found


def _numbers(place):
    try:
        return [float(number) for number in place]
    except (TypeError, ValueError):
        raise _taut.Error(f"points: found {place!r}, expected three numbers") from None
