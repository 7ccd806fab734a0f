"""Reports: what is known of a run."""

import json
from html import escape


class Report:
    """The report of a run, with the words of ``report.json``: ``report.energy.final``,
    ``report.verdict``, ``report.doubts``. Numbers that are not finite are None."""

    def __init__(self, fields):
        self._fields = fields

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return _shown(self._fields[name])
        except KeyError:
            raise AttributeError(
                f"the report has no {name!r}; it has {', '.join(self._fields)}") from None

    def __getitem__(self, name):
        return _shown(self._fields[name])

    def __contains__(self, name):
        return name in self._fields

    def __iter__(self):
        return iter(self._fields)

    def __dir__(self):
        return [*super().__dir__(), *self._fields]

    @property
    def is_trusted(self):
        """Whether nothing speaks against the result."""
        return not self._fields["doubts"]

    def to_dict(self):
        """All of it, as plain dicts and lists."""
        return json.loads(json.dumps(self._fields))

    def __repr__(self):
        if "verdict" not in self._fields:
            return f"Report({self._fields!r})"
        f = self._fields
        head = (f"{f['scene']} with {f['method']}: {f['steps']} steps, {f['time']:.6g} s, "
                f"{f['status']}, {f['verdict']}")
        lines = [head, *([f"  {f['reason']}"] if f["reason"] else [])]
        return "\n".join(lines + [f"  {doubt}" for doubt in f["doubts"]])

    def _repr_html_(self):
        f = self._fields
        error, energy = f["constraint_error"], f["energy"]
        rows = [
            ("status", f["status"] + (f": {f['reason']}" if f["reason"] else "")),
            ("verdict", "<br>".join([escape(f["verdict"]), *map(escape, f["doubts"])])),
            ("steps", f"{f['steps']} of {f['step']} s, {f['time']:.6g} s simulated"),
            ("constraint error", f"max {_number(error['max'])}, final {_number(error['final'])}"),
            ("energy", f"{_number(energy['initial'])} J → {_number(energy['final'])} J"),
            ("cost", f"{_number(f['cost']['microseconds_per_step'])} µs per step"),
        ]
        cells = "".join(
            f"<tr><th>{name}</th><td>{text if name == 'verdict' else escape(text)}</td></tr>"
            for name, text in rows)
        return f"<p><b>{escape(f['scene'])}</b> with {escape(f['method'])}</p><table>{cells}</table>"


def _number(value):
    return "not finite" if value is None else f"{value:.4g}"


def _shown(value):
    if isinstance(value, dict):
        return Report(value)
    if isinstance(value, list):
        return [_shown(item) for item in value]
    return value
