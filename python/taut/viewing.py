"""The viewer."""

import atexit
import os
import shutil
import subprocess
import tempfile

from . import _taut
from .scene import Scene


def program():
    """The path of the command line ``taut``: the one of this package, or the first in PATH."""
    here = os.path.dirname(os.path.abspath(__file__))
    own = os.path.join(here, "bin", "taut")
    found = own if os.access(own, os.X_OK) else shutil.which("taut")
    if not found:
        raise _taut.Error("found no program taut, neither in the package nor in PATH")
    return found


def view(scene, *arguments):
    """Opens a scene in the viewer, which runs until it is closed: returns its process.

    :param scene: a Scene, or what ``Scene.load`` takes.
    :param arguments: of ``taut view``.
    """
    settings = []
    if isinstance(scene, Scene) and scene._loaded is None:
        folder = tempfile.mkdtemp(prefix="taut-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        path = os.path.join(folder, f"{scene.name}.json".replace("/", "_"))
        scene.save(path)
    elif isinstance(scene, Scene):
        path = scene._loaded
        settings = [word for name, value in scene._settings.items()
                    for word in ("--set", f"{name}={value}")]
    else:
        path = os.fspath(scene)
    return subprocess.Popen([program(), "view", path, *settings, *map(str, arguments)])
