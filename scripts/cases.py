#!/usr/bin/env python3
"""Runs scenes under several methods and prints what each says of itself and how far off it is.

    scripts/cases.py FOLDER [--taut PROGRAM] [--seconds S] [--only NAME …]

The scenes are all JSON files of the folder, and a few built-in ones with redundant rows. The true
motion is taken from the scene's automatic method with a quarter of the step; `agrees` says how well
that is known, from half the step. Exit code 1: a run is trusted, and more than 0.2 % of the size of
its motion off at the end.
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

METHODS = ["auto", "icd2", "energy_momentum", "energy_momentum 4", "dop853", "rk4_projected"]
PARAMETERS = {"sc_fourbar": [["s=6e-4"], ["s=1e-6"]]}
BUILT_IN = [("n_four_bar_hinges", ["N=2", f"d={d}"]) for d in (0.03, 0.02, 0.008)] + [
    ("n_four_bar_hinges", ["N=40"]), ("n_four_bar", ["N=40"])]
WRONG = 2e-3


class Run:
    """One run of the program: its report, and where the bodies are at the end."""

    def __init__(self, taut, scene, settings, method, seconds, step=None, compare=True):
        self.report, self.start, self.end = None, None, None
        with tempfile.TemporaryDirectory() as folder:
            command = [taut, "run", scene, "--json", "--out", folder]
            for setting in settings:
                command += ["--set", setting]
            name, _, order = method.partition(" ")
            command += ["--method", name] + (["--set", f"method.order={order}"] if order else [])
            command += ["--step", repr(step)] if step else []
            command += [] if compare else ["--no-verify"]
            try:
                done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
            except subprocess.TimeoutExpired:
                return
            if not done.stdout:
                sys.exit(f"{' '.join(command)}: {done.stderr}")
            self.report = json.loads(done.stdout)
            with open(pathlib.Path(folder) / "trajectory.csv") as file:
                rows = csv.reader(file)
                header, first = next(rows), next(rows)
                last = first
                for last in rows:
                    pass
            places = [i for i, name in enumerate(header) if name[-2:] in (".x", ".y", ".z")]
            self.start = [float(first[i]) for i in places]
            self.end = [float(last[i]) for i in places]

    def distance(self, other):
        largest = 0.0
        for i in range(0, len(self.end), 3):
            largest = max(largest, math.dist(self.end[i:i + 3], other.end[i:i + 3]))
        return largest

    def size(self):
        """How far bodies are apart, or go."""
        every = self.start + self.end
        return max(max(every[k::3]) - min(every[k::3]) for k in range(3))


def digits(error):
    return "15" if error <= 1e-15 else str(max(0, math.floor(-math.log10(error))))


def look_at(taut, scene, settings, seconds):
    label = " ".join([pathlib.Path(scene).stem, *settings])
    plain = Run(taut, scene, settings, "auto", seconds)
    if plain.report is None:
        print(f"{label:<28} auto: not finished in {seconds:g} s", flush=True)
        return 0
    step, duration = plain.report["step"], plain.report["time"]
    truth = Run(taut, scene, settings, "auto", 8 * seconds, 0.25 * step, False)
    half = Run(taut, scene, settings, "auto", 8 * seconds, 0.5 * step, False)
    known = truth.end and half.end and plain.end
    size = truth.size() if known else 0
    agrees = digits(truth.distance(half) / size) if known and size > 0 else "-"
    print(f"{label}: {duration:g} s in steps of {step:g} s, {plain.report['method']} by itself; "
          f"truth agrees to {agrees} digits")
    wrong = 0
    for method in METHODS:
        run = plain if method == "auto" else Run(taut, scene, settings, method, seconds)
        if run.report is None:
            print(f"  {method:<18} not finished in {seconds:g} s", flush=True)
            continue
        report = run.report
        verdict = report["verdict"] if report["status"] == "ok" else report["status"]
        error = run.distance(truth) / size if known and size > 0 else math.nan
        compared = report.get("verification")
        claimed = digits(compared["relative_error"]) if compared else "-"
        is_wrong = verdict == "trusted" and error > WRONG
        wrong += is_wrong
        reason = (report.get("doubts") or [""])[0]
        print(f"  {method:<18} {verdict:<9} digits {claimed:>2}  error {error:8.1e}  energy "
              f"{report['energy']['final']:12.6g} J  {'WRONG ' if is_wrong else ''}{reason[:70]}",
              flush=True)
    return wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--taut", default="build/release/bin/taut")
    arguments.add_argument("--seconds", type=float, default=60, help="longest time for a run")
    arguments.add_argument("--only", nargs="*", help="names of scenes")
    given = arguments.parse_args()
    cases = [(str(file), settings) for file in sorted(given.folder.glob("*.json"))
             for settings in PARAMETERS.get(file.stem, [[]])] + BUILT_IN
    wrong = 0
    for scene, settings in cases:
        if not given.only or pathlib.Path(scene).stem in given.only:
            wrong += look_at(given.taut, scene, settings, given.seconds)
    print(f"{wrong} wrong and trusted")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
