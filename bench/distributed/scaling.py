"""Measures cloth on several processes: strong and weak scaling, and the constants of the model in
docs/distributed.md, with what it says for 10⁸ vertices on 100 nodes.

    ./run --petsc bench                          about five minutes
    ./run --petsc bench --sizes 300 --ranks 1,2 --repeat 1

Runs take turns, so that whatever else the machine does meets all alike; of each, the quickest
counts. Wall time is that of the slowest process, in steps alone."""

import argparse
import json
import math
import os
import pathlib
import subprocess
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
parser.add_argument("--taut", required=True)
parser.add_argument("--mpirun", default="mpirun")
parser.add_argument("--sizes", default="250,500,1000", help="vertices along a side, for strong scaling")
parser.add_argument("--ranks", default="1,2", help="numbers of processes")
parser.add_argument("--weak", type=int, default=500, help="side of the square that each process gets")
parser.add_argument("--ends", default="cut,overlap", help="kinds of --yarn-ends")
parser.add_argument("--steps", type=int, default=20)
parser.add_argument("--repeat", type=int, default=3)
parser.add_argument("--vertices", type=float, default=1e8, help="of the prediction")
parser.add_argument("--nodes", type=int, default=100)
parser.add_argument("--latency", type=float, help="s, of the network between the nodes; default: as here")
parser.add_argument("--bandwidth", type=float, help="bytes/s, the same")
arguments = parser.parse_args()

ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")


