"""Writes type stubs for editors, ``__init__.pyi`` and ``shapes.pyi``, from the package itself:

python3 -m taut.stubs FOLDER
"""

import inspect
import os
import sys
import textwrap

HEADER = '''"""{doc}"""
# Written by taut.stubs.
from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import ArrayLike, NDArray
{more}
Number = float | str
Vector = ArrayLike | Sequence[Number]
Motion = dict[str, Any]
'''

# The words of ``taut list`` as types.
_TYPES = {
    "number": "Number", "whole number": "int | str", "true or false": "bool", "text": "str",
    "vector": "Vector", "point": "Place", "direction": "Vector | dict[str, Any]",
    "body": "Body | str", "joint": "Constraint | str", "formula": "str",
    "number or motion": "Number | Motion", "vector or motion": "Vector | Motion",
    "curve": "dict[str, Any]", "inertia": "ArrayLike", "object": "dict[str, Any]",
    "orientation": "Vector | dict[str, Any]", "3 or 4 particles": "Sequence[Body | str]",
}


# What functions of the package give back, where an editor can go on with it.
_RESULTS = {
    "__init__": "None", "Scene.load": "Scene", "Scene.parse": "Scene", "run": "Result",
    "compare": "Table", "Scene.to_json": "str", "Scene.to_dict": "dict[str, Any]",
    "Scene.input": "str", "Scene.sensor": "str", "Scene.parameter": "str", "Scene.save": "None",
    "Scene.check": "Scene", "Simulation.step": "None", "Simulation.advance": "int",
    "Simulation.joint": "tuple[float, float]",
}


def annotation(word):
    """The type of a field by its word in ``taut list``: "number ≥ 0", "length | squared"."""
    word = word.removesuffix(" > 0").removesuffix(" ≥ 0")
    if word.startswith("list"):
        return "Sequence[Any]"
    if word not in _TYPES and " | " in word:
        return "str"  # a choice
    return _TYPES.get(word, "Any")


def _arguments(signature, words):
    parts, is_keyword = [], False
    for p in signature.parameters.values():
        if p.kind is p.KEYWORD_ONLY and not is_keyword:
            parts.append("*")
            is_keyword = True
        if p.name == "self":
            parts.append("self")
            continue
        hint = words.get(p.name, "str" if p.name == "name" else "Any")
        parts.append(f"{p.name}: {hint}" if p.default is p.empty else f"{p.name}: {hint} | None = None")
    return ", ".join(parts)


def _generated(function, entry, result, indent):
    words = {p["name"]: annotation(p["type"]) for p in entry["parameters"]}
    words |= {"at": "Vector", "shapes": "Sequence[dict[str, Any]]"} if result == "Body" else {}
    text = f"def {function.__name__}({_arguments(function.__signature__, words)}) -> {result}:\n"
    doc = textwrap.indent(f'"""{function.__doc__}\n"""', "    ")
    return textwrap.indent(f"{text}{doc}\n    ...\n", indent)


def _plain_function(function, indent="", kind=""):
    name = function.__qualname__
    result = _RESULTS.get(name) or _RESULTS.get(function.__name__ if "__" in name else "", "Any")
    try:
        signature = inspect.signature(function)
    except ValueError:
        return ""
    arguments, kinds = [], [p.kind for p in signature.parameters.values()]
    for i, p in enumerate(signature.parameters.values()):
        if p.kind is p.KEYWORD_ONLY and kinds[i - 1] not in (p.KEYWORD_ONLY, p.VAR_POSITIONAL):
            arguments.append("*")
        text = str(p.replace(annotation=p.empty, default=p.empty))
        arguments.append(text + ("=..." if p.default is not p.empty else ""))
        if p.kind is p.POSITIONAL_ONLY and kinds[i + 1:i + 2] != [p.POSITIONAL_ONLY]:
            arguments.append("/")
    doc = inspect.getdoc(function) or ""
    body = textwrap.indent(f'"""{doc}"""', "    ") + "\n    ...\n" if doc else "    ...\n"
    return textwrap.indent(f"{kind}def {function.__name__}({', '.join(arguments)}) -> {result}:\n{body}",
                           indent)


_SPECIAL = ("__init__", "__getitem__", "__setitem__", "__getattr__", "__iter__", "__len__",
            "__contains__")


def _class(cls, generated):
    # What it has of bases that are not for users counts as its own.
    hidden = [base for base in cls.__bases__ if base.__name__.startswith("_")]
    bases = [base.__name__ for base in cls.__bases__ if base is not object and base not in hidden]
    members = {name: member for each in (*hidden, cls) for name, member in vars(each).items()}
    doc = inspect.getdoc(cls) or ""
    lines = [f"class {cls.__name__}{'(' + ', '.join(bases) + ')' if bases else ''}:",
             textwrap.indent(f'"""{doc}"""', "    ")]
    for name, member in members.items():
        if name in generated:
            lines.append(_generated(member, *generated[name], "    "))
        elif isinstance(member, property):
            lines.append(f"    @property\n    def {name}(self) -> Any:\n"
                         f'        """{(member.__doc__ or "").strip()}"""\n        ...\n')
            if member.fset:
                lines.append(f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...\n")
        elif isinstance(member, classmethod):
            lines.append(_plain_function(member.__func__, "    ", "@classmethod\n"))
        elif inspect.isfunction(member) and (not name.startswith("_") or name in _SPECIAL):
            lines.append(_plain_function(member, "    "))
    if len(lines) == 2:
        lines.append("    ...")
    return "\n".join(lines) + "\n"


def package_stub():
    """The text of __init__.pyi."""
    import taut
    from taut.scene_methods import _PARTS

    generated = {e["name"]: (e, "Constraint") for e in taut.list_constraints()}
    generated |= {e["name"]: (e, "None") for e in taut.list_forces()}
    for entry in taut.list_types("parts"):
        name = "rigid_body" if entry["name"] == "rigid" else entry["name"]
        generated[name] = (entry, _PARTS[entry["name"]][2].__name__)
    parts = [HEADER.format(doc=taut.__doc__, more="\nfrom . import formula as formula\n"
                           "from . import shapes as shapes\n"),
             "Place = Body | str | Vector | dict[str, Any]\n", "__version__: str\n_taut: Any\n",
             "class Named:\n    name: str\n"]
    for name in taut.__all__:
        thing = getattr(taut, name)
        if inspect.isclass(thing) and issubclass(thing, Exception):
            base = "Exception" if thing is taut.Error else "Error"
            parts.append(f'class {name}({base}):\n    """{thing.__doc__}"""\n')
        elif inspect.isclass(thing):
            parts.append(_class(thing, generated if thing is taut.Scene else {}))
        elif inspect.isfunction(thing):
            parts.append(_plain_function(thing))
    return "\n".join(parts)


def shapes_stub():
    """The text of shapes.pyi."""
    import taut

    parts = [HEADER.format(doc=taut.shapes.__doc__, more="")]
    for entry in taut.list_shapes():
        parts.append(_generated(getattr(taut.shapes, entry["name"]), entry, "dict[str, Any]", ""))
    return "\n".join(parts)


def main(folder):
    for name, text in (("__init__.pyi", package_stub()), ("shapes.pyi", shapes_stub())):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main(sys.argv[1])
