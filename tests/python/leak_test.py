"""Many steps leave nothing behind."""

import gc
import os
import tracemalloc
import unittest
import weakref

import taut

STEPS = int(os.environ.get("TAUT_LEAK_STEPS", 30_000))


def resident():
    """Memory of this process, bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Leaks(unittest.TestCase):
    def look(self, work, times, allowed):
        """Does it a few times, then many, and measures what is left of the latter."""
        for _ in range(times // 10 + 1):
            work()
        gc.collect()
        tracemalloc.start()
        before, python = resident(), tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            work()
        gc.collect()
        python = tracemalloc.get_traced_memory()[0] - python
        tracemalloc.stop()
        grown = resident() - before
        print(f"{self.id()}: {times} times: {python} bytes of Python, {grown} bytes resident")
        self.assertLess(python, 20_000)
        self.assertLess(grown, allowed)

    def test_steps(self):
        sim = taut.Simulation("two_link", "rattle", step=1e-4)
        self.look(sim.step, STEPS, 2 << 20)

    def test_steps_with_everything(self):
        scene = taut.Scene.load("two_link")
        scene.force_law(lambda x, v, t: -0.1 * v[0], points=["node1"])
        sim = taut.Simulation(scene, "rattle", step=1e-4)
        sim.controller(lambda sim: sim.apply_force("node2", -0.1 * sim.bodies["node2"].velocity))

        def work():
            sim.step()
            sim.q, sim.forces["link1" if "link1" in sim.forces else next(iter(sim.forces))]

        self.look(work, STEPS // 10, 2 << 20)

    def test_simulations_and_scenes(self):
        def work():
            sim = taut.Simulation("two_link")
            sim.controller(lambda other: sim.time)  # a cycle, which only the collector ends
            sim.step()
            taut.run("two_link", duration=0.1)
            del sim
            gc.collect()

        self.look(work, STEPS // 300, 2 << 20)

    def test_a_simulation_with_a_cycle_is_collected(self):
        sim = taut.Simulation("two_link")
        sim.controller(lambda other: sim.time)
        gone = weakref.ref(sim)
        del sim
        gc.collect()
        self.assertIsNone(gone())

    def test_errors(self):
        sim = taut.Simulation("two_link")

        def work():
            try:
                sim.apply_force("nobody", [0, 0, 0])
            except taut.Error:
                pass

        self.look(work, STEPS, 2 << 20)


if __name__ == "__main__":
    unittest.main()
