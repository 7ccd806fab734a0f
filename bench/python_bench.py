#!/usr/bin/env python3
"""What a step costs in Python, beside the same step in C++:

PYTHONPATH=build/release/python python3 bench/python_bench.py [STEPS]

Times are the processor's, of the best of several rounds in turn. At the end it does a million steps
and says what they left in memory.
"""

import gc
import os
import sys
import time
import tracemalloc

import taut

ROUNDS = 7
ALLOWED = 3.0  # µs per step over C++


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def seconds(work):
    before = time.process_time()
    work()
    return time.process_time() - before


def main(steps):
    def cpp():
        sim._stepper.repeat(steps)

    def python():
        for _ in range(steps):
            sim.step()

    def with_state():
        q = sim.q
        for _ in range(steps):
            sim.step()
            q[0]

    def controlled():
        for _ in range(steps):
            other.step()

    print(f"{'µs per step':18} {'C++':>8} {'Python':>8} {'+ q[0]':>8} {'+ force':>8} {'over C++':>9}")
    is_met = True
    for scene, method, h in (("pendulum", "rattle", 1e-3), ("two_link", "rattle", 1e-3),
                             ("two_link", "icd2", 1e-3), ("ten_link", "icd2", 1e-3)):
        sim, other = (taut.Simulation(scene, method, h) for _ in range(2))
        body = next(iter(other.bodies))
        other.controller(lambda sim: sim.apply_force(body, (0.0, 0.0, 0.0)))
        best = [min(times) for times in zip(*(
            [seconds(work) / steps * 1e6 for work in (cpp, python, with_state, controlled)]
            for _ in range(ROUNDS)))]
        over = best[1] - best[0]
        is_met &= over <= ALLOWED
        print(f"{scene + ', ' + method:18} {best[0]:8.3f} {best[1]:8.3f} {best[2]:8.3f} "
              f"{best[3]:8.3f} {over:9.3f}")
    print(f"Python costs at most {ALLOWED} µs per step over C++: {'yes' if is_met else 'NO'}")

    sim = taut.Simulation("two_link", "rattle", 1e-4)
    for _ in range(100_000):
        sim.step()
    gc.collect()
    tracemalloc.start()
    before, python_before = resident(), tracemalloc.get_traced_memory()[0]
    for _ in range(1_000_000):
        sim.step()
    gc.collect()
    print(f"1000000 steps left {tracemalloc.get_traced_memory()[0] - python_before} bytes in Python, "
          f"{resident() - before} bytes in the process")
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000))
