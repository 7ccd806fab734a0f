"""Methods of Scene, one for each type of the registries: scene.hinge(...), scene.rigid_body(...)."""

import inspect

from . import _taut
from .registry import documentation, fields_of, list_types, signature_of
from .scene import Scene
from .values import Body, Cloth, Constraint, Hand, Robot

_SELF = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
_NAME = inspect.Parameter("name", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None)


def _method(entry, name, signature, add):
    def method(self, *args, **kwargs):
        return add(self, fields_of(entry, signature, (self, *args), kwargs))

    method.__name__ = name
    method.__qualname__ = f"Scene.{name}"
    method.__doc__ = documentation(entry)
    method.__signature__ = signature
    if name in vars(Scene):
        raise TypeError(f"taut.Scene.{name} exists already")
    setattr(Scene, name, method)


def _of_constraint(entry):
    def add(scene, fields):
        name = fields.pop("name", None) or scene._new_name(entry["name"])
        scene._add("constraints", {"type": entry["name"], "name": name, **fields})
        return Constraint(name)

    _method(entry, entry["name"], signature_of(entry, [_SELF], False, more=("name",)), add)


def _of_force(entry):
    def add(scene, fields):
        scene._add("forces", {"type": entry["name"], **fields})

    _method(entry, entry["name"], signature_of(entry, [_SELF], False, more=("name",)), add)


# Where a type is put in a scene file, what else it has there, and what stands for it in Python.
_PARTS = {
    "particle": ("bodies", ("shapes",), Body),
    "rigid": ("bodies", ("shapes",), Body),
    "robot": ("robots", ("joints",), Robot),
    "cloth": ("cloths", ("pins",), Cloth),
    "hand": ("hands", ("keyframes",), Hand),
    "stylus": ("styluses", ("keyframes",), Hand),
}


def _of_part(entry):
    kind = entry["name"]
    section, more, stands_for = _PARTS[kind]
    is_body = section == "bodies"
    if is_body:
        more += ("at",)  # the same as position

    def add(scene, fields):
        if "at" in fields:
            if "position" in fields:
                raise _taut.Error(f"{kind}: found both at and position, expected one of them")
            fields["position"] = fields.pop("at")
        name = fields.pop("name", None)
        if name is None and kind != "robot":
            scene._change()
            name = scene._new_name("body" if is_body else kind)
        item = {"type": kind} if is_body else {}
        if name is not None:
            item["name"] = name
        scene._add(section, {**item, **fields})
        return stands_for(name or "")

    method_name = "rigid_body" if kind == "rigid" else kind
    signature = signature_of(entry, [_SELF, _NAME], True, more)
    if is_body:  # given as "at", or else the reader says that it is missing
        signature = signature.replace(parameters=[
            p.replace(default=None) if p.name == "position" else p
            for p in signature.parameters.values()])
    _method(entry, method_name, signature, add)


for _entry in list_types("constraints"):
    _of_constraint(_entry)
for _entry in list_types("forces"):
    _of_force(_entry)
for _entry in list_types("parts"):
    _of_part(_entry)
