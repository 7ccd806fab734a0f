"""taut: systems whose parts must satisfy exact geometric constraints.

    import taut

    result = taut.run("two_link", method="rattle")
    print(result.verdict, result["node1"].position[-1])

See docs/python.md.
"""

from . import formula, shapes
from ._taut import Diverged, Error, __version__
from .comparison import Table, compare
from .derivatives import Fit, Gradient, Sensitivities, differentiable, fit, gradient, sensitivities
from .plotting import plot
from .registry import list_types
from .report import Report
from .running import Result, run
from .scene_methods import Scene  # with a method for each type
from .simulation import Simulation
from .sweeping import run_many
from .values import Body, Cloth, Constraint, Hand, Robot
from .viewing import view

__all__ = [
    "Body", "Cloth", "Constraint", "Diverged", "Error", "Fit", "Gradient", "Hand", "Report",
    "Result", "Robot", "Scene", "Sensitivities", "Simulation", "Table", "__version__", "compare",
    "differentiable", "fit", "formula", "gradient", "list_constraints", "list_forces",
    "list_methods", "list_robots", "list_scenes", "list_shapes", "plot", "run", "run_many", "sensitivities",
    "shapes", "view",
]


def list_scenes():
    """The built-in scenes with their parameters: a list of dicts, as of ``taut list --json``."""
    return list_types("scenes")


def list_robots():
    """The built-in robots with their parameters."""
    return list_types("robots")


def list_methods():
    """The methods with their options."""
    return list_types("methods")


def list_constraints():
    """The types of constraints with their fields."""
    return list_types("constraints")


def list_forces():
    """The types of forces with their fields."""
    return list_types("forces")


def list_shapes():
    """The types of shapes with their fields."""
    return list_types("shapes")
