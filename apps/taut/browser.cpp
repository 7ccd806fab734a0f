#include "browser.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "interrupt.hpp"
#include "taut/base/error.hpp"
#include "taut/server/client.hpp"
#include "taut/text/json.hpp"
#include "taut/text/json_text.hpp"

namespace taut::cli {
namespace {

namespace fs = std::filesystem;
using io::Json;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds start_patience{60'000};
constexpr milliseconds page_patience{600'000};
constexpr std::array programs{"chromium", "chromium-browser", "google-chrome", "chrome"};

std::string decode_base64(std::string_view text) {
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    int value = -1;
    if (c >= 'A' && c <= 'Z') value = c - 'A';
    if (c >= 'a' && c <= 'z') value = c - 'a' + 26;
    if (c >= '0' && c <= '9') value = c - '0' + 52;
    if (c == '+') value = 62;
    if (c == '/') value = 63;
    if (value < 0) continue;
    bits = bits << 6 | static_cast<unsigned>(value);
    if ((count += 6) >= 8) {
      count -= 8;
      out += static_cast<char>(bits >> count & 0xFF);
    }
  }
  return out;
}

}  // namespace

struct Browser::Impl {
  /// A folder that is gone with the object.
  struct TemporaryFolder {
    fs::path path;
    TemporaryFolder() {
      std::string name = (fs::temp_directory_path() / "taut-browser-XXXXXX").string();
      if (!mkdtemp(name.data())) throw Error("cannot make a temporary folder");
      path = name;
    }
    ~TemporaryFolder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  };
  TemporaryFolder folder;
  pid_t process = 0;
  std::unique_ptr<server::WebSocket> socket;
  long next_id = 1;

  ~Impl() {
    socket.reset();
    if (process <= 0) return;
    kill(-process, SIGKILL);  // its own group: the browser has children
    waitpid(process, nullptr, 0);
  }

  void start(int width, int height) {
    std::vector<std::string> arguments{
        "",
        "--headless=new",
        "--remote-debugging-port=0",
        "--remote-allow-origins=*",
        "--user-data-dir=" + folder.path.string(),
        fmt::format("--window-size={},{}", width, height),
        "--hide-scrollbars",
        "--no-first-run",
        "--disable-extensions",
        "--disable-background-networking",
        "--force-device-scale-factor=1",
        "--enable-unsafe-swiftshader",  // WebGL where there is no graphics card
        "about:blank"};
    if (geteuid() == 0) arguments.insert(arguments.end() - 1, "--no-sandbox");
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    for (const int file : {STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&files, file, "/dev/null", O_WRONLY, 0);
    bool has_started = false;
    for (const char* program : programs) {
      arguments[0] = program;
      std::vector<char*> raw;
      for (std::string& argument : arguments) raw.push_back(argument.data());
      raw.push_back(nullptr);
      if (posix_spawnp(&process, program, &files, &attributes, raw.data(), environ) == 0) {
        has_started = true;
        break;
      }
    }
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    if (!has_started)
      throw Error(
          "taut render needs Chromium, which is not installed; on Debian: apt-get install "
          "chromium");
  }

  /// Chromium writes its port to a file.
  unsigned short port() {
    const auto end = Clock::now() + start_patience;
    while (Clock::now() < end && !interrupted()) {
      std::ifstream file(folder.path / "DevToolsActivePort");
      unsigned found = 0;
      if (file >> found && found > 0 && found < 65536) return static_cast<unsigned short>(found);
      if (waitpid(process, nullptr, WNOHANG) == process) {
        process = 0;
        throw Error("Chromium ended at once: it could not start here");
      }
      std::this_thread::sleep_for(milliseconds(50));
    }
    throw Error("Chromium did not start in time");
  }

  void connect() {
    const unsigned short at = port();
    const auto end = Clock::now() + start_patience;
    while (Clock::now() < end) {
      const io::Node pages =
          io::parse_json(server::http_get("127.0.0.1", at, "/json/list").body, "Chromium");
      for (const io::Node& page : *pages.items()) {
        const io::Node *type = page.find("type"), *address = page.find("webSocketDebuggerUrl");
        if (!type || !type->text() || *type->text() != "page" || !address) continue;
        const std::string& url = *address->text();  // ws://127.0.0.1:port/devtools/page/…
        socket =
            std::make_unique<server::WebSocket>("127.0.0.1", at, url.substr(url.find("/devtools")));
        return;
      }
      std::this_thread::sleep_for(milliseconds(50));
    }
    throw Error("Chromium has no page");
  }

  /// Its result.
  io::Node ask(std::string_view method, Json parameters = Json::object()) {
    const long id = next_id++;
    socket->send(Json{{"id", id}, {"method", method}, {"params", std::move(parameters)}}.dump());
    const auto end = Clock::now() + page_patience;
    while (Clock::now() < end && !interrupted()) {
      const auto received = socket->receive(milliseconds(200));
      if (!received) continue;
      io::Node answer = io::parse_json(received->bytes, "Chromium");
      const io::Node* of = answer.find("id");
      if (!of || !of->number() || *of->number() != static_cast<double>(id)) continue;
      if (const io::Node* error = answer.find("error"))
        throw Error(fmt::format("Chromium: {}: {}", method,
                                error->find("message") ? *error->find("message")->text() : ""));
      return answer;
    }
    throw Error(fmt::format("Chromium: {}: no answer", method));
  }

  /// The value of a JavaScript expression.
  struct Value {
    std::string text;  ///< if it is one
    bool is_true = false;
  };
  Value evaluate(const std::string& expression) {
    const io::Node answer =
        ask("Runtime.evaluate",
            {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
    const io::Node* result = answer.find("result");
    if (const io::Node* trouble = result->find("exceptionDetails")) {
      const io::Node* exception = trouble->find("exception");
      const io::Node* text = exception ? exception->find("description") : nullptr;
      throw Error(fmt::format("the page: {}", text && text->text() ? *text->text() : expression));
    }
    const io::Node* value = result->find("result");
    value = value ? value->find("value") : nullptr;
    if (value && value->text()) return {*value->text(), !value->text()->empty()};
    return {"", value && value->boolean() && *value->boolean()};
  }
};

Browser::Browser(int width, int height) : impl_(std::make_unique<Impl>()) {
  impl_->start(width, height);
  impl_->connect();
  impl_->ask("Emulation.setDeviceMetricsOverride",
             {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}
Browser::~Browser() = default;

void Browser::open(const std::string& address) {
  impl_->ask("Page.enable");
  impl_->ask("Page.navigate", {{"url", address}});
}

void Browser::wait_for(const std::string& expression) {
  const auto end = Clock::now() + page_patience;
  while (Clock::now() < end) {
    const Impl::Value value = impl_->evaluate(expression);
    if (!value.text.empty()) throw Error(value.text);
    if (value.is_true) return;
    if (interrupted()) throw Error("interrupted");
    std::this_thread::sleep_for(milliseconds(50));
  }
  throw Error("the page did not draw the picture in time");
}

void Browser::run(const std::string& expression) { impl_->evaluate(expression); }

std::string Browser::screenshot() {
  const io::Node answer = impl_->ask("Page.captureScreenshot", {{"format", "png"}});
  const io::Node* data = answer.find("result")->find("data");
  if (!data || !data->text()) throw Error("Chromium made no picture");
  return decode_base64(*data->text());
}

}  // namespace taut::cli
