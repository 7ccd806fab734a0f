#include "output_arguments.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "run_plan.hpp"
#include "taut/base/error.hpp"

namespace taut::cli {
namespace {

constexpr double default_frame_rate = 30;

/// "--recording or --frames"
std::string frame_options() {
  std::string text;
  for (const io::RunWriterInfo& writer : io::run_writers())
    if (!writer.is_table()) text += fmt::format("{}--{}", text.empty() ? "" : " or ", writer.name);
  return text;
}

void require_suitable(const io::RunWriterInfo& writer, const io::Scene& scene) {
  if (writer.suits(scene)) return;
  throw Error(fmt::format("--{}: found no joints in {}, expected a scene with joints", writer.name,
                          scene.name));
}

}  // namespace

CLI::Validator not_empty() {
  return CLI::Validator(
      [](std::string& text) {
        return text.empty() ? std::string("found \"\", expected a name") : std::string();
      },
      "");
}

void add_output_arguments(CLI::App& command, OutputArguments& arguments) {
  std::string tables;
  for (const io::RunWriterInfo& writer : io::run_writers())
    if (writer.is_table()) tables += fmt::format("{}{}", tables.empty() ? "" : ", ", writer.file);
  command.add_option("--out", arguments.results, "Directory for the results: " + tables)
      ->type_name("DIR")
      ->check(not_empty());
  for (const io::RunWriterInfo& writer : io::run_writers()) {
    if (writer.is_table()) continue;
    const bool is_folder = writer.place == io::RunWriterInfo::Place::folder;
    command
        .add_option(fmt::format("--{}", writer.name), arguments.places[writer.name],
                    fmt::format("Write {} ({})", writer.summary, writer.file))
        ->type_name(is_folder ? "DIR" : "FILE")
        ->check(not_empty());
    for (const io::RunWriterOption& option : writer.options)
      command
          .add_option(fmt::format("--{}", option.name), arguments.options[option.name],
                      fmt::format("With --{}: {}; {} by default", writer.name, option.summary,
                                  option.choices.front()))
          ->type_name(fmt::format("{}", fmt::join(option.choices, "|")));
  }
  command
      .add_option("--frames-per-second", arguments.frame_rate,
                  fmt::format("With {}: frames per simulated second; {} by default. The time "
                              "between frames is a whole number of steps",
                              frame_options(), default_frame_rate))
      ->type_name("RATE");
}

std::vector<io::WantedOutput> wanted_outputs(const OutputArguments& arguments,
                                             const io::Scene& scene, double duration) {
  std::vector<io::WantedOutput> wanted;
  bool has_frames = false;
  for (const io::RunWriterInfo& writer : io::run_writers()) {
    if (writer.is_table()) {
      if (!arguments.results.empty() && writer.suits(scene))
        wanted.push_back({&writer, std::filesystem::path(arguments.results) / writer.file, {}});
      continue;
    }
    const std::string& place = arguments.places.at(writer.name);
    io::WantedOutput output{&writer, place, {}};
    for (const io::RunWriterOption& option : writer.options) {
      const std::string& value = arguments.options.at(option.name);
      if (value.empty()) continue;
      if (place.empty()) throw Error(fmt::format("--{}: only with --{}", option.name, writer.name));
      output.options[option.name] = value;
    }
    if (place.empty()) continue;
    require_suitable(writer, scene);
    has_frames = true;
    wanted.push_back(std::move(output));
  }
  if (arguments.frame_rate) {
    if (!has_frames) throw Error(fmt::format("--frames-per-second: only with {}", frame_options()));
    require_positive(*arguments.frame_rate, "--frames-per-second");
  }
  if (has_frames) require_countable(duration, 1 / frame_rate(arguments));
  return wanted;
}

double frame_rate(const OutputArguments& arguments) {
  return arguments.frame_rate.value_or(default_frame_rate);
}

void print_outputs(const std::vector<io::WrittenOutput>& written) {
  std::string results;
  for (const io::WrittenOutput& output : written) {
    if (output.place.empty()) continue;
    if (output.writer->is_table()) {
      results += (results.empty() ? "\nresults: " : ", ") + output.place.string();
      continue;
    }
    fmt::print("  {:<17} {} {}, {:.4g} per s{}{}: {}\n", output.writer->name, output.records,
               output.records == 1 ? "frame" : "frames", 1 / output.interval,
               output.details.empty() ? "" : "; ", output.details, output.place.string());
  }
  if (!results.empty()) fmt::print("{}\n", results);
}

}  // namespace taut::cli
