"""Whole runs."""

import json
import sys

from . import _taut
from .report import Report
from .scene import Scene
from .simulation import BodyState, Forces, Sensors, _name, _unknown, option_texts


class Result(Report):
    """A run: its report, and what was recorded, a row for each of ``times``.

    ``result.q`` and ``result.v`` have all bodies, ``result["bob"].position`` one of them, and
    ``result.forces["rod"]`` a constraint, if forces were recorded.
    """

    def __init__(self, fields, run):
        super().__init__(fields)
        self.times, self.q, self.v = run["times"], run["q"], run["v"]
        self.method_reason = run["reason"]
        self._slots = {slot[0]: slot for slot in run["slots"]}
        self._forces = Forces(run["rows"], run["forces"]) if "forces" in run else None
        self._sensors = Sensors([(name, unit, run["sensors"][:, i])
                                 for i, (name, unit) in enumerate(run["sensor_names"])])

    def __getitem__(self, body):
        """A body over time, or a part of the report by its name."""
        name = _name(body)
        if name in self._slots:
            return BodyState(self._slots[name], self.q, self.v)
        if name in self._fields:
            return super().__getitem__(name)
        raise _unknown("body", name, self._slots)

    @property
    def sensors(self):
        """The scene's sensors over time, by name: an array as long as ``times`` for each."""
        return self._sensors

    @property
    def bodies(self):
        """The names of the bodies."""
        return list(self._slots)

    @property
    def forces(self):
        """What constraints exerted over time, by name. Only of ``run(…, forces=True)``."""
        if self._forces is None:
            raise _taut.Error("no forces were recorded: run(…, forces=True) records them")
        return self._forces

    def plot(self, *bodies, **arguments):
        """Draws it with matplotlib: see ``taut.plot``."""
        from .plotting import plot

        return plot(self, *bodies, **arguments)


def run(scene, method="", step=None, duration=None, *, tolerance=None, record_every=None,
        record_interval=None, options=None, forces=False, verify=None, start="", solver="auto",
        contact_solver="exact", progress=None):
    """Runs a scene as ``taut run`` does, and judges it.

    Ctrl-C ends the run: the result then has the status "interrupted", and what was recorded so far.

    :param scene: a Scene, or what ``Scene.load`` takes.
    :param method: instead of the scene's; "auto" chooses.
    :param step: s, instead of the scene's.
    :param duration: s, instead of the scene's.
    :param tolerance: largest error of a step; steps are then chosen on the way.
    :param record_every: records each such step, instead of the scene's.
    :param record_interval: s between records, with a tolerance.
    :param options: of the method, a dict.
    :param forces: True: records the forces of constraints, which cost about as much as the steps.
    :param verify: a largest error, relative to the scene's size, that a second run with half the
        step has to confirm; None: compares where that is cheap; False: never.
    :param progress: True shows it; or a function of the part that is done, 0 to 1, and the time.
    """
    if not isinstance(scene, Scene):
        scene = Scene.load(scene)
    read = scene._read()
    wanted = _taut.Wanted()
    wanted.method = method or ""
    wanted.method_options = option_texts(options)
    for name, value in (("step", step), ("duration", duration), ("tolerance", tolerance),
                        ("record_interval", record_interval)):
        setattr(wanted, name, None if value is None else float(value))
    wanted.record_every = record_every
    wanted.start, wanted.solver, wanted.contact_solver = start or "", solver, contact_solver
    wanted.forces = bool(forces)
    wanted.compares = verify is not False
    if verify is not None and verify is not False:
        if not float(verify) > 0:
            raise _taut.Error(f"verify: found {verify}, expected a number > 0")
        wanted.verify = float(verify)
    shown = _Progress(scene) if progress is True else None
    try:
        made = _taut.run(read, wanted, shown or progress or None)
    finally:
        if shown:
            shown.close()
    return Result(json.loads(made["report"]), made)


class _Progress:
    """A line that moves, on standard error."""

    def __init__(self, scene):
        self._label = scene.name
        self._is_shown = False

    def __call__(self, fraction, time):
        done = min(1.0, max(0.0, fraction))
        bar = "█" * round(30 * done)
        print(f"\r{self._label} {bar:30} {100 * done:3.0f} %, t = {time:.4g} s", end="",
              file=sys.stderr, flush=True)
        self._is_shown = True

    def close(self):
        if self._is_shown:
            print(file=sys.stderr)
