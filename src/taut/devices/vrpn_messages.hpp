// The messages of VRPN as bytes, after the published description of its wire protocol: a cookie of
// 24 bytes from each side, and then messages. Big-endian throughout.
//
//   int32 length (24 + payload), seconds, microseconds, sender, type; int32 sequence number
//   payload, padded to a multiple of 8
//
// Senders and types are numbers, from 0 on without gaps; what they mean each side says first, in
// messages of the types −1 (sender) and −2 (type), where "sender" is the number and the payload its
// name. A sender is the name of a device, also in what a client asks of it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taut/base/types.hpp"

namespace taut::devices::vrpn {

inline constexpr int usual_port = 3883;
inline constexpr std::size_t cookie_size = 24;
inline constexpr std::size_t header_size = 24;
inline constexpr std::size_t longest_payload = 65536;
inline constexpr int most_channels = 128;

enum SystemType : std::int32_t { sender_description = -1, type_description = -2, disconnect = -5 };

std::string cookie();
/// Whether it is one of a version that we understand.
bool is_cookie(std::string_view bytes);

struct Message {
  double time = 0;  ///< s
  std::int32_t sender = 0, type = 0;
  std::string payload;
};
/// Adds a message to bytes that are to be sent.
void append(const Message& message, std::string& out);

/// Takes bytes as they come, in pieces of any size, and gives messages.
class Reader {
 public:
  enum class Status { message, incomplete, broken };
  void add(std::string_view bytes) { bytes_.append(bytes); }
  /// The cookie, if it is there. `broken`: what came is no VRPN.
  Status take_cookie();
  /// `broken`: the stream cannot be followed any further.
  Status take(Message& out);

 private:
  std::string bytes_;
  std::size_t begin_ = 0;
};

// Payloads. What cannot be right is nullopt: too short or too long, no numbers.
struct TrackerPose {
  std::int32_t sensor = 0;
  Vec3 position = Vec3::Zero();
  Quat orientation = Quat::Identity();
};
struct ButtonChange {
  std::int32_t button = 0, state = 0;
};
std::string name_payload(std::string_view name);
std::optional<std::string> read_name(std::string_view payload);
std::string tracker_payload(const TrackerPose& pose);
std::optional<TrackerPose> read_tracker(std::string_view payload);
std::string analog_payload(std::span<const double> channels);
std::optional<std::vector<double>> read_analog(std::string_view payload);
std::string button_payload(const ButtonChange& change);
std::optional<ButtonChange> read_button(std::string_view payload);
std::string force_payload(const Vec3& force);
std::optional<Vec3> read_force(std::string_view payload);

/// A force near a place: what a client asks of a force device. Floats, of 16.
struct ForceField {
  Vec3 origin = Vec3::Zero(), force = Vec3::Zero();  ///< m, N
  double radius = 0;                                 ///< m: no force farther away
};
std::string force_field_payload(const ForceField& field);
std::optional<ForceField> read_force_field(std::string_view payload);
/// All channels of an output: what a client asks of an analog device.
std::string outputs_payload(std::span<const double> channels);
std::optional<std::vector<double>> read_outputs(std::string_view payload);

inline constexpr std::string_view tracker_type = "vrpn_Tracker Pos_Quat";
inline constexpr std::string_view analog_type = "vrpn_Analog Channel";
inline constexpr std::string_view button_type = "vrpn_Button Change";
inline constexpr std::string_view force_type = "vrpn_ForceDevice Force";
inline constexpr std::string_view force_field_type = "vrpn_ForceDevice Force_Field";
inline constexpr std::string_view outputs_type = "vrpn_Analog_Output Change_Channels_request";
inline constexpr std::string_view ping_type = "vrpn_Base ping_message";
inline constexpr std::string_view pong_type = "vrpn_Base pong_message";

}  // namespace taut::devices::vrpn
