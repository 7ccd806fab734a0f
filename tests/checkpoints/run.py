"""Runs that are killed and go on end as those that were not: every file is the same, bit for bit.

  run.py --taut PATH            what the test `checkpoints` does
  run.py --taut PATH --wide     every method on more scenes
  run.py --taut PATH --long S   a small scene for S simulated seconds at 1 kHz, killed again and again
"""
import argparse
import json
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Scene, settings, duration, step: a pendulum and chains, joints with motors and stops, friction that
# rests and slides, what falls asleep, cloth that swings, and that touches, and a hand.
SCENES = [
    ("two_link", [], 1.0, None),
    ("heavy_chain", ["N=20"], 0.5, None),
    ("four_bar", [], 0.5, None),
    ("box_stack", [], 0.3, None),
    ("bouncing_balls", [], 0.5, None),
    ("cloth", ["n=6"], 0.3, None),
    ("cloth_on_sphere", ["n=6"], 0.4, None),
    ("grasp_box", [], 0.05, None),
]
MORE_SCENES = SCENES + [
    ("rope_bridge", [], 0.1, None), ("gyroscope", [], 0.2, None), ("rolling_disc", [], 0.3, None),
    ("capstan", [], 0.2, None), ("dominoes", [], 0.2, None), ("slider_crank", [], 0.5, None),
    ("ribbon_folds", [], 0.1, None), ("newtons_cradle", [], 0.5, None), ("gripper", [], 0.05, None),
    ("incline", [], 0.3, None), ("driven_pin", [], 0.3, None), ("curtain", ["n=6"], 0.2, None),
]
CHANGES = ("cost",)  # of a report: times


def methods(taut):
    text = subprocess.run([taut, "list", "methods"], capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in text.splitlines() if line and line[0].islower()]
    assert "icd2" in names and len(names) > 20, text
    return names


def contents(folder):
    found = {}
    for path in sorted(Path(folder).rglob("*")):
        # A file that was being written when its process was killed keeps its other name.
        if path.is_dir() or ".checkpoint" in path.name or path.suffix == ".tmp":
            continue
        data = path.read_bytes()
        if path.name == "report.json":
            report = json.loads(data)
            for key in CHANGES:
                report.pop(key, None)
            data = json.dumps(report, sort_keys=True).encode()
        found[str(path.relative_to(folder))] = data
    return found


class Runs:
    def __init__(self, taut, folder):
        self.taut, self.folder = taut, Path(folder)
        self.kills = 0

    def arguments(self, name, words, out):
        return [self.taut, "run", name, "--quiet", *words, "--out", str(out),
                "--recording", str(out / "motion.taut"), "--export", str(out / "motion.glb")]

    def plain(self, name, words, place, checkpoint=None):
        out = self.folder / place
        extra = ["--checkpoint", checkpoint] if checkpoint else []
        done = subprocess.run(self.arguments(name, words, out) + extra, capture_output=True, text=True)
        assert done.returncode in (0, 1), f"{name} {words}: {done.stderr}"
        return contents(out), done.returncode

    def killed(self, name, words, place, checkpoint, dice, expected):
        """Killed at random moments after checkpoints were written, until it ends. `expected`: how it
        should end, where that was about to be told when it was killed."""
        out = self.folder / place
        file = out / f"{name}.checkpoint"
        command = self.arguments(name, words, out) + ["--checkpoint", checkpoint]
        kills = 0
        for _ in range(200):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            before = file.stat().st_mtime_ns if file.exists() else 0
            while process.poll() is None:
                now = 0
                try:
                    now = file.stat().st_mtime_ns
                except FileNotFoundError:
                    pass
                if now > before and kills < 3:
                    time.sleep(dice.random() * 0.01)
                    if process.poll() is None:
                        process.kill()
                        kills += 1
                    break
                time.sleep(0.0005)
            text = process.stderr.read().decode()
            code = process.wait()
            if code in (0, 1):
                self.kills += kills
                return contents(out), code, kills
            assert code == -9, f"{name} {words}: ended with {code}: {text}"
            if file.exists():
                command = [self.taut, "resume", str(file), "--quiet"]
            elif (out / "report.json").exists():  # it was over, and about to end
                self.kills += kills
                return contents(out), expected, kills
        raise AssertionError(f"{name} {words}: does not end")


