"""Builds the wheel: the backend that pip calls (PEP 517). It needs nothing but Python, CMake and
what taut itself is built with, and downloads nothing.

A wheel holds the package, the command line and the viewer's page, if that has been built.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# A build that is complete already, or else our own.
FINISHED = os.environ.get("TAUT_BUILD")
BUILD = FINISHED or os.path.join(ROOT, "build", "release")
DATE = (1980, 1, 1, 0, 0, 0)  # the same wheel from the same files


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(taut VERSION ([\d.]+)", file.read()).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    return f"{python}-{python}-{platform}"


def _metadata():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        readme = file.read()
    return (f"Metadata-Version: 2.1\nName: taut\nVersion: {version()}\n"
            "Summary: Constrained dynamics: every enforcement method on one scene\n"
            "License: Apache-2.0\nRequires-Python: >=3.9\nRequires-Dist: numpy\n"
            f"Description-Content-Type: text/markdown\n\n{readme}")


def _build():
    if FINISHED:
        return
    # Not the link in a virtual environment: it is another one each time.
    python = os.path.realpath(sys.executable)
    script = os.path.join(ROOT, "scripts", "build.sh")
    # pip hides what is installed from the programs that it starts, and so NumPy from CMake.
    seen = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    for target in ("taut_python", "taut_cli"):
        subprocess.run([script, "release", target, "-DTAUT_PYTHON=ON",
                        f"-DPython3_EXECUTABLE={python}"], check=True, env=seen)


def _files():
    """What is in the wheel: (name there, path here)."""
    package = os.path.join(BUILD, "python", "taut")
    for name in sorted(os.listdir(package)):
        if name.endswith((".py", ".pyi", ".so")) or name == "py.typed":
            yield f"taut/{name}", os.path.join(package, name)
    yield "taut/bin/taut", os.path.join(BUILD, "bin", "taut")
    page = os.path.join(ROOT, "build", "web")
    for folder, _, names in sorted(os.walk(page)):
        for name in sorted(names):
            path = os.path.join(folder, name)
            # Where the program looks for it: <prefix>/bin/taut, <prefix>/share/taut/web.
            yield f"taut/share/taut/web/{os.path.relpath(path, page)}".replace(os.sep, "/"), path


def get_requires_for_build_wheel(config_settings=None):
    return []


def get_requires_for_build_sdist(config_settings=None):
    return []


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name = f"taut-{version()}.dist-info"
    os.makedirs(os.path.join(metadata_directory, name), exist_ok=True)
    with open(os.path.join(metadata_directory, name, "METADATA"), "w", encoding="utf-8") as file:
        file.write(_metadata())
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build()
    info = f"taut-{version()}.dist-info"
    name = f"taut-{version()}-{_tag()}.whl"
    record = []
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:

        def add(path, content, mode=0o644):
            entry = zipfile.ZipInfo(path, DATE)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=")
            record.append(f"{path},sha256={digest.decode()},{len(content)}")

        for path, source in _files():
            with open(source, "rb") as file:
                add(path, file.read(), os.stat(source).st_mode & 0o777)
        with open(os.path.join(ROOT, "LICENSE"), "rb") as file:
            add(f"{info}/LICENSE", file.read())
        add(f"{info}/METADATA", _metadata().encode())
        add(f"{info}/WHEEL", (f"Wheel-Version: 1.0\nGenerator: taut\nRoot-Is-Purelib: false\n"
                              f"Tag: {_tag()}\n").encode())
        wheel.writestr(zipfile.ZipInfo(f"{info}/RECORD", DATE),
                       "\n".join([*record, f"{info}/RECORD,,", ""]))
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The sources, without what was built from them."""
    base = f"taut-{version()}"
    skipped = {"build", "results", "dist", ".git", "node_modules", "__pycache__", ".cache"}

    def wanted(entry):
        return None if skipped & set(entry.name.split("/")[1:]) else entry

    path = os.path.join(sdist_directory, f"{base}.tar.gz")
    with tarfile.open(path, "w:gz", format=tarfile.PAX_FORMAT) as archive:
        text = _metadata().encode()
        info = tarfile.TarInfo(f"{base}/PKG-INFO")
        info.size = len(text)
        import io

        archive.addfile(info, io.BytesIO(text))
        archive.add(ROOT, base, filter=wanted)
    return os.path.basename(path)
