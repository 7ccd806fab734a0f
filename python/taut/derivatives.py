"""Derivatives of runs: sensitivities, gradients, fits, and functions for PyTorch and JAX."""

import collections.abc
import os

from . import _taut
from .scene import Scene
from .simulation import option_texts

Change = collections.namedtuple("Change", "time what of is_edge")
Change.__doc__ = "Where what acts changed in a run; at an edge the derivative is one-sided."


class _Derivative:
    """How derivatives were found, and what speaks against them."""

    def __init__(self, found):
        #: Why the derivatives may be wrong or one-sided, a sentence each.
        self.doubts = list(found["doubts"])
        #: What speaks against the run itself.
        self.run_doubts = list(found["run_doubts"])
        #: Impacts, stops and contacts on the way, in order.
        self.changes = [Change(**change) for change in found["changes"]]
        #: How many steps there were, and how many of them went by the implicit function theorem,
        #: by differences of single steps, and by differences of whole stretches.
        self.steps = found["steps"]
        self.by_theorem = found["by_theorem"]
        self.by_steps = found["by_steps"]
        self.by_stretches = found["by_stretches"]

    @property
    def is_trusted(self):
        """Whether nothing speaks against the derivatives."""
        return not self.doubts


class Sensitivities(_Derivative):
    """Sensors over time with their derivatives.

    ``values[k, s]`` is sensor ``sensors[s]`` at ``times[k]``, and ``slopes[k, s, c]`` its
    derivative with respect to ``columns[c]``. ``end_q`` and ``end_v`` are the state at the end;
    ``end_q_slopes[:, c]`` and ``end_v_slopes[:, c]`` its derivatives per velocity: of rigid bodies
    small turns in the body's frame. ``forces`` and ``force_slopes`` are multipliers at the end,
    with ``forces=True``.
    """

    def __init__(self, found):
        super().__init__(found)
        for name in ("columns", "sensors", "times", "values", "slopes", "end_q", "end_v",
                     "end_q_slopes", "end_v_slopes"):
            setattr(self, name, found[name])
        self.forces = found.get("forces")
        self.force_slopes = found.get("force_slopes")

    def __repr__(self):
        return (f"<taut.Sensitivities of {', '.join(self.sensors) or 'the end'} with respect to "
                f"{', '.join(self.columns)}>")


class Gradient(_Derivative):
    """A number of a run and its derivatives: ``gradient["mass"]``, or ``gradient.parameters`` in
    the order in which they were asked for.

    ``start_q`` and ``start_v`` are those with respect to the initial state, per velocity, with
    ``initial_state=True``. ``is_adjoint`` says whether they were found backwards, and ``states``
    how many states were held for it.
    """

    def __init__(self, found, names):
        super().__init__(found)
        self.value = found["value"]
        self.names = list(names)
        self.parameters = found["parameters"]
        self.start_q, self.start_v = found["start_q"], found["start_v"]
        self.is_adjoint, self.states = found["is_adjoint"], found["states"]

    def __getitem__(self, name):
        if name not in self.names:
            raise _taut.Error(f"\"{name}\" was not asked for, only {', '.join(self.names)}")
        return float(self.parameters[self.names.index(name)])

    def __repr__(self):
        parts = ", ".join(f"{n}: {float(g):.6g}" for n, g in zip(self.names, self.parameters))
        return f"<taut.Gradient of {self.value:.6g}: {parts}>"


class Fit:
    """Fitted parameters: ``fit["mass"]``, and ``fit.errors["mass"]`` its standard error."""

    def __init__(self, found):
        self.converged, self.status = found["converged"], found["status"]
        self.values = {one["name"]: one["value"] for one in found["parameters"]}
        self.errors = {one["name"]: one["error"] for one in found["parameters"]}
        #: Parameters that reached a bound.
        self.at_bounds = [one["name"] for one in found["parameters"] if one["is_at_bound"]]
        self.covariance, self.rms = found["covariance"], found["rms"]
        self.iterations, self.doubts = found["iterations"], list(found["doubts"])
        #: The fitted run at the measured times: ``model[k, c]`` of ``columns[c]`` at ``times[k]``.
        self.times, self.columns, self.model = found["times"], found["columns"], found["model"]

    def __getitem__(self, name):
        if name not in self.values:
            raise _taut.Error(f"\"{name}\" was not fitted, only {', '.join(self.values)}")
        return self.values[name]

    def __repr__(self):
        parts = ", ".join(f"{n} = {v:.6g} ± {self.errors[n]:.2g}" for n, v in self.values.items())
        return f"<taut.Fit {self.status}: {parts}>"


