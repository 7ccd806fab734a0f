"""Many runs at once."""

import json
import os
import pickle
import select
import signal
import sys

from . import _taut
from .comparison import Table
from .running import run
from .scene import Scene


def run_many(scene, vary, measure=None, *, method="", step=None, duration=None, samples=100,
             sampling="latin", seed=1, jobs=None, out=None, progress=None, **arguments):
    """Runs a scene with all combinations of settings, each in a process of its own, and returns a
    table: a dict for each case, in order, as a list that shows itself as a table.

    A case that fails, or whose process dies, is a row with the status "failed" and its reason.

        table = taut.run_many("heavy_chain", {"R": "1:10000:log9", "N": [10, 100]},
                              measure={"error": "energy.max_abs_error",
                                       "lowest": lambda result: result["node10"].position[:, 1].min()})

    :param scene: the name of a scene or a file; or a function that makes a Scene of the settings,
        which it gets as keywords.
    :param vary: for each name its values, a list or an array; or text as of ``taut sweep --set``:
        "1:100:log5", "uniform(0, 1)".
    :param measure: for each column a value of the report, "energy.final" or "sensors.tip.largest", or
        a function of the result; a list of such values; or one function that returns a dict.
    :param samples: of what is random. ``sampling`` is "latin" or "random".
    :param jobs: runs at a time; one per core if not given.
    :param out: a CSV file. What was done is kept beside it, so that the same call goes on after it
        was killed.
    :param progress: True shows it.
    :param arguments: of ``taut.run``.
    """
    if sampling not in ("latin", "random"):
        raise _taut.Error(f"sampling: found {sampling!r}{_taut.suggestion(sampling, ['latin', 'random'])}")
    axes = [f"{name}={_axis_text(name, values)}" for name, values in vary.items()]
    cases = [dict(case) for case in _taut.sweep_cases(axes, samples, sampling, seed)]
    columns = _columns(measure)
    arguments = {"method": method, "step": step, "duration": duration, "verify": False, **arguments}

    def work(case):
        settings = {name: _number(value) for name, value in case.items()}
        made = scene(**settings) if callable(scene) else Scene.load(scene, **settings)
        result = run(made, **arguments)
        return {"status": result.status, "verdict": result.verdict, **_measured(result, columns),
                "reason": result.reason or "; ".join(result.doubts[:1])}

    log = None
    done = {}
    if out is not None:
        place = os.fspath(out) + ".partial"
        log = _taut.ResultLog(place, _taut.sweep_job(_description(scene, cases, columns, arguments)))
        done = {number: json.loads(text) for number, text in log.results.items()}

    def note(number, row):
        done[number] = row
        if log:
            log.add(number, json.dumps(row))

    left = [number for number in range(len(cases)) if number not in done]
    _share_out(left, lambda number: work(cases[number]), note, jobs or _taut.core_count(),
               (lambda: _show(len(done), len(cases))) if progress else None)
    names = []  # of all that was measured: a case that failed has none
    for number in range(len(cases)):
        names += [name for name in done[number] if name not in names and name != "reason"]
    table = Table({**{name: _number(value) for name, value in case.items()},
                   **{name: done[number].get(name) for name in names + ["reason"]}}
                  for number, case in enumerate(cases))
    if out is not None:
        lines = [list(table[0])] + [["" if value is None else str(value) for value in row.values()]
                                    for row in table]
        temporary = os.fspath(out) + ".tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            file.writelines(_taut.csv_line(line) + "\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, out)
        log.remove()
    return table


def _axis_text(name, values):
    if isinstance(values, str):
        return values
    try:
        values = list(values)
    except TypeError:
        values = [values]
    if not values:
        raise _taut.Error(f"vary: found no value of {name}")
    return ",".join(str(value) if isinstance(value, str) else repr(_plain(value)) for value in values)


def _plain(value):
    return value.item() if hasattr(value, "item") else value


