// taut run --engine petsc is done by another program beside this one, apps/petsc: so this one needs
// no MPI and no PETSc, and starts as quickly as without them.
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "run_arguments.hpp"
#include "taut/base/error.hpp"

namespace taut::cli {
namespace {

constexpr std::array<std::string_view, 1> engines{"petsc"};

std::filesystem::path program_of(std::string_view engine) {
  std::error_code no_throw;
  const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", no_throw);
  return own.parent_path() / fmt::format("taut-{}", engine);
}

bool is_first() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return std::string_view(rank) == "0";
  return true;
}

}  // namespace

// mpirun knows its processes by their numbers, which stay. Those it starts all find the same
// trouble: the first one tells it.
ExitCode run_on_engine(const RunArguments& arguments) {
  const std::string& name = arguments.engine;
  if (name != engines.front())
    throw Error(fmt::format("--engine: unknown engine \"{}\"{}", name, suggestion(name, engines)));
  const std::string program = program_of(name).string();
  if (::access(program.c_str(), F_OK) != 0 && !is_first()) return exit_bad_input;
  if (::access(program.c_str(), F_OK) != 0)
    throw Error(fmt::format(
        "--engine: found \"{}\", but this taut was built without it: there is no {}; ./run --petsc "
        "builds it (CMake's TAUT_PETSC=ON)",
        name, program));
  std::vector<std::string> words = given_words();
  std::vector<char*> pointers{const_cast<char*>(program.c_str())};
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  // A process has one core; one that waits for another leaves it to whoever needs it.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  ::setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  ::execv(program.c_str(), pointers.data());
  throw Error(fmt::format("{}: cannot be started: {}", program, std::strerror(errno)));
}

}  // namespace taut::cli
