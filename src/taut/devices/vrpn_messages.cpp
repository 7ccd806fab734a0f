#include "taut/devices/vrpn_messages.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace taut::devices::vrpn {
namespace {

constexpr std::string_view version = "vrpn: ver. 07.38";
constexpr std::size_t compared = std::string_view("vrpn: ver. 07.").size();  // minor ones mix

void put32(std::int32_t value, std::string& out) {
  const auto bits = static_cast<std::uint32_t>(value);
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(bits >> shift & 0xff);
}
void put_float(double value, std::string& out) {
  put32(std::bit_cast<std::int32_t>(static_cast<float>(value)), out);
}
void put64(double value, std::string& out) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (int shift = 56; shift >= 0; shift -= 8) out += static_cast<char>(bits >> shift & 0xff);
}
std::uint64_t get(std::string_view bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + static_cast<std::size_t>(i)]);
  return value;
}
std::int32_t get32(std::string_view bytes, std::size_t at) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(get(bytes, at, 4)));
}
double get64(std::string_view bytes, std::size_t at) {
  return std::bit_cast<double>(get(bytes, at, 8));
}

std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }

/// Numbers from a place on; nullopt where one is no number.
std::optional<std::vector<double>> numbers(std::string_view bytes, std::size_t at,
                                           std::size_t count) {
  if (bytes.size() < at + 8 * count) return std::nullopt;
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = get64(bytes, at + 8 * i);
    if (!std::isfinite(out[i])) return std::nullopt;
  }
  return out;
}

}  // namespace

std::string cookie() {
  std::string out(version);
  out += "  0";  // nothing is logged
  out.resize(cookie_size, '\0');
  return out;
}

bool is_cookie(std::string_view bytes) {
  return bytes.size() >= cookie_size && bytes.substr(0, compared) == version.substr(0, compared);
}

