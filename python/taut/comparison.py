"""Methods side by side."""

from html import escape

from . import _taut
from .registry import list_types
from .running import run
from .scene import Scene


class Table(list):
    """A list of dicts that shows itself as a table."""

    def to_pandas(self):
        """The same as a DataFrame, where pandas is installed."""
        import pandas

        return pandas.DataFrame(list(self))

    def _cells(self):
        names = list(self[0]) if self else []
        return names, [[_text(row[name]) for name in names] for row in self]

    def __str__(self):
        names, rows = self._cells()
        widths = [max(map(len, column)) for column in zip(names, *rows)]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                         for row in [names, *rows])

    def _repr_html_(self):
        names, rows = self._cells()
        head = "".join(f"<th>{escape(name)}</th>" for name in names)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
                       for row in rows)
        return f"<table><tr>{head}</tr>{body}</table>"


def compare(scene, methods=None, steps=None, duration=None, **arguments):
    """Runs a scene with several methods and steps: a dict for each run, in a list that shows itself
    as a table. Ctrl-C raises KeyboardInterrupt.

    :param methods: their names; all if not given. A method that cannot be used raises.
    :param steps: s, each; the scene's if not given.
    :param arguments: of ``taut.run``.
    """
    if not isinstance(scene, Scene):
        scene = Scene.load(scene)
    if methods is None:
        methods = [entry["name"] for entry in list_types("methods")]
    elif isinstance(methods, str):
        methods = [methods]
    if steps is None or isinstance(steps, (int, float)):
        steps = [steps]
    arguments.setdefault("verify", False)
    table = Table()
    for method in methods:
        for step in steps:
            result = run(scene, method, step, duration, **arguments)
            if result.status == "interrupted":
                raise KeyboardInterrupt
            table.append(_row(result))
    return table


def _row(result):
    row = {
        "method": result.method,
        "step": result.step,
        "status": result.status,
        "verdict": result.verdict,
        "constraint_error": result.constraint_error.max,
        "energy_error": result.energy.max_abs_error if result.energy.conservative else None,
        "microseconds_per_step": result.cost.microseconds_per_step,
        "linear_solves": result.cost.linear_solves,
        "iterations": result.cost.iterations,
        "seconds": result.cost.wall_seconds,
    }
    if "reference_deviation" in result:
        row["deviation"] = result.reference_deviation.max
    return row


def _text(value):
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
