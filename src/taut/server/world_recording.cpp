#include <unistd.h>

#include <atomic>
#include <filesystem>

#include "taut/base/error.hpp"
#include "taut/record/recording.hpp"
#include "taut/server/world.hpp"
#include "taut/text/json_text.hpp"

namespace taut::server {

// The writer knows files only: a temporary one, then.
std::string World::recording_of(int run) {
  namespace fs = std::filesystem;
  static std::atomic<unsigned> count = 0;
  const fs::path path = fs::temp_directory_path() / ("taut-" + std::to_string(getpid()) + "-" +
                                                     std::to_string(count++) + ".taut");
  const auto of = live(run);
  const io::Scene scene = Document::from_text(text(), "scene").read();
  std::string method;
  {
    const std::lock_guard control(control_);
    method = plans_.at(static_cast<std::size_t>(run)).info->name;
  }
  std::string bytes;
  try {
    io::RecordingWriter writer(path, scene, method, 0, io::RecordedPositions::float32);
    const std::size_t frames = of->recorded().count;
    for (std::size_t i = 0; i < frames; ++i)
      if (const auto record = of->history()->at(i)) writer.record(record->state, {}, record->inputs);
    writer.finish();
    constexpr std::size_t most = std::size_t{1} << 31;
    bytes = io::read_text(path.string(), "a recording", most);
  } catch (...) {
    std::error_code ignored;
    fs::remove(path, ignored);
    fs::remove(path.string() + ".partial", ignored);
    throw;
  }
  std::error_code ignored;
  fs::remove(path, ignored);
  return bytes;
}

}  // namespace taut::server
