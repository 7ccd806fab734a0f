"""Sweeps that are killed and begun again, or shared out by mpirun, make the same table.

  run.py --taut PATH [--mpi]     --mpi: it was built with MPI, and mpirun is there
"""
import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SWEEP = ["sweep", "heavy_chain", "--set", "R=1:1000:log10", "--set", "N=60,150", "--duration", "2", "--step", "0.002",
         "--sensor", "end=node20.y", "--measure", "energy.max_abs_error", "--measure", "low=min(end)",
         "--measure", "at(end, 0.5)", "--quiet"]
CASES = 20
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def call(words, **more):
    return subprocess.run(words, capture_output=True, text=True, timeout=300, **more)


def lines(path):
    try:
        return len(path.read_bytes().splitlines())
    except FileNotFoundError:
        return 0


def expect(truth, what):
    if not truth:
        raise AssertionError(what)


def killed_and_begun_again(taut, folder, whole):
    dice = random.Random(2)
    out = folder / "killed.csv"
    partial = folder / "killed.csv.partial"
    kills = 0
    for _ in range(CASES + 5):
        process = subprocess.Popen([taut, *SWEEP, "--out", str(out)])
        before = lines(partial)
        while process.poll() is None:
            if kills < 4 and lines(partial) > max(before, 1):
                time.sleep(dice.random() * 0.2)
                process.kill()
                break
            time.sleep(0.001)
        if process.wait() != -9:
            break
        kills += 1
        if kills == 2:  # as a line of which only a part came to the disk
            with partial.open("ab") as file:
                file.write(b"0123456789abcdef 7 ok,trus")
    expect(kills >= 3, f"it was killed only {kills} times")
    expect(out.read_bytes() == whole, "a sweep that was killed makes another table")
    expect(not partial.exists(), "the partial results stay")


def cases_that_fail(taut, folder):
    out = folder / "failed.csv"
    done = call([taut, "sweep", "heavy_chain", "--set", "N=-3,5", "--duration", "0.1", "--out", str(out)])
    expect(done.returncode == 1, f"a case that fails ends with {done.returncode}: {done.stderr}")
    rows = out.read_text().splitlines()
    expect(len(rows) == 3 and ",ok," in rows[2] and ",failed," in rows[1] and "N" in rows[1], rows)
    # One that is killed, as by a system without memory, is a row; the others are as they were.
    out = folder / "crashed.csv"
    process = subprocess.Popen([taut, "sweep", "heavy_chain", "--set", "N=400,401", "--duration", "20",
                                "--step", "0.0005", "-j", "1", "--out", str(out), "--quiet"],
                               stderr=subprocess.DEVNULL)
    child = None
    while child is None and process.poll() is None:
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        child = int(found[0]) if found else None
    time.sleep(0.1)
    os.kill(child, signal.SIGKILL)
    while lines(folder / "crashed.csv.partial") < 2 and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    expect(process.wait() == 130, "Ctrl-C does not end it")
    expect("signal 9" in (folder / "crashed.csv.partial").read_text(), "no reason for a crash")