def differing(a, b):
    return [name for name in sorted(set(a) | set(b)) if a.get(name) != b.get(name)]


def shape(value):
    """What a report is made of, whatever its numbers."""
    if isinstance(value, dict):
        return {key: shape(each) for key, each in value.items() if key not in ("remarks", "doubts")}
    if isinstance(value, list):
        return [shape(each) for each in value]
    return type(value).__name__


def check_against_none(name, words, plain, through):
    """A run with checkpoints is one without; where cloth touches under another method than its own, it
    goes on from what only saves time, and is found anew after a checkpoint."""
    wrong = differing(plain, through)
    is_found_anew = name == "cloth_on_sphere" and ("--method" in words or "--verify" in words)
    if not wrong or not is_found_anew:
        return wrong
    one, other = (shape(json.loads(each["report.json"])) for each in (plain, through))
    return [] if one == other else ["what the report has"]


def check(taut, wide):
    dice = random.Random(1)
    failures, other, count = [], [], 0
    all_methods = methods(taut)
    cases = []
    for place, (name, settings, duration, step) in enumerate(MORE_SCENES if wide else SCENES):
        set_words = [word for each in settings for word in ("--set", each)]
        words = set_words + ["--duration", str(duration)]
        for i, method in enumerate(all_methods):
            if wide or (i + place) % 4 == 0 or (method == "icd2"):
                cases.append((name, words + ["--method", method, "--no-verify"]))
        cases.append((name, words + ["--verify"]))  # compared with a second run
        if name == "cloth_on_sphere":
            cases.append((name, words + ["--no-verify"]))
    for name in ("two_link", "four_bar", "driven_pin"):
        for method in ("dop853", "icd2", "rattle"):
            cases.append((name, ["--duration", "1", "--step", "auto", "--method", method, "--no-verify"]))
    with tempfile.TemporaryDirectory() as folder:
        runs = Runs(taut, folder)
        for name, words in cases:
            automatic = "auto" in words
            checkpoint = "0.1" if automatic else "7steps"
            label = " ".join([name, *words])
            try:
                through, code = runs.plain(name, words, "through", checkpoint)
                resumed, again, kills = runs.killed(name, words, "killed", checkpoint, dice, code)
                plain, _ = runs.plain(name, words, "plain")
                if wrong := check_against_none(name, words, plain, through):
                    (other if wide else failures).append(f"{label}: not as without: {wrong}")
                count += 1
                if code != again or differing(through, resumed):
                    failures.append(f"{label}: {differing(through, resumed)} after {kills} kills")
            except AssertionError as trouble:
                failures.append(str(trouble))
            for place in ("through", "killed", "plain"):
                shutil.rmtree(runs.folder / place, ignore_errors=True)
        print(f"{count} runs, killed {runs.kills} times")
        if wide:
            print(f"with checkpoints not as without, {len(other)}:")
            print("\n".join(other))
        if runs.kills < len(cases) // 2:
            failures.append(f"only {runs.kills} kills in {len(cases)} runs: that tests nothing")
    for failure in failures:
        print("FAILED", failure)
    return not failures


def long_run(taut, seconds, every):
    """No drift, and memory flat."""
    words = ["--duration", str(seconds), "--step", "0.001", "--method", "icd2", "--no-verify",
             "--record-every", "1000"]
    with tempfile.TemporaryDirectory() as folder:
        begin = time.monotonic()
        outs = []
        for place in ("through", "killed"):
            out = Path(folder) / place
            command = [taut, "run", "two_link", "--quiet", *words, "--out", str(out), "--checkpoint",
                       str(seconds / 40)]
            file = out / "two_link.checkpoint"
            kills, largest = 0, []
            while True:
                process = subprocess.Popen(command)
                started = time.monotonic()
                status = None
                while process.poll() is None:
                    time.sleep(0.05)
                    try:
                        text = Path(f"/proc/{process.pid}/status").read_text()
                        status = int(text.split("VmRSS:")[1].split()[0])
                    except (OSError, IndexError):
                        pass
                    if place == "killed" and time.monotonic() - started > every and file.exists():
                        process.kill()
                        kills += 1
                        command = [taut, "resume", str(file), "--quiet"]
                        every *= random.uniform(0.8, 1.3)
                code = process.wait()
                if status:
                    largest.append(status)
                if code != -9:
                    assert code == 0, code
                    break
            outs.append(contents(out))
            print(f"{place}: {seconds} simulated s in {time.monotonic() - begin:.1f} s, {kills} kills, "
                  f"memory at the end of each part {largest} kB", flush=True)
            begin = time.monotonic()
        wrong = differing(*outs)
        print("the same" if not wrong else f"FAILED: {wrong}")
        return not wrong


