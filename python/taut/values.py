"""What scenes are written in: names of bodies, places in them, numbers."""

import math
import os

from . import _taut


class Named:
    """Something of a scene that others refer to by its name."""

    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return f"<{type(self).__name__.lower()} {self.name!r}>"


class Body(Named):
    """A body of a scene. Where a point is expected, it stands for its centre of mass."""

    def at(self, *place):
        """A place in the body's frame: ``rod.at(0.5, 0, 0)``."""
        return {"body": self.name, "at": _three(place, "at")}

    def axis(self, *direction):
        """A direction in the body's frame: ``rod.axis(0, 0, 1)``."""
        return {"body": self.name, "axis": _three(direction, "axis")}


class Constraint(Named):
    """A constraint of a scene. A joint is one, too: motors and limits refer to it."""


class Robot(Named):
    """A robot of a scene."""

    def _full(self, name):
        return f"{self.name}/{name}" if self.name else name

    def joint(self, name):
        """The full name of one of its joints."""
        return self._full(name)

    def link(self, name, *place):
        """A place in the frame of a link; its origin if none is given."""
        return {"link": self._full(name), "at": _three(place or (0, 0, 0), "at")}


class Cloth(Named):
    """A cloth of a scene."""


class Hand(Named):
    """A hand or a stylus of a scene."""


def _three(place, name):
    place = place[0] if len(place) == 1 else place
    place = plain(place, name)
    if not isinstance(place, list) or len(place) != 3:
        raise _taut.Error(f"{name}: found {place!r}, expected x, y, z")
    return place


def plain(value, where):
    """A value as JSON has it. Bodies become their names, arrays become lists."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Named):
        return value.name
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _taut.Error(f"{where}: found {value}, expected a finite number")
        return value
    if isinstance(value, dict):
        return {str(key): plain(item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if hasattr(value, "tolist"):  # an array of NumPy, or one of its numbers
        return plain(value.tolist(), where)
    raise _taut.Error(
        f"{where}: found {value!r}, a {type(value).__name__}, expected what a scene file can hold: "
        "a number, a text, a body, a list or a dict"
    )