def _names(wrt):
    if isinstance(wrt, str):
        return [name.strip() for name in wrt.split(",")]
    return [str(name) for name in wrt]


def _sensors(of):
    """Names and formulas from a name, a list of them, or a dict."""
    if of is None:
        return []
    if isinstance(of, str):
        return [(of, of)]
    if isinstance(of, collections.abc.Mapping):
        return [(str(name), str(formula)) for name, formula in of.items()]
    return [(str(one), str(one)) for one in of]


def _derived(scene, wrt, sensors, method, step, duration, record_every, options, start):
    if not isinstance(scene, Scene):
        scene = Scene.load(scene)

    def read(settings):
        given, scene._settings = scene._settings, {**scene._settings, **settings}
        try:
            return scene._read()
        finally:
            scene._settings = given

    wanted = _taut.Derived()
    wanted.read = read
    wanted.method = method or ""
    wanted.method_options = option_texts(options)
    wanted.step = None if step is None else float(step)
    wanted.duration = None if duration is None else float(duration)
    wanted.record_every = record_every
    wanted.start = start or ""
    known = scene._info()["sensors"]
    wanted.sensors = [(name, formula) for name, formula in sensors if name not in known]
    wanted.parameters = _names(wrt)
    return wanted


def sensitivities(scene, wrt, sensors=None, method="", step=None, duration=None, *, values=None,
                  record_every=None, options=None, start="", initial_state=False, forces=False):
    """Derivatives of sensors over time, and of the end, with respect to parameters and inputs.

    :param scene: a Scene, or what ``Scene.load`` takes.
    :param wrt: names of parameters or inputs, as a list or with commas between.
    :param sensors: besides the scene's: quantities such as "bob.x", a list, or a dict of names and
        formulas.
    :param values: of the parameters, instead of the scene's.
    :param initial_state: derivatives with respect to the initial state, too.
    :param forces: derivatives of the constraint forces at the end, too.
    """
    wanted = _derived(scene, wrt, _sensors(sensors), method, step, duration, record_every, options,
                      start)
    wanted.values = [] if values is None else [float(value) for value in values]
    wanted.initial_state, wanted.forces = bool(initial_state), bool(forces)
    return Sensitivities(_taut.sensitivities(wanted))


def gradient(scene, of, wrt=(), method="", step=None, duration=None, *, sensors=None, values=None,
             record_every=None, options=None, start="", initial_state=False):
    """The derivatives of one number of a run: by the adjoint, whose cost does not depend on how
    many parameters there are.

    ``taut.gradient("pendulum", "bob.y", ["L", "g"])`` is that of a sensor at the end. ``of`` may
    also be a function of the times and the values of ``sensors`` at them, values[k, s], that
    returns the number and its derivatives with respect to the values, an array as large.

    :param of: a sensor, a formula, or a function.
    :param wrt: names of parameters or inputs.
    :param sensors: what a function is given; as of ``sensitivities``.
    :param initial_state: derivatives with respect to the initial state, too.
    """
    is_function = callable(of)
    # What is asked for comes last, under a name of its own.
    more = _sensors(sensors) if is_function else [*_sensors(sensors), ("_of_", of)]
    wanted = _derived(scene, wrt, more, method, step, duration, record_every, options, start)
    if not is_function:
        wanted.record_every = 2**40  # the end alone
    wanted.values = [] if values is None else [float(value) for value in values]
    wanted.initial_state = bool(initial_state)
    return Gradient(_taut.gradient(wanted, of if is_function else None), wanted.parameters)