def refusals(taut, folder):
    def refused(words, *pieces):
        done = call([taut, "sweep", "heavy_chain", "--out", str(folder / "no.csv"), *words])
        expect(done.returncode == 2, f"{words}: {done.returncode} {done.stderr}")
        for piece in pieces:
            expect(piece in done.stderr, f"{words}: {done.stderr}")

    refused(["--set", "R=1:10"], "--set R", "FROM:TO:SPACING")
    refused(["--set", "R=1:10:lag5"], "--set R", "lag5", "linN")
    refused(["--set", "R=0:10:log5"], "--set R", "numbers > 0")
    refused(["--set", "R=uniform(2, 1)"], "--set R", "smaller bound first")
    refused(["--set", "R=unifrom(1, 2)"], "unifrom", "uniform")
    refused(["--set", "R=1,,2"], "between all commas")
    refused(["--set", "Q=1,2"], "Q")
    refused(["--set", "R=1", "--set", "R=2"], "R", "twice")
    refused(["--measure", "max(end)"], "end", "--sensor")
    refused(["--method", "rattel"], "rattel", "rattle")
    # A name that the report has not got is found before the first run, and one that a run may lack is not.
    refused(["--measure", "enrgy.max_abs_error"], "enrgy", "energy")
    refused(["--measure", "worst=energy.max_abs_eror"], "max_abs_eror", "max_abs_error")
    refused(["--measure", "energy"], "group")
    expect(not (folder / "no.csv.partial").exists(), "a sweep that was refused has begun")
    done = call([taut, "sweep", "heavy_chain", "--set", "N=5", "--duration", "0.01", "--out", str(folder / "may.csv"),
                 "--measure", "contacts.most", "--measure", "reactions.link5.largest"])
    expect(done.returncode == 0, done.stderr)
    row = (folder / "may.csv").read_text().splitlines()[1].split(",")
    expect(row[2] == "ok" and row[4] == "" and float(row[5]) > 0, row)
    # No case at all.
    for none in ("R=1:10:lin0", "R=10:1:int", "R="):
        refused(["--set", none], "R")
    refused(["--set", "R=1", "--repeat", "0"], "--repeat")
    refused(["--set", "R=uniform(1, 2)", "--samples", "0"], "--samples")

    # Another sweep's results are not thrown away.
    out = folder / "other.csv"
    partial = folder / "other.csv.partial"
    process = subprocess.Popen([taut, *SWEEP, "--out", str(out)])
    while lines(folder / "other.csv.partial") < 2 and process.poll() is None:
        time.sleep(0.001)
    process.kill()
    process.wait()
    done = call([taut, *SWEEP, "--duration", "2", "--out", str(out)])
    expect(done.returncode != 0, "duration twice")
    words = [word if word != "R=1:1000:log10" else "R=1:1000:log11" for word in SWEEP]
    done = call([taut, *words, "--out", str(out)])
    expect(done.returncode == 2 and "other arguments" in done.stderr, done.stderr)
    # Something else, such as a table of another sweep, is not replaced.
    partial.write_text("case,R\n1,2\n")
    done = call([taut, *SWEEP, "--out", str(out)])
    expect(done.returncode == 2 and "no file of results" in done.stderr, done.stderr)
    expect(partial.read_text() == "case,R\n1,2\n", "it was changed")
    partial.unlink()
    # Two at once.
    process = subprocess.Popen([taut, *SWEEP, "--out", str(out)], stderr=subprocess.DEVNULL)
    while not partial.exists():
        time.sleep(0.001)
    done = call([taut, *SWEEP, "--out", str(out)])
    expect(process.poll() is None, "the first was over too soon")
    expect(done.returncode == 2 and "another process" in done.stderr, done.stderr)
    process.kill()
    process.wait()


def samples(taut):
    def listed(*more):
        done = call([taut, "sweep", "heavy_chain", "--dry-run", "--samples", "10", "--set",
                     "R=uniform(0, 10)", "--set", "N=integer(1, 5)", *more])
        expect(done.returncode == 0, done.stderr)
        return [line.split(",") for line in done.stdout.splitlines()[1:]]

    rows = listed()
    expect(rows == listed() and rows != listed("--seed", "2"), "samples depend on the seed alone")
    expect(sorted(int(float(row[1])) for row in rows) == list(range(10)), "one in each tenth")
    expect(sorted(int(row[2]) for row in rows) == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5], rows)
    free = sorted(int(float(row[1])) for row in listed("--sampling", "random"))
    expect(free != list(range(10)), "independent samples are not in each tenth")


def of_rank(rank, marker):
    """The process that mpirun started with this rank: its parent has none."""
    found = {}
    for place in Path("/proc").iterdir():
        if not place.name.isdigit():
            continue
        try:
            environment = (place / "environ").read_bytes().split(b"\0")
            words = (place / "cmdline").read_bytes()
            parent = int((place / "stat").read_text().rsplit(")", 1)[1].split()[1])
        except (OSError, ValueError):
            continue
        if f"OMPI_COMM_WORLD_RANK={rank}".encode() in environment and marker.encode() in words:
            found[int(place.name)] = parent
    return [process for process, parent in found.items() if parent not in found]


