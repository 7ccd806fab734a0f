#!/usr/bin/env python3
"""Holds the box of grasp_box for 60 s between two, three and five fingers, and prints

  slip    the fastest that any finger slips on the box, from the moment on at which it is lifted
  creep   how fast the box moves, from 20 s on: before, it swings between two or three fingertips
  noise   how steady the forces are, from 20 s on

  scripts/grips.py [--taut build/release/bin/taut] [--contact-solver exact]
"""
import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent


def held(folder, motion):
    """The scene with a motion that holds on, as a file."""
    moves = json.loads((root / "motions" / (motion + ".json")).read_text())
    moves["keyframes"] = [k for k in moves["keyframes"] if k["time"] < 3.2] + [{"time": 62}]
    (folder / "motion.json").write_text(json.dumps(moves))
    scene = json.loads((root / "scenes/grasp_box.json").read_text())
    scene["hands"][0]["motion"] = "motion.json"
    if motion != "grasp_box":
        scene["hands"][0]["position"] = [0, 0, 0.04]  # in its middle, above its centre
    scene["simulation"].update(duration=62, record_every=20)
    (folder / "scene.json").write_text(json.dumps(scene))
    return folder / "scene.json"


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def measure(folder):
    places = {float(r["time"]): [float(r["box." + k]) for k in "xyz"] for r in table(folder / "trajectory.csv")}
    first, last = min(t for t in places if t >= 20), max(t for t in places if t <= 60)
    creep = 1000 * math.dist(places[first], places[last]) / (last - first)
    forces, slip = {}, 0
    for row in table(folder / "contacts.csv"):
        if float(row["time"]) >= 2 and "right/" in row["a"] + row["b"]:
            slip = max(slip, 1000 * math.sqrt(sum(float(row[f"slip_{k} (m/s)"]) ** 2 for k in "xyz")))
        if float(row["time"]) >= 20 and "right/" in row["a"] + row["b"]:
            of_pair = forces.setdefault((row["a"], row["b"]), {})
            size = math.sqrt(sum(float(row[f"f{k} (N)"]) ** 2 for k in "xyz"))
            of_pair[row["time"]] = of_pair.get(row["time"], 0) + size
    noise = 0
    for of_pair in forces.values():
        values = list(of_pair.values())
        mean = sum(values) / len(values)
        noise = max(noise, math.sqrt(sum((v - mean) ** 2 for v in values) / len(values)) / mean)
    return slip, creep, noise


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--taut", default=str(root / "build/release/bin/taut"))
    parser.add_argument("--contact-solver", default="exact")
    arguments = parser.parse_args()
    for motion in ["pinch_two", "pinch_three", "grasp_box"]:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            command = [arguments.taut, "run", str(held(folder, motion)), "--out", name]
            command += ["--contact-solver", arguments.contact_solver]
            subprocess.run(command, check=True, capture_output=True)
            slip, creep, noise = measure(folder)
            print(f"{motion:12} slip {slip:.1e} mm/s, creep {creep:.1e} mm/s, noise of forces {noise:.1e} of their mean", flush=True)


if __name__ == "__main__":
    main()
