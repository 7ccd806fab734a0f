"""A simulation that is driven step by step."""

import json
import os
from collections.abc import Mapping

import numpy as np

from . import _taut
from .report import Report
from .scene import Scene
from .values import Named


class BodyState:
    """A body at the present state. Its arrays show the memory of the simulation: they change with
    every step, and cannot be written to."""

    __slots__ = ("name", "is_rigid", "_q", "_v")

    def __init__(self, slot, q, v):
        self.name, at_q, at_v, self.is_rigid = slot
        self._q = q[..., at_q:at_q + (7 if self.is_rigid else 3)]
        self._v = v[..., at_v:at_v + (6 if self.is_rigid else 3)]

    @property
    def position(self):
        """Where its centre of mass is, m."""
        return self._q[..., :3]

    @property
    def velocity(self):
        """Of its centre of mass, m/s."""
        return self._v[..., :3]

    @property
    def orientation(self):
        """Of a rigid body: its unit quaternion w, x, y, z."""
        self._require_rigid()
        return self._q[..., 3:]

    @property
    def body_rate(self):
        """Of a rigid body: its angular velocity in its own frame, rad/s."""
        self._require_rigid()
        return self._v[..., 3:]

    @property
    def rotation(self):
        """Of a rigid body: the matrix that turns its frame into the world's, a copy."""
        w, x, y, z = np.moveaxis(self.orientation, -1, 0)
        rows = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
        return np.moveaxis(np.array(rows), (0, 1), (-2, -1))

    @property
    def angular_velocity(self):
        """Of a rigid body: its angular velocity in the world, rad/s, a copy."""
        return np.einsum("...ij,...j->...i", self.rotation, self.body_rate)

    def _require_rigid(self):
        if not self.is_rigid:
            raise _taut.Error(f"found the particle \"{self.name}\", expected a rigid body")

    def __repr__(self):
        return f"<body {self.name!r} at {self.position}>"


class Bodies(Mapping):
    """The bodies of a simulation by name."""

    def __init__(self, slots, q, v):
        self._slots = {slot[0]: slot for slot in slots}
        self._q, self._v = q, v

    def __getitem__(self, body):
        name = _name(body)
        if name not in self._slots:
            raise _unknown("body", name, self._slots)
        return BodyState(self._slots[name], self._q, self._v)

    def __iter__(self):
        return iter(self._slots)

    def __len__(self):
        return len(self._slots)


class Forces(Mapping):
    """What constraints exert, by name: their multipliers λ, one for each row, in N (N·m where a row
    is an angle). ``forces.all`` has those of all rows; the last axis counts the rows."""

    def __init__(self, rows, forces):
        self._rows = {name: (first, count, unit) for name, first, count, unit in rows}
        self.all = forces

    def __getitem__(self, constraint):
        name = _name(constraint)
        if name not in self._rows:
            raise _unknown("constraint", name, self._rows)
        first, count, _ = self._rows[name]
        return self.all[..., first:first + count]

    def unit(self, constraint):
        """Of the first row of a constraint."""
        return self._rows[_name(constraint)][2]

    def __iter__(self):
        return iter(self._rows)

    def __len__(self):
        return len(self._rows)


class Inputs(Mapping):
    """The inputs of a scene by name: ``sim.inputs["throttle"] = 0.5`` holds from the next step on."""

    def __init__(self, stepper):
        self._stepper = stepper
        self._known = {each[0]: each[1:] for each in stepper.inputs()}

    def __getitem__(self, name):
        return self._stepper.input(name)

    def __setitem__(self, name, value):
        self._stepper.set_input(name, float(value))

    def __iter__(self):
        return iter(self._known)

    def __len__(self):
        return len(self._known)

    def info(self, name):
        """Unit, description, start, min and max of an input, a dict."""
        self._stepper.input(name)  # says what is wrong with the name
        return dict(zip(("unit", "description", "start", "min", "max"), self._known[name]))

    def __repr__(self):
        return repr(dict(self))