def fit(scene, measured, vary, method="", step=None, *, sensors=None, bounds=None,
        deviations=None, options=None, start="", max_iterations=50, progress=None):
    """Parameters from measured values, as ``taut fit``.

    :param measured: a CSV file, or a dict of arrays: "t", and columns named as sensors.
    :param vary: names of parameters or inputs to be found.
    :param sensors: besides the scene's, a dict of names and formulas.
    :param bounds: of parameters, a dict of (low, high); None: none.
    :param deviations: standard deviations of columns, a dict.
    :param progress: a function of the iteration, the rms of what is left, and the values.
    """
    if isinstance(measured, collections.abc.Mapping):
        table = _taut.MeasuredTable()
        columns = [name for name in measured if name not in ("t", "time")]
        times = measured["t"] if "t" in measured else measured.get("time")
        if times is None or not columns:
            raise _taut.Error("measured: expected \"t\" and at least one column of values")
        table.times = [float(t) for t in times]
        if any(not b > a for a, b in zip(table.times, table.times[1:])):
            raise _taut.Error("measured: expected increasing times")
        if any(len(measured[name]) != len(table.times) for name in columns):
            raise _taut.Error("measured: columns must be as long as the times")
        table.columns = columns
        table.values = [[float(measured[name][k]) for name in columns]
                        for k in range(len(table.times))]
    else:
        table = _taut.read_measured(os.fspath(measured))
    formulas = dict(_sensors(sensors))
    for column in table.columns:
        formulas.setdefault(column, column)
    wanted = _derived(scene, vary, list(formulas.items()), method, step, None, None, options,
                      start)
    limits = []
    for name in wanted.parameters:
        low, high = (bounds or {}).get(name, (None, None))
        limits.append((-float("inf") if low is None else float(low),
                       float("inf") if high is None else float(high)))
    known = [float((deviations or {}).get(column, 0)) for column in table.columns]
    return Fit(_taut.fit(wanted, table, limits, known, int(max_iterations), progress))


def differentiable(scene, wrt, sensors, method="", step=None, duration=None, *, backend="torch",
                   record_every=None, options=None, start=""):
    """A function of parameters that PyTorch or JAX can differentiate.

    It takes a tensor with one number for each name in ``wrt``, and returns the sensors over time,
    a tensor of times × sensors: ``taut.differentiable("pendulum", ["L", "g"], ["bob.x"])``.

    :param backend: "torch" or "jax".
    """
    names = _names(wrt)
    shown = [name for name, _ in _sensors(sensors)]

    def compute(values):
        found = sensitivities(scene, names, sensors, method, step, duration, values=values,
                              record_every=record_every, options=options, start=start)
        if found.doubts:
            import warnings

            warnings.warn("; ".join(found.doubts), stacklevel=3)
        chosen = [list(found.sensors).index(name) for name in shown]
        return found.values[:, chosen], found.slopes[:, chosen, :]

    if backend == "torch":
        return _torch_function(compute)
    if backend == "jax":
        return _jax_function(compute)
    raise _taut.Error(f"backend: found \"{backend}\", expected \"torch\" or \"jax\"")


def _torch_function(compute):
    try:
        import torch
    except ImportError:
        raise _taut.Error("PyTorch is not installed: pip install torch") from None

    class Run(torch.autograd.Function):
        @staticmethod
        def forward(context, parameters):
            values, slopes = compute(parameters.detach().cpu().double().numpy())
            context.save_for_backward(torch.as_tensor(slopes).to(parameters))
            return torch.as_tensor(values).to(parameters)

        @staticmethod
        def backward(context, weights):
            (slopes,) = context.saved_tensors
            return torch.einsum("ks,ksp->p", weights, slopes)

    return Run.apply


def _jax_function(compute):
    try:
        import jax
    except ImportError:
        raise _taut.Error("JAX is not installed: pip install jax") from None
    import numpy

    @jax.custom_vjp
    def run(parameters):
        return jax.numpy.asarray(compute(numpy.asarray(parameters, dtype=float))[0])

    def forward(parameters):
        values, slopes = compute(numpy.asarray(parameters, dtype=float))
        return jax.numpy.asarray(values), jax.numpy.asarray(slopes)

    def backward(slopes, weights):
        return (jax.numpy.einsum("ks,ksp->p", weights, slopes),)

    run.defvjp(forward, backward)
    return run