def _number(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _columns(measure):
    if measure is None:
        measure = ["steps", "time", "constraint_error.max", "energy.max_abs_error"]
    if isinstance(measure, str):
        measure = [measure]
    if callable(measure):
        return measure
    if not hasattr(measure, "items"):
        measure = {value: value for value in measure}
    return dict(measure)


def _measured(result, columns):
    if callable(columns):
        return {name: _plain(value) for name, value in columns(result).items()}
    return {name: _plain(value(result)) if callable(value) else _value_at(result.to_dict(), value)
            for name, value in columns.items()}


def _value_at(node, way):
    rest = way
    while rest:
        if isinstance(node, list):
            node = {item.get("name", item.get("constraint", str(i))): item
                    for i, item in enumerate(node)}
        # Names may have dots: the longest that fits.
        fitting = [name for name in node if rest == name or rest.startswith(name + ".")] \
            if isinstance(node, dict) else []
        if not fitting:
            known = list(node) if isinstance(node, dict) else []
            raise _taut.Error(f"measure {way}: the report has no \"{rest.split('.')[0]}\""
                              f"{_taut.suggestion(rest.split('.')[0], known)}")
        name = max(fitting, key=len)
        node, rest = node[name], rest[len(name) + 1:]
    return node


def _description(scene, cases, columns, arguments):
    """What tells one job from another, as far as that can be seen."""
    def shown(value):
        if callable(value):
            code = getattr(value, "__code__", None)
            return [getattr(value, "__qualname__", repr(type(value))),
                    code.co_code.hex() + repr(code.co_consts[:0]) + repr(code.co_names) if code else ""]
        return repr(value)

    measures = shown(columns) if callable(columns) else {k: shown(v) for k, v in columns.items()}
    text = scene
    if isinstance(scene, str) and os.path.exists(scene):
        with open(scene, "rb") as file:
            text = file.read().hex()
    return json.dumps([shown(text), cases, measures, {k: shown(v) for k, v in arguments.items()}])


def _share_out(numbers, work, note, jobs, show):
    """Calls work(number) in a child process for each number, and note(number, row) here."""
    waiting, children = list(numbers), {}  # by the pipe: number, process, what it sent
    try:
        while waiting or children:
            while waiting and len(children) < jobs:
                number = waiting.pop(0)
                pipe, process = _start(work, number)
                children[pipe] = (number, process, bytearray())
            ready, _, _ = select.select(list(children), [], [], 0.5)
            for pipe in ready:
                number, process, text = children[pipe]
                if block := os.read(pipe, 1 << 16):
                    text += block
                    continue
                del children[pipe]
                os.close(pipe)
                note(number, _outcome(process, bytes(text)))
            if show:
                show()
    finally:
        for pipe, (_, process, _) in children.items():
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            os.close(pipe)


def _start(work, number):
    sys.stdout.flush()
    sys.stderr.flush()
    reading, writing = os.pipe()
    process = os.fork()
    if process:
        os.close(writing)
        return reading, process
    code = 1
    try:
        if writing != 3:
            os.dup2(writing, 3)
        os.closerange(4, 1 << 16)  # locks of the parent must not live on in children
        try:
            row = work(number)
        except Exception as trouble:  # any: it is a row
            row = {"status": "failed", "reason": str(trouble).replace("\n", " ")}
        text = pickle.dumps(row)
        while text:
            text = text[os.write(3, text):]
        code = 0
    finally:
        os._exit(code)


def _outcome(process, text):
    _, status = os.waitpid(process, 0)
    if os.WIFSIGNALED(status):
        ended = os.WTERMSIG(status)
        return {"status": "failed",
                "reason": f"its process was ended by signal {ended} ({signal.strsignal(ended)})"}
    if os.WEXITSTATUS(status) != 0:
        return {"status": "failed", "reason": "its process ended without a result"}
    return pickle.loads(text)


def _show(done, count):
    bar = "█" * round(30 * done / count)
    print(f"\r{bar:30} {done} of {count}", end="\n" if done == count else "", file=sys.stderr,
          flush=True)
