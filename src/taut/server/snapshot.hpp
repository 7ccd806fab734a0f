// One state of a run with all that may be shown of it; made by the run, read by anybody.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "taut/model/state.hpp"
#include "taut/server/body_order.hpp"
#include "taut/server/hand_drive.hpp"
#include "taut/server/protocol.hpp"
#include "taut/simulate/stepping.hpp"

namespace taut::server {

/// Two particles that something holds together: where strain and tension are shown.
struct Edge {
  int a = 0, b = 0;      ///< numbers among the particles
  double length = 1;     ///< natural
  int row = -1;          ///< whose multiplier is the tension; −1: a spring
  double stiffness = 0;  ///< of the spring
};

/// What all states of a run have in common.
struct Frame {
  BodyOrder order;
  std::vector<Edge> edges;
};

struct MetricValues : std::array<double, metrics.size()> {
  MetricValues() { fill(std::numeric_limits<double>::quiet_NaN()); }
  double& operator[](Metric metric) { return at(static_cast<std::size_t>(metric)); }
  double operator[](Metric metric) const { return at(static_cast<std::size_t>(metric)); }
};

struct PullSample {
  std::uint32_t grab = 0;
  int body = -1;  ///< number
  Vec3 point = Vec3::Zero(), target = Vec3::Zero(), force = Vec3::Zero();
};

struct Snapshot {
  std::shared_ptr<const Frame> frame;
  std::uint32_t generation = 0;
  std::uint64_t version = 0;  ///< grows with every snapshot of a run
  std::uint64_t index = 0;    ///< steps done, or index in what was recorded
  State state;
  MetricValues metrics;
  std::vector<PullSample> pulls;
  std::vector<HandShot> hands;
  std::vector<double> inputs;
  // Where they were wished for:
  bool has_forces = false, has_contacts = false;
  VecX lambda;
  std::vector<ConstraintForce> forces;
  std::vector<ContactSample> contacts;
};
using SnapshotPointer = std::shared_ptr<const Snapshot>;

enum class Colour { none, strain, tension, speed };
/// What a client wants to see.
struct Show {
  double rate = 60;
  Colour colour = Colour::none;
  bool forces = false, contacts = false;
};

/// The binary frame of docs/viewer.md.
struct StateFrame {
  std::uint32_t run = 0, request = 0;
  bool exact = false;  ///< float64, with velocities
};
std::string encode(const Snapshot& snapshot, const Show& show, const StateFrame& as);

}  // namespace taut::server