def mpirun(ranks, words):
    # Who waits lets others run: else waiting counts as CPU time where the machine is busy.
    command = [arguments.mpirun, "--oversubscribe", "--mca", "mpi_yield_when_idle", "1", "--bind-to", "core" if ranks <= (os.cpu_count() or 1)
               else "none", "-n", str(ranks)] + words
    done = subprocess.run(command, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return json.loads(done.stdout)


def run(n, ranks, ends, rows=None):
    # A step that edges of 1/n m resolve under their own weight: h < √(m l/T) = l/√(g L).
    step = 0.5 / n / math.sqrt(9.81)
    words = ["cloth", f"n={n}", "tilt=0.3", "edge=1"]
    if rows is not None:
        words = [strip(n, rows)]
    report = mpirun(ranks, [arguments.taut, "run"] + words +
                    ["--engine", "petsc", "--yarn-ends", ends, "--step", repr(step), "--duration",
                     repr(step * arguments.steps), "--json", "--quiet"])
    costs, steps = report["processes"], report["steps"]
    return {"wall": max(c["wall_seconds"] for c in costs) / steps,
            "cpu": max(c["cpu_seconds"] for c in costs) / steps,
            "memory": max(c["most_memory"] for c in costs),
            "solves": report["cost"]["iterations"] / steps,
            "iterations": costs[0]["row_iterations"] / steps,
            "force": (report["cost"]["linear_iterations"] - costs[0]["row_iterations"]) / steps,
            "bytes": max(c["body_bytes"] * c["body_messages"] + c["row_bytes"] * c["row_messages"]
                         for c in costs) / steps,
            "fills": max(c["body_messages"] + c["row_messages"] for c in costs) / steps,
            "neighbours": max(c["neighbours"] for c in costs),
            "sums": costs[0]["reductions"] / steps,
            "vertices": sum(c["bodies"] for c in costs),
            "status": report["status"], "halved": report["cost"]["halved_steps"]}


def strip(n, rows):
    """A cloth of n × rows vertices, held like `cloth`, for weak scaling."""
    path = pathlib.Path("/tmp") / f"taut_strip_{os.getpid()}_{n}_{rows}.json"
    path.write_text(json.dumps({
        "taut": 1, "name": "strip",
        "cloths": [{"name": "strip", "grid": {"columns": n, "rows": rows, "width": 1,
                                              "height": (rows - 1) / (n - 1), "along": [0, 0, 1]},
                    "pins": [{"part": "top_left"}, {"part": "top_right"}]}],
        "forces": [{"type": "gravity"}]}))
    return str(path)


def best(runs):
    """The quickest by wall time, with the least CPU time of all."""
    chosen = dict(min(runs, key=lambda r: r["wall"]))
    chosen["cpu"] = min(r["cpu"] for r in runs)
    return chosen


def measure(cases):
    """Cases take turns."""
    found = {case: [] for case in cases}
    for _ in range(arguments.repeat):
        for case in cases:
            found[case].append(run(*case))
    return {case: best(runs) for case, runs in found.items()}


def heading():
    print("| vertices | processes | yarns | ms per step | CPU ms | speed-up | by CPU | solves | iterations | of forces | "
          "messages | sums | kB received | MB per process |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|")


def row(ranks, ends, r, one, of_work=1):
    wall = of_work * one["wall"] / r["wall"]
    cpu = of_work * one["cpu"] / r["cpu"]
    note = "" if r["status"] == "ok" and r["halved"] == 0 else f" ({r['status']}, {r['halved']} halved)"
    print(f"| {r['vertices']:.0f} | {ranks} | {ends} | {1e3 * r['wall']:.1f} | {1e3 * r['cpu']:.1f} | {wall:.2f} | "
          f"{cpu:.2f} | {r['solves']:.2f} | {r['iterations']:.2f} | {r['force']:.2f} | {r['fills'] * r['neighbours']:.0f} | "
          f"{r['sums']:.0f} | {1e-3 * r['bytes']:.0f} | {1e-6 * r['memory']:.0f}{note} |", flush=True)


def main():
    sizes = [int(x) for x in arguments.sizes.split(",")]
    ranks = [int(x) for x in arguments.ranks.split(",")]
    ends = arguments.ends.split(",")
    print(f"load before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores\n\nStrong scaling\n")
    heading()
    strong = {}
    for n in sizes:
        cases = [(n, p, e) for p in ranks for e in (ends if p > 1 else ends[:1])]
        found = measure(cases)
        strong.update(found)
        for n_, p, e in cases:
            row(p, e, found[n_, p, e], found[n, ranks[0], ends[0]])
    print("\nWeak scaling\n")
    heading()
    side = arguments.weak
    cases = [(side, p, ends[0], side * p) for p in ranks]
    weak = measure(cases)
    for case in cases:
        row(case[1], ends[0], weak[case], weak[cases[0]], of_work=case[1] / ranks[0])
    print(f"\nload after: {os.getloadavg()[0]:.1f}")
    model(strong, ranks, ends)


def model(strong, ranks, ends):
    """t = V (a + s b + i c) + m (α + …) + r σ, per process: V vertices, s projections, i iterations,
    m messages, r sums. a, b and c are fitted to the CPU time of one process."""
    one = [r for (n, p, e), r in strong.items() if p == 1]
    # Iterations hardly vary in one run, so the whole per vertex is what is known.
    per_vertex = sum(r["cpu"] for r in one) / sum(r["vertices"] for r in one)
    messages = mpirun(2, [str(pathlib.Path(arguments.taut).parent / "mpi_messages")])
    print(f"\nConstants: {1e9 * per_vertex:.0f} ns of CPU per vertex and step, "
          f"{1e6 * messages['latency']:.2f} µs per message, {1e-9 * messages['bandwidth']:.2f} GB/s, "
          f"{1e6 * messages['sum']:.2f} µs per sum over two")
    latency = arguments.latency or messages["latency"]
    bandwidth = arguments.bandwidth or messages["bandwidth"]
    largest = max((key for key in strong if key[1] == max(ranks)), key=lambda key: key[0])
    r = strong[largest]
    # A block of v vertices has 4 √v vertices at its border; a border here has `side` of them.
    border = largest[0] * (1 if largest[1] == 2 else 2)
    v = arguments.vertices / arguments.nodes
    bytes_per_step = r["bytes"] / border * 4 * math.sqrt(v)
    compute = v * per_vertex
    wires = r["fills"] * 8 * latency + bytes_per_step / bandwidth
    sums = r["sums"] * math.ceil(math.log2(arguments.nodes)) * latency
    print(f"{arguments.vertices:.0e} vertices on {arguments.nodes} nodes, one process each: "
          f"{v:.0f} vertices, {1e3 * compute:.0f} ms of arithmetic, {r['fills'] * 8:.0f} messages with "
          f"{1e-6 * bytes_per_step:.1f} MB in {1e3 * wires:.2f} ms, {r['sums']:.0f} sums in "
          f"{1e3 * sums:.2f} ms: {1e3 * (compute + wires + sums):.0f} ms per step, if iterations stay "
          f"at {r['iterations']:.1f}")


main()
