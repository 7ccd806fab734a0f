#include "taut/server/serve_config.hpp"

#include <fmt/core.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "taut/devices/cyberglove.hpp"
#include "taut/devices/plugin_device.hpp"
#include "taut/devices/recorded_session.hpp"
#include "taut/devices/vrpn_device.hpp"
#include "taut/text/at.hpp"
#include "taut/text/json_text.hpp"

namespace taut::server {
namespace {

using io::At;

constexpr std::array<std::string_view, 7> device_types{"vrpn",  "cyberglove", "recorded", "plugin",
                                                       "mouse", "webxr",      "module"};
constexpr double highest_rate = 20'000;  // Hz
constexpr std::size_t longest_config = std::size_t{1} << 20;

/// The members of an object, each of which must be asked for.
class ConfigReader {
 public:
  ConfigReader(const At& at, std::string folder) : at_(at), folder_(std::move(folder)) {
    if (!at->members()) io::fail_found(at, "an object");
  }

  bool has(std::string_view key) {
    known_.push_back(key);
    return at_.has(key);
  }
  void read(std::string_view key, std::string& out) {
    if (!has(key)) return;
    const At member = at_.member(key);
    if (!member->text() || member->text()->empty()) io::fail_found(member, "a text");
    out = *member->text();
  }
  void read(std::string_view key, bool& out) {
    if (!has(key)) return;
    const At member = at_.member(key);
    if (!member->boolean()) io::fail_found(member, "true or false");
    out = *member->boolean();
  }
  void read(std::string_view key, double& out, double most) {
    if (!has(key)) return;
    const At member = at_.member(key);
    if (!member->number() || !(*member->number() > 0) || !(*member->number() <= most))
      io::fail_found(member, fmt::format("a number > 0, at most {}", most));
    out = *member->number();
  }
  std::optional<int> port(std::string_view key, int least) {
    if (!has(key)) return std::nullopt;
    const At member = at_.member(key);
    const double* number = member->number();
    if (!number || *number != std::floor(*number) || *number < least || *number > 65535)
      io::fail_found(member, fmt::format("a port, {} to 65535", least));
    return static_cast<int>(*number);
  }
  std::optional<Vec3> vector(std::string_view key) {
    if (!has(key)) return std::nullopt;
    const At member = at_.member(key);
    const auto* items = member->items();
    if (!items || items->size() != 3) io::fail_found(member, "three numbers");
    Vec3 out;
    for (std::size_t i = 0; i < 3; ++i) {
      if (!(*items)[i].number()) io::fail_found(member.item(i), "a number");
      out[static_cast<Eigen::Index>(i)] = *(*items)[i].number();
    }
    return out;
  }
  /// A file as seen from the folder of the configuration.
  void file(std::string_view key, std::string& out) {
    read(key, out);
    if (!out.empty()) out = (std::filesystem::path(folder_) / out).string();
  }
  /// Itself, or in a file of its own, which can be kept from the eyes of others.
  void token(std::string& out) {
    std::string path;
    file("token_file", path);
    read("token", out);
    if (path.empty()) return;
    if (!out.empty()) io::fail(at_, "found \"token\" and \"token_file\", expected one of the two");
    const At member = at_.member("token_file");
    out = io::with_place(member, [&] { return io::read_text(path, "a token", 4096); });
    while (!out.empty() && std::isspace(static_cast<unsigned char>(out.back()))) out.pop_back();
    if (out.empty()) io::fail(member, "found an empty file, expected a token");
  }
  const At& at() const { return at_; }
  const std::string& folder() const { return folder_; }
  void finish() const {
    for (const auto& [key, value] : *at_->members())
      if (std::find(known_.begin(), known_.end(), key) == known_.end())
        io::fail(at_, fmt::format("found \"{}\"{}", io::printable(key), suggestion(key, known_)));
  }