class Sensors(Mapping):
    """Sensors by name: their values at one state, or over a run."""

    def __init__(self, values):
        self._values = {name: value for name, _, value in values}
        self._units = {name: unit for name, unit, _ in values}

    def __getitem__(self, name):
        if name not in self._values:
            raise _unknown("sensor", name, self._values)
        return self._values[name]

    def unit(self, name):
        """Of a sensor; "" where it has none."""
        self[name]
        return self._units[name]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __repr__(self):
        return repr(self._values)


class Simulation:
    """A scene that is simulated step by step.

    ``sim.step()`` does one step, ``sim.advance(seconds)`` many. ``sim.q`` and ``sim.v`` are the
    state: NumPy arrays that show the memory of the simulation, without a copy. They change with
    every step, stay valid as long as anybody has them, and cannot be written to: ``sim.q = …``
    moves bodies. A step that cannot be done raises ``taut.Diverged``, which is a ``taut.Error``.

    One thread at a time may use a simulation; others run while a step works.
    """

    def __init__(self, scene, method="", step=None, *, options=None, start="", solver="auto",
                 contact_solver="exact"):
        """:param scene: a Scene, or what ``Scene.load`` takes.
        :param method: instead of the scene's; "auto" chooses. See ``taut.list_methods()``.
        :param step: s, instead of the scene's.
        :param options: of the method, a dict.
        :param start: "settle" or "as_is": what to do with a start that violates the constraints.
        """
        if not isinstance(scene, Scene):
            scene = Scene.load(scene)
        self._controllers = []
        self._laws = [arguments[-1] for add, arguments in scene._laws if add == "add_force_law"]
        self._stepper = _taut.simulate(scene._read(), method or "", step, option_texts(options),
                                       start or "", solver, contact_solver)
        self._slots = self._stepper.slots()
        self._rows = self._stepper.rows()

    # Stepping --------------------------------------------------------------------------------

    def step(self, h=None):
        """One step, of another length if h is given, in s. Controllers are called before it. Raises
        ``taut.Diverged`` where the simulation cannot go on."""
        for controller in self._controllers:
            controller(self)
        self._stepper.step(h)

    def advance(self, seconds):
        """Steps until that time has passed; the last step is shortened if necessary. Returns how
        many steps it took."""
        h, seconds = self.step_size, float(seconds)
        if not 0 < seconds <= 1e12 * h:
            raise _taut.Error(f"advance: found {seconds}, expected a number > 0, at most 1e12 steps")
        end, steps = self.time + seconds, 0
        while (left := end - self.time) > 1e-6 * h:
            self.step(left if left < (1 - 1e-6) * h else None)
            steps += 1
        return steps

    def save(self, path):
        """Writes all that the steps to come need to a file. This simulation goes on with what was
        written, so that it and one that is restored do the same, bit for bit. What Python's own
        functions remember is not in it."""
        self._stepper.save(os.fspath(path))

    @classmethod
    def restore(cls, path, scene, *arguments, **keywords):
        """A simulation that goes on where another one was saved. Scene, method, step and options
        must be those of that one, and taut the same build: ``Simulation.restore("a.state",
        "two_link", method="icd2")``."""
        simulation = cls(scene, *arguments, **keywords)
        simulation._stepper.restore(os.fspath(path))
        return simulation

    # State -----------------------------------------------------------------------------------

    time = property(lambda self: self._stepper.time, doc="Simulated so far, s.")
    steps = property(lambda self: self._stepper.steps, doc="Done so far.")
    step_size = property(lambda self: self._stepper.step_size, doc="Of a step, s.")
    method = property(lambda self: self._stepper.method, doc="The method that steps.")
    method_reason = property(lambda self: self._stepper.method_reason,
                             doc="Why \"auto\" chose that method.")
    name = property(lambda self: self._stepper.name, doc="Of the scene.")
    energy = property(lambda self: self._stepper.energy, doc="Kinetic and potential, J.")
    v = property(lambda self: self._stepper.v,
                 doc="How fast all bodies are: 3 numbers for a particle, 6 for a rigid body (its "
                     "velocity, and its angular velocity in its own frame).")

    @property
    def q(self):
        """Where all bodies are: 3 numbers for a particle, 7 for a rigid body (position, quaternion
        w x y z). Assign to it to move bodies; their velocities stay."""
        return self._stepper.q

    @q.setter
    def q(self, places):
        self._stepper.put(places)

    @property
    def bodies(self):
        """The bodies by name: ``sim.bodies["bob"].position``."""
        return Bodies(self._slots, self.q, self.v)

    # What acts -------------------------------------------------------------------------------

    @property
    def forces(self):
        """What the constraints exert at this state. It costs about a step, once per state."""
        return Forces(self._rows, self._stepper.forces())

    @property
    def contacts(self):
        """The contacts that press, a structured array: the numbers ``a`` and ``b`` of the bodies
        (−1: the world), ``point``, ``normal`` (from b to a), ``gap``, ``force`` on a, ``slip``,
        ``torque``."""
        return self._stepper.contacts()[0]

    @property
    def contact_names(self):
        """The names of the two shapes of each contact."""
        return self._stepper.contacts()[1]

    @property
    def joints(self):
        """Of each joint: its coordinates with their rates, and the force and torque in it."""
        return {
            name: {"coordinates": coordinates, "force": np.array(force), "torque": np.array(torque)}
            for name, (coordinates, force, torque) in self._stepper.joints().items()
        }

    def joint(self, name):
        """The coordinate of a joint and its rate, which costs little; "joint.turn" where a joint
        has several."""
        return self._stepper.joint(_name(name))

    @property
    def sensors(self):
        """The scene's sensors at this state, by name. Those of forces cost about a step."""
        return Sensors(self._stepper.sensors())

    # Acting on it ----------------------------------------------------------------------------

    @property
    def inputs(self):
        """The scene's inputs by name: ``sim.inputs["throttle"] = 0.5``, between two steps."""
        return Inputs(self._stepper)

    def apply_force(self, body, force, at=(0, 0, 0), torque=(0, 0, 0)):
        """A force on a body during the next step, and only then.

        :param force: N, in the world's directions.
        :param at: where it acts, in the frame of a rigid body.
        :param torque: N·m on a rigid body, in the world's directions.
        """
        self._stepper.apply_force(_name(body), force, [float(x) for x in at], torque)

    def apply_joint_torque(self, joint, torque):
        """A torque in a joint (a force in one that slides) during the next step, and only then."""
        self._stepper.apply_joint_torque(_name(joint), float(torque))

    def controller(self, function):
        """Calls ``function(sim)`` before each step: it looks at the state and applies forces, which
        are constant during the step. Also as a decorator, ``@sim.controller``."""
        if not callable(function):
            raise _taut.Error(f"controller: found {function!r}, expected a function of the simulation")
        self._controllers.append(function)
        return function

    # Judging it ------------------------------------------------------------------------------

    @property
    def report(self):
        """What is known of the run so far, with the verdict that it would have if it ended here."""
        return Report(json.loads(self._stepper.report()))

    def __repr__(self):
        return f"<taut.Simulation of {self.name!r} with {self.method}, t = {self.time:.6g} s>"

    def _repr_html_(self):
        return self.report._repr_html_()


def option_texts(options):
    """Options of a method as the library reads them: text."""
    texts = {}
    for name, value in (options or {}).items():
        if isinstance(value, bool):
            value = "true" if value else "false"
        texts[str(name)] = value if isinstance(value, str) else repr(value)
    return texts


def _name(thing):
    return thing.name if isinstance(thing, (Named, BodyState)) else str(thing)


def _unknown(kind, name, known):
    near = _taut.suggestion(name, list(known)) if len(known) <= 50 else ""
    return _taut.Error(f"found the {kind} \"{name}\", expected one of the scene{near}")
