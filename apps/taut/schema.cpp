#include <fmt/core.h>

#include "commands.hpp"
#include "taut/scene/scene.hpp"

namespace taut::cli {

void add_schema(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON Schema for scenes, for editors and validators");
  command->footer("Example:\n  taut schema > scene.schema.json");
  command->callback([&chosen] {
    chosen = [] {
      const std::string text = io::scene_schema();
      fmt::print("{}{}", text, text.ends_with('\n') ? "" : "\n");
      return exit_ok;
    };
  });
}

}  // namespace taut::cli
