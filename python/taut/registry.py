"""Functions made from the lists of the library: one for each type of constraint, force, shape and
body, with its fields as arguments and in its documentation."""

import inspect
import json

from . import _taut
from .values import plain


def list_types(kind):
    """What ``taut list KIND --json`` prints, as a list of dicts."""
    return json.loads(_taut.list(kind))


def documentation(entry):
    """The summary of a type, and a line for each of its fields."""
    lines = [entry["summary"][:1].upper() + entry["summary"][1:] + ".", ""]
    for p in entry["parameters"]:
        unit = f" {p['unit']}" if p["unit"] else ""
        if p["required"]:
            value = "required" + (f", in{unit}" if unit else "")
        elif "default" in p:
            value = f"default {p['default']}{unit}"
        else:
            value = "optional" + (f", in{unit}" if unit else "")
        text = f": {p['description']}" if p["description"] else ""
        lines.append(f":param {p['name']}: {p['type']} ({value}){text}")
    return "\n".join(lines)


def signature_of(entry, leading, keyword_only, more=()):
    """The arguments of a function that makes such an entry."""
    kind = inspect.Parameter.KEYWORD_ONLY if keyword_only else inspect.Parameter.POSITIONAL_OR_KEYWORD
    arguments = list(leading)
    # Required ones first, as Python wants them.
    for p in sorted(entry["parameters"], key=lambda p: not p["required"]):
        default = inspect.Parameter.empty if p["required"] else None
        arguments.append(inspect.Parameter(p["name"], kind, default=default))
    for name in more:
        arguments.append(inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None))
    return inspect.Signature(arguments)


def fields_of(entry, signature, args, kwargs):
    """The arguments that were given, as a dict that a scene file can hold. Raises Error as the
    reader of scene files does: for a name that is unknown, and for one that is missing."""
    known = list(signature.parameters)
    for name in kwargs:
        if name not in known:
            near = _taut.suggestion(name, [n for n in known if n != "self"])
            raise _taut.Error(f"{entry['name']}: found the unknown argument \"{name}\"{near}")
    try:
        given = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        raise _taut.Error(f"{entry['name']}: {error}") from None
    return {
        name: plain(value, f"{entry['name']}.{name}")
        for name, value in given.items()
        if value is not None and name != "self"
    }