 private:
  const At& at_;
  std::string folder_;
  std::vector<std::string_view> known_;
};

DeviceConfig read_device(const At& at, const std::string& folder) {
  ConfigReader reader(at, folder);
  DeviceConfig out;
  std::string type;
  reader.read("type", type);
  const auto found = std::find(device_types.begin(), device_types.end(), type);
  if (found == device_types.end())
    io::fail(at, fmt::format("found the type \"{}\"{}", io::printable(type),
                             suggestion(type, device_types)));
  out.type = static_cast<DeviceType>(found - device_types.begin());
  reader.read("hand", out.hand);
  const auto require_file = [&](std::string_view key) {
    reader.file(key, out.file);
    if (out.file.empty()) io::fail(at, fmt::format("found no \"{}\"", key));
  };
  if (is_read_here(out.type) && out.type != DeviceType::recorded)
    reader.read("rate", out.rate, highest_rate);
  switch (out.type) {
    case DeviceType::vrpn:
      reader.read("host", out.host);
      out.port = reader.port("port", 1).value_or(0);
      reader.read("tracker", out.tracker);
      reader.read("glove", out.glove);
      break;
    case DeviceType::cyberglove:
      require_file("line");
      reader.file("calibration", out.calibration);
      out.position = reader.vector("position");
      break;
    case DeviceType::recorded:
      require_file("file");
      break;
    case DeviceType::plugin:
      require_file("library");
      reader.read("options", out.options);
      break;
    case DeviceType::mouse:
    case DeviceType::webxr:
    case DeviceType::module:
      break;
  }
  reader.finish();
  return out;
}

void read_devices(ConfigReader& root, ServeConfig& out) {
  if (!root.has("devices")) return;
  out.has_devices = true;
  const At list = root.at().member("devices");
  if (!list->items()) io::fail_found(list, "a list of devices");
  std::map<std::string, DeviceType> read_by;
  for (std::size_t i = 0; i < list->items()->size(); ++i) {
    const At at = list.item(i);
    DeviceConfig device = read_device(at, root.folder());
    if (out.connect && !is_read_here(device.type))
      io::fail(at, fmt::format("found \"{}\", expected a device that a module reads",
                               name(device.type)));
    const auto [other, is_new] = read_by.emplace(device.hand, device.type);
    if (!is_new && (is_read_here(other->second) || is_read_here(device.type)))
      io::fail(at,
               fmt::format("found another device of the hand \"{}\", expected one", device.hand));
    out.devices.push_back(std::move(device));
  }
}

void read_connect(const At& at, const std::string& folder, ServeConfig& out) {
  ConfigReader reader(at, folder);
  ServeConfig::Connect connect;
  reader.read("host", connect.host);
  const auto port = reader.port("port", 1);
  if (!port) io::fail(at, "found no \"port\", expected that of the server");
  connect.port = static_cast<unsigned short>(*port);
  reader.token(connect.token);
  if (connect.token.empty()) io::fail(at, "found no \"token\" and no \"token_file\"");
  reader.finish();
  out.connect = connect;
}

void read_server(ConfigReader& root, ServeConfig& out) {
  root.read("scene", out.scene);
  if (out.scene.empty()) io::fail(root.at(), "found no \"scene\" and no \"connect\"");
  // A file beside the configuration, else what is built in.
  const std::filesystem::path beside = std::filesystem::path(root.folder()) / out.scene;
  std::error_code no_throw;
  if (std::filesystem::is_regular_file(beside, no_throw)) out.scene = beside.string();
  root.read("method", out.method);
  root.read("contact_solver", out.contact_solver);
  if (root.has("parameters")) {
    const At at = root.at().member("parameters");
    if (!at->members()) io::fail_found(at, "an object with numbers");
    for (const auto& [key, value] : *at->members()) {
      if (!value.number()) io::fail_found(at.member(key), "a number");
      out.parameters[key] = *value.number();
    }
  }
  if (root.has("loops")) {
    const At at = root.at().member("loops");
    ConfigReader loops(at, root.folder());
    loops.read("simulation", out.simulation_rate, highest_rate);
    loops.read("display", out.display_rate, 1000);
    loops.finish();
  }
  if (root.has("viewers")) {
    const At at = root.at().member("viewers");
    ConfigReader viewers(at, root.folder());
    if (const auto port = viewers.port("port", 0)) out.port = static_cast<unsigned short>(*port);
    viewers.read("listen", out.listen);
    viewers.token(out.token);
    viewers.read("control", out.viewers_control);
    viewers.read("paused", out.is_paused);
    viewers.finish();
  }
  if (root.has("modules")) {
    const At at = root.at().member("modules");
    ConfigReader modules(at, root.folder());
    modules.token(out.module_token);
    modules.finish();
  }
}

}  // namespace

std::string_view name(DeviceType type) { return device_types[static_cast<std::size_t>(type)]; }

ServeConfig read_serve_config(const std::string& path) {
  const io::Node node =
      io::parse_json(io::read_text(path, "a configuration of taut serve", longest_config), path);
  const At at(node, path);
  ConfigReader root(at, std::filesystem::path(path).parent_path().string());
  ServeConfig out;
  const io::Node* version = node.find("taut_serve");
  if (!root.has("taut_serve") || !version->number() || *version->number() != 1)
    io::fail(at, "found no \"taut_serve\": 1, expected a configuration of taut serve");
  if (root.has("connect")) {
    if (root.has("scene"))
      io::fail(at, "found \"scene\" and \"connect\", expected a server or a module of one");
    const At connect = at.member("connect");
    read_connect(connect, root.folder(), out);
  } else {
    read_server(root, out);
  }
  read_devices(root, out);
  if (out.connect && out.devices.empty())
    io::fail(at, "found no \"devices\", which a module reads");
  root.finish();
  return out;
}

std::unique_ptr<devices::Device> open_device(const DeviceConfig& config,
                                             const hand::HandPose& start) {
  switch (config.type) {
    case DeviceType::vrpn: {
      devices::VrpnOptions options;
      options.host = config.host;
      if (config.port > 0) options.port = config.port;
      options.tracker = config.tracker;
      options.glove = config.glove;
      return std::make_unique<devices::VrpnDevice>(options);
    }
    case DeviceType::cyberglove: {
      hand::HandPose wrist = start;
      if (config.position) wrist.position = *config.position;
      return std::make_unique<devices::CyberGlove>(
          config.file,
          config.calibration.empty() ? devices::GloveCalibration::usual()
                                     : devices::read_calibration(config.calibration),
          wrist);
    }
    case DeviceType::recorded:
      return std::make_unique<devices::RecordedDevice>(devices::read_session(config.file));
    case DeviceType::plugin:
      return devices::open_plugin(config.options.empty() ? config.file
                                                         : config.file + ":" + config.options);
    default:
      throw Error(fmt::format("a {} is not read here", name(config.type)));
  }
}

}  // namespace taut::server
