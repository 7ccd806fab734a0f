// What mpirun has started. MPI itself is in a library of its own, which is loaded only then
// (apps/mpi): so taut runs where there is no MPI.
#include <dlfcn.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "taut/base/error.hpp"
#include "taut/farm/fleet.hpp"
#include "taut/farm/fleet_internal.hpp"

namespace taut::farm {
namespace {

int started_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 1;
}

int own_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return 0;
}

/// Gives `text` of the first process to all.
using Share = int (*)(char* text, int length);

Share load_share() {
  namespace fs = std::filesystem;
  std::error_code no_throw;
  const fs::path program = fs::read_symlink("/proc/self/exe", no_throw).parent_path();
  for (const fs::path& folder : {program, program / ".." / "lib"}) {
    const fs::path file = folder / "libtaut_mpi.so";
    if (!fs::exists(file, no_throw)) continue;
    // For all: MPI loads parts of itself, which look for the others.
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* found = library ? ::dlsym(library, "taut_mpi_share") : nullptr;
    if (found) return reinterpret_cast<Share>(found);
    throw Error(fmt::format("{}: cannot be loaded: {}", file.string(), ::dlerror()));
  }
  throw Error(
      "mpirun has started several processes, but this taut was built without MPI: ./run --mpi "
      "builds "
      "it (CMake's TAUT_MPI)");
}

}  // namespace

std::unique_ptr<Fleet> Fleet::of_mpi() {
  const int size = started_processes();
  if (size <= 1) return nullptr;
  const Share share = load_share();
  char text[4096] = {};
  std::unique_ptr<Fleet> fleet;
  if (own_rank() == 0) {
    fleet = lead();
    fmt::format_to_n(text, sizeof text - 1, "{}", fleet->address());
  }
  if (share(text, sizeof text) != 0) throw Error("MPI could not be started");
  if (!fleet) fleet = follow(text);
  fleet->impl().processes = size;
  return fleet;
}

}  // namespace taut::farm
