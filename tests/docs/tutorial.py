"""Does what docs/tutorial tells: saves the scenes of each page and runs its commands, which must end
with 0 and print what the page shows (each line that is shown begins a line of the output, blanks
aside).

    tutorial.py --taut build/release/bin/taut"""

import argparse
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

arguments = argparse.ArgumentParser()
arguments.add_argument("--taut", required=True)
arguments.add_argument("--only", default="")
arguments = arguments.parse_args()
folder = pathlib.Path(__file__).resolve().parents[2] / "docs" / "tutorial"


def words(line):
    return " ".join(line.split())


def check(page, scratch):
    """The faults of a page, and how many commands it has."""
    text = page.read_text(encoding="utf-8")
    faults, commands = [], 0
    for before, scene in re.findall(r"`(\w+\.json)`:\n\n```json\n(.*?)```", text, re.DOTALL):
        (scratch / before).write_text(scene, encoding="utf-8")
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for command in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            line, *shown = command.rstrip("\n").split("\n")
            program, *rest = shlex.split(line)
            assert program == "taut", line
            commands += 1
            done = subprocess.run(
                [str(pathlib.Path(arguments.taut).resolve()), *rest],
                cwd=scratch, capture_output=True, text=True, timeout=120,
            )
            if done.returncode != 0:
                faults.append(f"{page.name}: {line}: exit code {done.returncode}: {done.stderr}")
                continue
            printed = [words(each) for each in done.stdout.split("\n")]
            for each in shown:
                if not any(found.startswith(words(each)) for found in printed):
                    faults.append(f"{page.name}: {line}: does not print: {each}\n{done.stdout}")
    return faults, commands


pages = sorted(folder.glob("[0-9]*.md"))
faults, total = [], 0
for page in pages:
    if not page.name.startswith(arguments.only):
        continue
    with tempfile.TemporaryDirectory() as scratch:
        found, commands = check(page, pathlib.Path(scratch))
    if commands == 0:
        found.append(f"{page.name}: has no command")
    faults += found
    total += commands
print("\n".join(faults))
print(f"tutorial: {len(pages)} pages, {total} commands")
sys.exit(1 if faults or len(pages) < 10 else 0)