def refusals(taut):
    """A changed scene, a damaged file and another build are refused, clearly."""
    with tempfile.TemporaryDirectory() as folder:
        scene = Path(folder) / "arm.json"
        source = Path(__file__).resolve().parents[2] / "scenes" / "two_link.json"
        scene.write_bytes(source.read_bytes())
        file = Path(folder) / "c"
        command = [taut, "run", str(scene), "--quiet", "--no-verify", "--duration", "60", "--checkpoint",
                   "1", "--checkpoint-file", str(file)]
        process = subprocess.Popen(command)
        while not file.exists():
            time.sleep(0.001)
            assert process.poll() is None, "it ended before its first checkpoint"
        process.kill()
        process.wait()

        def refused(*pieces):
            done = subprocess.run([taut, "resume", str(file), "--quiet"], capture_output=True, text=True)
            ok = done.returncode == 2 and all(piece in done.stderr for piece in pieces)
            if not ok:
                print("FAILED: expected", pieces, "found", done.returncode, done.stderr)
            return ok

        good = file.read_bytes()
        scene.write_bytes(source.read_bytes() + b"\n")
        ok = refused("arm.json", "the scene has changed")
        scene.write_bytes(source.read_bytes())
        file.write_bytes(good[: len(good) // 2])
        ok &= refused("damaged")
        file.write_bytes(good[:100] + bytes([good[100] ^ 1]) + good[101:])
        ok &= refused("checksum")
        file.write_bytes(b"hello")
        ok &= refused("no checkpoint")
        file.unlink()
        ok &= refused("No such file")
        return ok


def stops(taut):
    """Ctrl-C and a full disk: the run goes on as after a kill."""
    words = ["two_link", "--quiet", "--duration", "40", "--step", "0.0001", "--record-every", "100",
             "--no-verify", "--method", "icd2"]
    ok = True
    with tempfile.TemporaryDirectory() as folder:
        whole = Path(folder) / "whole"
        subprocess.run([taut, "run", *words, "--out", str(whole), "--checkpoint", "1000steps"], check=True)
        for how in ("interrupted", "full"):
            out = Path(folder) / how
            file = out / "two_link.checkpoint"
            command = [taut, "run", *words, "--out", str(out), "--checkpoint", "1000steps"]
            if how == "full":
                most = (whole / "trajectory.csv").stat().st_size * 2 // 3
                limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
                process = subprocess.Popen(command, preexec_fn=limit, stderr=subprocess.DEVNULL)
                expected = 3
            else:
                # What runs in the background is born deaf to Ctrl-C.
                hear = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)
                process = subprocess.Popen(command, preexec_fn=hear, stderr=subprocess.DEVNULL)
                while not file.exists() and process.poll() is None:
                    time.sleep(0.001)
                process.send_signal(signal.SIGINT)
                expected = 130
            code = process.wait()
            done = subprocess.run([taut, "resume", str(file), "--quiet"], capture_output=True, text=True)
            wrong = differing(contents(whole), contents(out))
            if code != expected or done.returncode != 0 or wrong:
                print("FAILED", how, code, done.returncode, done.stderr, wrong)
                ok = False
    return ok


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--taut", required=True)
    parser.add_argument("--wide", action="store_true")
    parser.add_argument("--long", type=float)
    parser.add_argument("--every", type=float, default=0.5, help="s between kills")
    given = parser.parse_args()
    if given.long:
        ok = long_run(given.taut, given.long, given.every)
    else:
        ok = refusals(given.taut) & stops(given.taut) & check(given.taut, given.wide) & (given.wide or long_run(given.taut, 60, 0.1))
    sys.exit(0 if ok else 1)


main()
