// The numbers of the viewer's protocol. docs/viewer.md says what they mean.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace taut::server {

inline constexpr int protocol_version = 1;

// Limits ------------------------------------------------------------------------------------------
inline constexpr std::size_t most_message_bytes = std::size_t{8} << 20;
inline constexpr std::size_t most_runs = 16;
inline constexpr std::size_t most_worlds = 32;
inline constexpr std::size_t most_clients = 256;
inline constexpr std::size_t most_grabs = 32;
inline constexpr std::size_t most_listed = 10'000;  ///< names, constraints, times
inline constexpr int most_bad_messages = 100;       ///< in a row
inline constexpr double world_patience = 60;        ///< s without a client

// Binary frames -----------------------------------------------------------------------------------
inline constexpr std::array<char, 4> frame_magic{'T', 'A', 'U', 'T'};
inline constexpr std::uint16_t frame_version = 1;

enum class FrameKind : std::uint16_t { state = 1, surface = 2, links = 3, mesh = 4 };

struct FrameHeader {
  std::array<char, 4> magic = frame_magic;
  std::uint16_t version = frame_version;
  FrameKind kind = FrameKind::state;
  std::uint32_t generation = 0;
  std::uint32_t number = 0;  ///< of the run, surface or mesh
  double time = 0;
  std::uint64_t index = 0;    ///< steps done, or index in what was recorded
  std::uint32_t request = 0;  ///< id of the message that asked for it
  std::uint32_t sections = 0;
  std::uint64_t reserved = 0;
};
static_assert(sizeof(FrameHeader) == 48);

enum class SectionKind : std::uint16_t {
  particles = 1,
  rigid = 2,
  scalars = 3,
  forces = 4,
  contacts = 5,
  metrics = 6,
  pulls = 7,
  particle_velocities = 8,
  rigid_velocities = 9,
  ghosts = 16,
  limb_forces = 17,
  hands = 18,
  inputs = 19,
};
inline constexpr std::uint32_t hand_columns = 41;  ///< of the section `hands`
enum class SectionNumbers : std::uint16_t { float32 = 1, float64 = 2, mixed = 3 };

struct SectionHeader {
  std::uint16_t kind = 0;
  SectionNumbers numbers = SectionNumbers::float32;
  std::uint32_t columns = 1;
  std::uint64_t rows = 0;
};
static_assert(sizeof(SectionHeader) == 16);

// Metrics -----------------------------------------------------------------------------------------
struct MetricInfo {
  std::string_view name, unit, description;
};
enum class Metric : std::size_t {
  kinetic,
  potential,
  energy,
  energy_error,
  constraint_error,
  accumulated_error,
  max_error,
  deviation,
  max_deviation,
  step_cost,
  speed,
  contacts,
  iterations,
  halved_steps,
  count,
};
inline constexpr std::array<MetricInfo, static_cast<std::size_t>(Metric::count)> metrics{{
    {"kinetic", "J", "kinetic energy"},
    {"potential", "J", "potential energy"},
    {"energy", "J", "total energy"},
    {"energy_error", "J", "largest error of the energy so far, in scenes that conserve it"},
    {"constraint_error", "m", "largest error of a constraint now (rad for angles)"},
    {"accumulated_error", "m", "errors of all constraints, summed over the steps so far"},
    {"max_error", "m", "largest error of a constraint so far"},
    {"deviation", "m", "distance from the reference now"},
    {"max_deviation", "m", "largest distance from the reference so far"},
    {"step_cost", "µs", "time a step takes, a moving average"},
    {"speed", "", "simulated seconds per second of computing"},
    {"contacts", "", "contacts that bear a load"},
    {"iterations", "", "iterations of the method per step, a moving average"},
    {"halved_steps", "", "steps that were solved only in parts, so far"},
}};

}  // namespace taut::server
