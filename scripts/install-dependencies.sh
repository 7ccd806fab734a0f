#!/bin/sh
# Installs the Debian packages that taut is built with, when any is missing.
#   scripts/install-dependencies.sh            what ./run needs
#   scripts/install-dependencies.sh --tests    what ./test needs as well
#   scripts/install-dependencies.sh --python   what the Python package is built and used with
#   scripts/install-dependencies.sh --peers    the engines that ./run bench peers compares with
#   scripts/install-dependencies.sh --page     what the viewer's page is built with
#   scripts/install-dependencies.sh --render   what taut render needs
#   scripts/install-dependencies.sh --docs     what ./run docs builds pages with
#   scripts/install-dependencies.sh --mpi      Open MPI, for taut sweep on several machines
#   scripts/install-dependencies.sh --petsc    what cloth on several processes needs, and its tests
#   scripts/install-dependencies.sh --readers  VTK's reader and Blender, for the test of exports (600 MB)
# Asks nothing, and does not call apt when all packages are there.
set -eu

packages="g++ cmake ninja-build libeigen3-dev nlohmann-json3-dev libcli11-dev libfmt-dev
  libjs-chart.js liburdfdom-dev liburdfdom-headers-dev libtinyxml-dev libconsole-bridge-dev
  libtinyobjloader-dev libqhull-dev"
test_packages="libgtest-dev libbenchmark-dev libmujoco-dev libsdformat-dev pkg-config
  python3-jsonschema python3-markdown python3-pygments python3-mypy"
python_packages="python3-dev python3-numpy python3-matplotlib python3-venv python3-pip pybind11-dev"
render_packages="chromium ffmpeg"
page_packages="nodejs npm"
if command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1; then
  page_packages=  # from elsewhere they are as good
fi
docs_packages="python3-markdown python3-pygments doxygen"
reader_packages="python3-numpy python3-vtk9 blender"
mpi_packages="libopenmpi-dev openmpi-bin"
petsc_packages="libpetsc-real-dev libopenmpi-dev openmpi-bin pkg-config"
peer_packages="pkg-config libode-dev libbullet-dev libmujoco-dev libsimbody-dev libdart-dev
  libsiconos-numerics-dev"

case "${1-}" in
  "") ;;
  --tests)
    packages="$packages $test_packages $page_packages $render_packages $python_packages $petsc_packages"
    ;;
  --python) packages=$python_packages ;;
  --peers) packages="$packages $peer_packages" ;;
  --mpi) packages=$mpi_packages ;;
  --page) packages=$page_packages ;;
  --render) packages=$render_packages ;;
  --docs) packages=$docs_packages ;;
  --readers) packages=$reader_packages ;;
  --petsc) packages="$packages $petsc_packages" ;;
  *) echo "usage: $0 [--tests | --python | --peers | --page | --render | --docs | --mpi | --petsc | --readers]" >&2; exit 2 ;;
esac

[ -n "$packages" ] || exit 0

# Elsewhere than on Debian and its relatives, CMake says what it cannot find.
command -v dpkg-query >/dev/null 2>&1 || exit 0

# shellcheck disable=SC2016,SC2086  # ${…} is dpkg-query's own syntax; the lists are split on purpose
installed=$(dpkg-query -W -f '${Package}=${db:Status-Status}\n' $packages 2>/dev/null || true)
missing=
for package in $packages; do
  case "
$installed
" in
    *"
$package=installed
"*) ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo -n"  # never ask for a password
else
  echo "taut: these packages are missing:$missing" >&2
  echo "taut: installing them needs root or sudo; as root: apt-get install$missing" >&2
  exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT

apt() {
  $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get -y -q -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null
}

# shellcheck disable=SC2086
install_missing() { apt install --no-install-recommends $missing; }

# shellcheck disable=SC2086
lists_are_there() { apt-cache show $missing >/dev/null 2>&1; }

echo "taut: installing$missing" >&2
if lists_are_there && install_missing; then
  exit 0
fi
# No package lists, or lists so old that their files are gone from the mirror.
if apt update && install_missing; then
  exit 0
fi
tail -n 20 "$log" >&2
echo "taut: apt-get could not install them; as root: apt-get update && apt-get install$missing" >&2
exit 1
