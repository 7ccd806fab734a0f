#!/usr/bin/env python3
"""Instructions per step of two builds, as valgrind counts them: other load does not matter.

    scripts/count_steps.py OLD NEW [--run] [--only TEXT …] [--limit 1.03]

OLD and NEW are the bin folders of two builds, each with count_bench (bench/count_bench.cpp; copy it
into a checkout that has none) and taut. Of each case a run of twice the length is compared with one
of the length: what is left is what steps cost without the start. `--run` counts `taut run` instead
of the steps of the method alone: with metrics, and with what the verdict needs. Exit code 1: a case
costs more than the limit allows.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

CHAINS = ["icd", "icd2", "energy_momentum", "implicit1", "implicit2"]
LINKS = CHAINS + ["rk4_projected", "dop853", "fast_projection", "rattle", "lagrange"]
CASES = (
    [("two_link", method, 0.01, 200, []) for method in LINKS]
    + [("ten_link", method, 0.001, 200, []) for method in LINKS]
    + [("heavy_chain", method, 1 / 60, 60, ["N=100"]) for method in CHAINS[:3]]
    + [("heavy_chain", method, 1 / 60, 20, ["N=1000"]) for method in CHAINS[:3]]
    + [("hinge_chain", method, 1e-3, 60, ["N=10", "R=1"]) for method in LINKS]
    + [("hinge_chain", method, 1e-3, 20, ["N=100", "R=1"]) for method in LINKS]
    + [("rigid_chain", method, 1e-3, 20, ["N=100", "R=1"]) for method in LINKS]
    + [("cloth", method, h, steps, [f"n={n}", f"edge={edge}"])
       for n, steps in ((41, 8), (71, 4)) for edge in (0, 1)
       for method, h in (("fast_projection", 1e-3), ("implicit1", 1e-3), ("icd2", 4e-3))]
)


def instructions(command):
    with tempfile.TemporaryDirectory() as folder:
        counted = subprocess.run(
            ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *command],
            capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", counted.stderr)
    if not found:
        raise RuntimeError(counted.stderr[-400:])
    return int(found.group(1)), counted.stdout


def per_step(folder, case, whole_run):
    scene, method, h, steps, settings = case
    counts = []
    for number in (steps, 2 * steps):
        if whole_run:
            command = [folder / "taut", "run", scene, "--method", method, "--step", repr(h),
                       "--duration", repr(number * h), "--quiet"]
            command += [word for setting in settings for word in ("--set", setting)]
            if "--no-verify" in subprocess.run([folder / "taut", "run", "--help"],
                                               capture_output=True, text=True).stdout:
                command += ["--no-verify"]
        else:
            command = [folder / "count_bench", scene, method, repr(h), str(number), *settings]
        counts.append(instructions([str(word) for word in command])[0])
    return (counts[1] - counts[0]) / steps


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("old", type=pathlib.Path)
    arguments.add_argument("new", type=pathlib.Path)
    arguments.add_argument("--run", action="store_true", help="count taut run")
    arguments.add_argument("--only", nargs="*", help="cases whose line contains this")
    arguments.add_argument("--limit", type=float, default=1.03)
    given = arguments.parse_args()
    above = 0
    print(f"{'case':<44} {'old':>13} {'new':>13}  ratio   instructions per step")
    for case in CASES:
        label = f"{case[0]} {' '.join(case[4])} {case[1]}".replace("  ", " ")
        if given.only and not any(text in label for text in given.only):
            continue
        try:
            old, new = (per_step(folder, case, given.run) for folder in (given.old, given.new))
        except RuntimeError as error:
            print(f"{label:<44} {error}", flush=True)
            continue
        ratio = new / old
        above += ratio > given.limit
        print(f"{label:<44} {old:13.0f} {new:13.0f}  {ratio:.3f}"
              f"{'   above' if ratio > given.limit else ''}", flush=True)
    print(f"{above} above {given.limit}")
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())
