"""Shapes that can touch: one function for each type, made from ``taut list shapes``."""

from .registry import documentation, fields_of, list_types, signature_of

__all__ = []


def _make(entry):
    signature = signature_of(entry, [], keyword_only=False, more=("name",))

    def shape(*args, **kwargs):
        return {"type": entry["name"], **fields_of(entry, signature, args, kwargs)}

    shape.__name__ = shape.__qualname__ = entry["name"]
    shape.__doc__ = documentation(entry)
    shape.__signature__ = signature
    return shape


for _entry in list_types("shapes"):
    globals()[_entry["name"]] = _make(_entry)
    __all__.append(_entry["name"])