def under_mpi(taut, folder, whole):
    environment = dict(os.environ, **AS_ROOT)
    mpirun = ["mpirun", "--oversubscribe"]
    out = folder / "two.csv"
    done = call([*mpirun, "-n", "2", taut, *SWEEP, "--out", str(out)], env=environment)
    expect(done.returncode == 0, done.stderr)
    expect(out.read_bytes() == whole, "under mpirun -n 2 the table is another one")

    words = ["stability", "map", "--method", "baumgarte", "--scene", "bead", "--steps", "0.01:1:5",
             "--parameter", "alpha=1:100:4", "--duration", "2"]
    done = call([taut, *words, "--out", str(folder / "here")])
    expect(done.returncode == 0, done.stderr)
    done = call([*mpirun, "-n", "2", taut, *words, "--out", str(folder / "there")], env=environment)
    expect(done.returncode == 0, done.stderr)
    expect((folder / "here" / "map.csv").read_bytes() == (folder / "there" / "map.csv").read_bytes(),
           "under mpirun the map of stability is another one")
    words = ["reproduce", "bead-illegal-start", "two-link-error", "--json"]
    claims = []
    for before, name in ([], "here.html"), ([*mpirun, "-n", "2"], "there.html"):
        done = call([*before, taut, *words, "--out", str(folder / name)], env=environment)
        expect(done.returncode == 0, done.stderr)
        claims.append([each["claims"] for each in json.loads(done.stdout)["experiments"]])
    expect(claims[0] == claims[1] and len(claims[0]) == 2, "under mpirun other claims")

    # Without --enable-recovery mpirun ends all of them with the first that dies; the same command goes on.
    out = folder / "again.csv"
    partial = folder / "again.csv.partial"
    command = [*mpirun, "-n", "3", taut, *SWEEP, "--out", str(out)]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while lines(partial) < 3:
        expect(process.poll() is None, "it ended before anything was done")
        time.sleep(0.001)
    victims = of_rank(1, str(out))
    expect(len(victims) == 1, f"rank 1 is {victims}")
    os.kill(victims[0], signal.SIGKILL)
    expect(process.wait(timeout=300) != 0, "mpirun did not end")
    expect(not out.exists() and lines(partial) >= 3, "nothing is left of what was done")
    done = call(command, env=environment)
    expect(done.returncode == 0, done.stderr)
    expect(out.read_bytes() == whole, "what went on under mpirun makes another table")

    out = folder / "three.csv"
    process = subprocess.Popen(
        [*mpirun, "--enable-recovery", "-n", "3", taut, *SWEEP, "--out", str(out)], env=environment,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while lines(folder / "three.csv.partial") < 2:
        expect(process.poll() is None, "it ended before anything was done")
        time.sleep(0.001)
    victims = of_rank(2, str(out))
    expect(len(victims) == 1, f"rank 2 is {victims}")
    os.kill(victims[0], signal.SIGKILL)
    before = lines(folder / "three.csv.partial")
    process.wait(timeout=300)
    expect(before < CASES + 1, "it was nearly over")
    expect(out.exists() and out.read_bytes() == whole, "a rank that dies changes the table")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--taut", required=True)
    parser.add_argument("--mpi", action="store_true")
    given = parser.parse_args()
    folder = Path(tempfile.mkdtemp())
    try:
        out = folder / "whole.csv"
        done = call([given.taut, *SWEEP, "--out", str(out), "--report",
                     str(folder / "pages" / "sweep.html")])
        expect(done.returncode == 0, done.stderr)
        whole = out.read_bytes()
        expect(len(whole.splitlines()) == CASES + 1, whole)
        expect("<html" in (folder / "pages" / "sweep.html").read_text()[:200], "no page")
        call([given.taut, *SWEEP, "-j", "1", "--out", str(out)])
        expect(out.read_bytes() == whole, "on one core the table is another one")
        killed_and_begun_again(given.taut, folder, whole)
        cases_that_fail(given.taut, folder)
        samples(given.taut)
        refusals(given.taut, folder)
        if given.mpi:
            under_mpi(given.taut, folder, whole)
    except AssertionError as trouble:
        print("FAILED:", trouble)
        sys.exit(1)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("ok")


main()
