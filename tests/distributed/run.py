"""Runs cloth on one, two and three processes, and compares with the normal program; and what must be
refused.

    run.py --taut build/release/bin/taut --mpirun mpirun"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

arguments = argparse.ArgumentParser()
arguments.add_argument("--taut", required=True)
arguments.add_argument("--mpirun", default="mpirun")
arguments.add_argument("--only", default="", help="the name of a test")
arguments = arguments.parse_args()

# Who waits lets others run: there may be fewer cores than processes.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_mpi_yield_when_idle="1", OMPI_MCA_hwloc_base_binding_policy="none")
failures = []


def expect(holds, text):
    if not holds:
        failures.append(text)
        print("FAILED:", text, flush=True)


def taut(words, processes=0):
    """With 0 processes: the normal program."""
    command = [arguments.taut] + words
    if processes > 0:
        command = [arguments.mpirun, "--oversubscribe", "-n", str(processes)] + command
        command += ["--engine", "petsc"]
    return subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT, timeout=300)


def table(folder):
    with open(folder / "trajectory.csv") as file:
        rows = list(csv.reader(file))
    return rows[0], [[float(x) for x in row] for row in rows[1:]]


def largest_difference(a, b):
    return max(abs(x - y) for r, s in zip(a, b) for x, y in zip(r, s))


SCENES = pathlib.Path(tempfile.mkdtemp())

TWO_CLOTHS = {
    "taut": 1, "name": "two_cloths",
    "cloths": [
        {"name": "sail", "grid": {"columns": 12, "rows": 15, "width": 0.6, "height": 0.8},
         "shear_stiffness": 5, "shear_damping": 0.001, "bending_stiffness": 1e-5,
         "wind": [1, 0, 2],
         "pins": [{"part": "top", "displacement":
                   {"type": "formula", "value": ["=0.02*(cos(3*t)-1)", 0, "=0.05*sin(2*t)"]}}]},
        {"name": "flag", "grid": {"columns": 9, "rows": 6, "width": 0.5, "height": 0.3,
                                  "origin": [2, 0, 0], "pattern": "crossed"},
         "pins": [{"part": "top"}, {"part": "bottom_right", "until": 0.05}]}],
    "forces": [{"type": "gravity"}, {"type": "drag", "linear": 0.0001}],
    "simulation": {"step": 0.002, "duration": 0.1},
}
(SCENES / "two_cloths.json").write_text(json.dumps(TWO_CLOTHS))


def run_to(name, words, processes, folder):
    words = ["run"] + words + ["--out", str(folder), "--quiet"]
    if processes == 0:
        words += ["--no-verify", "--set", "method.fallback=none", "--method", "fast_projection"]
    done = taut(words, processes)
    expect(done.returncode == 0,
           f"{name} on {processes}: exit {done.returncode}: {done.stdout[-800:]} {done.stderr[-800:]}")
    return done.returncode == 0


def compare(name, words, tolerance, loose):
    """With tight solves the results are those of the normal program, whatever the number of
    processes; with rough ones, nearly."""
    for how, settings, most in [
            ("tight", ["--set", "method.solve_tolerance=1e-11", "--set", "method.strain=1e-6"],
             tolerance),
            ("rough", [], loose)]:
        if most is None:
            continue
        folder = pathlib.Path(tempfile.mkdtemp())
        if not run_to(name, words + settings, 0, folder / "0"):
            continue
        names, truth = table(folder / "0")
        moved = largest_difference([truth[0]], [truth[-1]])
        report = json.loads((folder / "0" / "report.json").read_text())
        for ends in ["cut", "overlap"]:
            for processes in [1, 2, 3]:
                to = folder / f"{processes}{ends}"
                if not run_to(name, words + settings + ["--yarn-ends", ends], processes, to):
                    continue
                found_names, found = table(to)
                expect(found_names == names, f"{name}: the columns differ")
                expect([r[0] for r in found] == [r[0] for r in truth], f"{name}: the times differ")
                off = largest_difference(truth, found)
                print(f"{name}, {how}, {processes} {ends}: off by {off:.2g} of {moved:.2g}",
                      flush=True)
                expect(off <= most * moved,
                       f"{name}, {how}, {processes} {ends}: off by {off:.3g} of {moved:.3g}")
                own = json.loads((to / "report.json").read_text())
                for key in ["initial", "final"]:
                    energies = own["energy"][key], report["energy"][key]
                    scale = abs(report["energy"]["initial"] - report["energy"]["final"]) + 1e-9
                    expect(abs(energies[0] - energies[1]) <= max(most, 1e-9) * 10 * scale,
                           f"{name}, {how}, {processes} {ends}: energy {key} {energies}")
                expect(own["verdict"] == report["verdict"],
                       f"{name}, {how}: verdict {own['verdict']}, not {report['verdict']}: "
                       f"{own['doubts']}")
                expect(len(own["processes"]) == processes, f"{name}: costs of {processes}")


def test_cloth():
    compare("cloth", ["cloth", "n=32", "tilt=0.3", "edge=1", "--step", "0.002", "--duration", "0.1"],
            1e-10, 2e-2)


def test_buckling():
    # A flat sheet that falls on two corners buckles: differences grow a hundredfold in a step.
    compare("buckling cloth", ["cloth", "n=24", "--step", "0.002", "--duration", "0.008"], 1e-7, None)


def test_stiff():
    # Forces that a step does not resolve: the free step solves for them.
    compare("stiff cloth", ["cloth", "n=16", "tilt=0.3", "edge=1", "shear=2000", "bending=0.001",
                            "--step", "0.002", "--duration", "0.06"], 2e-2, 2e-2)


def test_two_cloths():
    compare("two cloths", [str(SCENES / "two_cloths.json")], 1e-5, 5e-3)


def test_corners():
    # Held at two corners, vertices there are under more tension than the step resolves: without
    # Newton's method behind it the projection gained energy, and was trusted.
    words = ["run", "cloth", "n=50", "tilt=0.3", "--step", "0.002", "--duration", "0.2", "--json", "--quiet"]
    normal = json.loads(taut(words + ["--method", "fast_projection", "--no-verify"]).stdout)
    published = json.loads(taut(words + ["--method", "fast_projection", "--no-verify", "--set",
                                         "method.fallback=none"]).stdout)
    expect(published["energy"]["max_abs_error"] > 5 * normal["energy"]["max_abs_error"],
           "corners: the scene does not need it")
    report = json.loads(taut(words, 1).stdout)
    print(f"corners: energy error {report['energy']['max_abs_error']:.2g} J, normal "
          f"{normal['energy']['max_abs_error']:.2g} J, published "
          f"{published['energy']['max_abs_error']:.2g} J", flush=True)
    expect(report["energy"]["max_abs_error"] < 4 * normal["energy"]["max_abs_error"],
           f"corners: {report['energy']}")
    words = ["run", "cloth", "n=30", "tilt=0.3", "--step", "0.003", "--duration", "0.03", "--json",
             "--quiet"]
    lost = [json.loads(taut(words, processes).stdout)["energy"]["max_abs_error"]
            for processes in [1, 2, 3]]
    print(f"corners: on 1, 2, 3 processes energy errors {lost}", flush=True)
    expect(max(lost) < 2 * min(lost) + 1e-4, f"corners: energy errors {lost}")


def test_recording():
    folder = pathlib.Path(tempfile.mkdtemp())
    words = ["cloth", "n=40", "tilt=0.3", "edge=1", "--step", "0.002", "--duration", "0.04", "--frames-per-second", "100"]
    for positions in ["float32", "uint16"]:
        files = []
        for processes in [0, 1, 2, 3]:
            file = folder / f"{processes}{positions}.taut"
            more = ["--recording", str(file), "--recorded-positions", positions, "--quiet",
                    "--set", "method.solve_tolerance=1e-12", "--set", "method.strain=1e-6"]
            if processes == 0:
                more += ["--no-verify", "--method", "fast_projection", "--set",
                         "method.fallback=none"]
            done = taut(["run"] + words + more, processes)
            expect(done.returncode == 0, f"recording: {done.stderr}")
            files.append(file)
        sizes = [file.stat().st_size for file in files]
        expect(len(set(sizes)) == 1, f"recordings of {sizes} bytes")
        contents = [file.read_bytes() for file in files]
        for content in contents[1:]:
            different = sum(a != b for a, b in zip(content, contents[0]))
            expect(different < 0.02 * len(content),
                   f"recording {positions}: {different} of {len(content)} bytes differ")
        # All but the frames is the same to the last byte.
        head = contents[0].index(b"FRAM")
        for content in contents:
            expect(content[:head] == contents[0][:head], f"recording {positions}: other heads")
        csvs = []
        for file in [files[0], files[2]]:
            out = file.with_suffix(".csv")
            done = subprocess.run([arguments.taut, "export", str(file), "--out", str(out)],
                                  capture_output=True, text=True)
            expect(done.returncode == 0, f"export: {done.stderr}")
        print(f"recording, {positions}: {sizes[0]} bytes", flush=True)


def test_deterministic():
    reports = []
    for _ in range(2):
        folder = pathlib.Path(tempfile.mkdtemp())
        run_to("twice", ["cloth", "n=20", "--step", "0.002", "--duration", "0.02"], 2, folder)
        reports.append((folder / "trajectory.csv").read_bytes())
    expect(reports[0] == reports[1], "two runs on two processes differ")


def refused(words, pieces, processes=2, code=2):
    done = taut(["run"] + words, processes)
    lines = [line for line in done.stderr.splitlines() if line.startswith("taut:")]
    expect(done.returncode == code, f"{words}: exit {done.returncode}, not {code}: {done.stderr}")
    expect(len(lines) == 1, f"{words}: {len(lines)} messages: {done.stderr}")
    for piece in pieces:
        expect(piece in "".join(lines), f"{words}: no \"{piece}\" in {lines}")


def scene_with(name, change):
    scene = json.loads(json.dumps(TWO_CLOTHS))
    change(scene)
    path = SCENES / f"{name}.json"
    path.write_text(json.dumps(scene))
    return str(path)


def test_refusals():
    refused(["two_link"], ["bodies", "without --engine petsc"])
    refused(["cloth_with_weight"], ["without --engine petsc"])
    refused(["cloth", "--method", "icd"], ["--method", "icd", "fast_projection"])
    refused(["cloth", "--set", "method.free_step=bdf2"], ["bdf2", "implicit"])
    refused(["cloth", "--set", "method.fallback=newton"], ["fallback", "none"])
    refused(["cloth", "--step", "auto"], ["--step auto", "--engine petsc"])
    refused(["cloth", "--verify"], ["--verify"])
    refused(["cloth", "--frames", "somewhere"], ["--frames", "taut export"])
    refused(["cloth", "--sensor", "a=time"], ["--sensor"])
    refused(["cloth", "n=5000"], ["n", "3000"])
    refused(["cloht"], ["cloht", "cloth"])
    refused(["cloth", "--yarn-ends", "cutt"], ["--yarn-ends", "cut"])
    refused(["cloth", "--out", "/proc/nowhere/x", "--duration", "0.01"], ["/proc/nowhere"], code=3)
    refused([scene_with("jump", lambda s: s["cloths"][0]["pins"][0].update(
        {"displacement": {"type": "formula", "value": ["=0.01*floor(t/0.011)", 0, 0]}}))],
        ["jumps", "0.01"])
    refused([scene_with("stretched", lambda s: s["cloths"][1].update(
        {"start_formula": ["=1.1*x", "=y", "=z"]}))], ["start", "--start as_is"])
    refused([scene_with("shape", lambda s: s.update({"shapes": [{"type": "plane"}]}))], ["shapes"])
    done = subprocess.run([arguments.taut, "run", "cloth", "--engine", "petcs"],
                          capture_output=True, text=True)
    expect(done.returncode == 2 and "petsc" in done.stderr, f"petcs: {done.stderr}")


def test_without_engine():
    # A taut that was built without it, on one process and on two, which tell it once.
    alone = pathlib.Path(tempfile.mkdtemp()) / "taut"
    shutil.copy(arguments.taut, alone)
    for start in [[], [arguments.mpirun, "--oversubscribe", "-n", "2"]]:
        done = subprocess.run(start + [str(alone), "run", "cloth", "--engine", "petsc"],
                              capture_output=True, text=True, env=ENVIRONMENT, timeout=60)
        lines = [line for line in done.stderr.splitlines() if line.startswith("taut:")]
        expect(done.returncode == 2 and len(lines) == 1 and "built without" in lines[0] and
               "./run --petsc" in lines[0], f"without: {done.returncode} {done.stderr}")


def test_divided():
    """Each process has its part: what there is of the whole is counted once."""
    done = taut(["run", "cloth", "n=60", "tilt=0.3", "edge=1", "--step", "0.002", "--duration", "0.02",
                 "--json", "--quiet"], 2)
    expect(done.returncode == 0, f"divided: {done.stderr}")
    parts = json.loads(done.stdout)["processes"]
    expect([part["bodies"] for part in parts] == [1800, 1800], f"divided: {parts}")
    expect(abs(parts[0]["rows"] - parts[1]["rows"]) < 200, f"divided: {parts}")


def test_more_processes_than_vertices():
    folder = pathlib.Path(tempfile.mkdtemp())
    words = ["cloth", "n=2", "--step", "0.002", "--duration", "0.02"]
    if run_to("few", words, 0, folder / "0") and run_to("few", words, 5, folder / "5"):
        off = largest_difference(table(folder / "0")[1], table(folder / "5")[1])
        expect(off < 1e-3, f"4 vertices on 5 processes: off by {off}")


tests = {name[5:]: test for name, test in list(globals().items()) if name.startswith("test_")}
if arguments.only and arguments.only not in tests:
    sys.exit(f"unknown test {arguments.only}: {', '.join(tests)}")
for name, test in tests.items():
    if arguments.only in ("", name):
        print(f"-- {name}", flush=True)
        test()
print(f"{len(failures)} failures")
sys.exit(1 if failures else 0)