void append(const Message& message, std::string& out) {
  const double whole = std::floor(message.time);
  put32(static_cast<std::int32_t>(header_size + message.payload.size()), out);
  put32(static_cast<std::int32_t>(whole), out);
  put32(std::min(999'999, static_cast<std::int32_t>(std::lround(1e6 * (message.time - whole)))),
        out);
  put32(message.sender, out);
  put32(message.type, out);
  put32(0, out);
  out += message.payload;
  out.append(padded(message.payload.size()) - message.payload.size(), '\0');
}

Reader::Status Reader::take_cookie() {
  if (bytes_.size() - begin_ < cookie_size) return Status::incomplete;
  if (!is_cookie(std::string_view(bytes_).substr(begin_, cookie_size))) return Status::broken;
  begin_ += cookie_size;
  return Status::message;
}

Reader::Status Reader::take(Message& out) {
  const std::string_view rest = std::string_view(bytes_).substr(begin_);
  if (rest.size() < header_size) {
    bytes_.erase(0, begin_);
    begin_ = 0;
    return Status::incomplete;
  }
  const std::int32_t length = get32(rest, 0);
  if (length < static_cast<std::int32_t>(header_size) ||
      length > static_cast<std::int32_t>(header_size + longest_payload))
    return Status::broken;
  const std::size_t payload = static_cast<std::size_t>(length) - header_size;
  if (rest.size() < header_size + padded(payload)) return Status::incomplete;
  out.time = get32(rest, 4) + 1e-6 * get32(rest, 8);
  out.sender = get32(rest, 12);
  out.type = get32(rest, 16);
  out.payload = rest.substr(header_size, payload);
  begin_ += header_size + padded(payload);
  return Status::message;
}

std::string name_payload(std::string_view name) {
  std::string out;
  put32(static_cast<std::int32_t>(name.size() + 1), out);
  out += name;
  out += '\0';
  return out;
}

std::optional<std::string> read_name(std::string_view payload) {
  if (payload.size() < 5) return std::nullopt;
  const std::int32_t length = get32(payload, 0);
  if (length < 1 || static_cast<std::size_t>(length) > payload.size() - 4) return std::nullopt;
  const std::string_view text = payload.substr(4, static_cast<std::size_t>(length));
  return std::string(text.substr(0, text.find('\0')));
}

std::string tracker_payload(const TrackerPose& pose) {
  std::string out;
  put32(pose.sensor, out);
  put32(pose.sensor, out);  // as VRPN fills it
  for (int i = 0; i < 3; ++i) put64(pose.position[i], out);
  for (const double part :
       {pose.orientation.x(), pose.orientation.y(), pose.orientation.z(), pose.orientation.w()})
    put64(part, out);
  return out;
}

std::optional<TrackerPose> read_tracker(std::string_view payload) {
  if (payload.size() != 64) return std::nullopt;
  const auto values = numbers(payload, 8, 7);
  if (!values) return std::nullopt;
  const std::vector<double>& v = *values;
  TrackerPose pose{get32(payload, 0), Vec3(v[0], v[1], v[2]), Quat(v[6], v[3], v[4], v[5])};
  const double length = pose.orientation.norm();
  if (pose.sensor < 0 || !(length > 0.5) || !(length < 2)) return std::nullopt;
  pose.orientation.normalize();
  return pose;
}

std::string analog_payload(std::span<const double> channels) {
  std::string out;
  put64(static_cast<double>(channels.size()), out);
  for (const double value : channels) put64(value, out);
  return out;
}

std::optional<std::vector<double>> read_analog(std::string_view payload) {
  if (payload.size() < 8) return std::nullopt;
  const double count = get64(payload, 0);
  if (!(count >= 0) || !(count <= most_channels) || count != std::floor(count) ||
      payload.size() != 8 + 8 * static_cast<std::size_t>(count))
    return std::nullopt;
  return numbers(payload, 8, static_cast<std::size_t>(count));
}

std::string button_payload(const ButtonChange& change) {
  std::string out;
  put32(change.button, out);
  put32(change.state, out);
  return out;
}

std::optional<ButtonChange> read_button(std::string_view payload) {
  if (payload.size() != 8) return std::nullopt;
  const ButtonChange change{get32(payload, 0), get32(payload, 4)};
  if (change.button < 0 || change.button >= 256) return std::nullopt;
  return change;
}

std::string force_payload(const Vec3& force) {
  std::string out;
  for (int i = 0; i < 3; ++i) put64(force[i], out);
  return out;
}

std::optional<Vec3> read_force(std::string_view payload) {
  if (payload.size() != 24) return std::nullopt;
  const auto values = numbers(payload, 0, 3);
  if (!values) return std::nullopt;
  return Vec3((*values)[0], (*values)[1], (*values)[2]);
}

std::string force_field_payload(const ForceField& field) {
  std::string out;
  for (int i = 0; i < 3; ++i) put_float(field.origin[i], out);
  for (int i = 0; i < 3; ++i) put_float(field.force[i], out);
  for (int i = 0; i < 9; ++i) put_float(0, out);  // its derivatives
  put_float(field.radius, out);
  return out;
}

std::optional<ForceField> read_force_field(std::string_view payload) {
  if (payload.size() != 64) return std::nullopt;
  std::array<double, 16> v;
  for (std::size_t i = 0; i < v.size(); ++i) {
    v[i] = std::bit_cast<float>(get32(payload, 4 * i));
    if (!std::isfinite(v[i])) return std::nullopt;
  }
  return ForceField{Vec3(v[0], v[1], v[2]), Vec3(v[3], v[4], v[5]), v[15]};
}

std::string outputs_payload(std::span<const double> channels) {
  std::string out;
  put32(static_cast<std::int32_t>(channels.size()), out);
  put32(0, out);
  for (const double value : channels) put64(value, out);
  return out;
}

std::optional<std::vector<double>> read_outputs(std::string_view payload) {
  if (payload.size() < 8) return std::nullopt;
  const std::int32_t count = get32(payload, 0);
  if (count < 0 || count > most_channels ||
      payload.size() != 8 + 8 * static_cast<std::size_t>(count))
    return std::nullopt;
  return numbers(payload, 8, static_cast<std::size_t>(count));
}

}  // namespace taut::devices::vrpn
