// A program of somebody else, who has installed taut.
#include <cstdio>

#include "taut/base/version.hpp"
#include "taut/io/builtin_scenes.hpp"

int main() {
  std::printf("taut %s\n", taut::version);
  for (const taut::io::BuiltinScene& scene : taut::io::builtin_scenes()) {
    std::printf("  %.*s\n", static_cast<int>(scene.name.size()), scene.name.data());
  }
}
