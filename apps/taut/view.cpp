#include <fmt/core.h>
#include <spawn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>

#include "commands.hpp"
#include "interrupt.hpp"
#include "page_files.hpp"
#include "shown_world.hpp"
#include "taut/base/error.hpp"
#include "taut/server/listener.hpp"

namespace taut::cli {
namespace {

constexpr unsigned short usual_port = 8420;

struct ViewArguments {
  ShownWorld shown;
  std::optional<unsigned short> port;
  std::string listen = "127.0.0.1";
  std::string web, token;
  bool no_open = false, paused = false;
};

/// With the desktop's own program for that, if there is a desktop.
void open_in_browser(const std::string& address) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) return;
  const char* arguments[] = {"xdg-open", address.c_str(), nullptr};
  pid_t child = 0;
  posix_spawnp(&child, arguments[0], nullptr, nullptr, const_cast<char**>(arguments), environ);
}

std::unique_ptr<server::Listener> listen(server::Hub& hub, const ViewArguments& arguments) {
  server::Listener::Options options;
  options.address = arguments.listen;
  options.keep_going = [] { return !interrupted(); };
  if (arguments.port) {
    options.port = *arguments.port;
    return std::make_unique<server::Listener>(hub, options);
  }
  try {
    options.port = usual_port;
    return std::make_unique<server::Listener>(hub, options);
  } catch (const Error&) {  // somebody is there: any other will do
    options.port = 0;
    return std::make_unique<server::Listener>(hub, options);
  }
}

ExitCode view(const ViewArguments& arguments) {
  const std::filesystem::path web = page_folder(arguments.web);
  if (web.empty())
    fmt::print(stderr,
               "taut: the viewer's page is missing: ./run view builds it, cmake --install installs "
               "it; the server runs without it\n");
  server::Hub hub(web, arguments.token.empty() ? server::random_token() : arguments.token);
  if (!arguments.shown.scene.empty()) {
    const auto world = open_first(hub, arguments.shown);
    if (!arguments.paused) world->play_when_watched();
  }
  catch_interrupts();
  const auto listener = listen(hub, arguments);
  const std::string address = fmt::format("http://{}/?token={}", listener->host(), hub.token());
  fmt::print("{}\n", address);
  std::fflush(stdout);
  fmt::print(stderr, "taut: open this address in a browser; Ctrl+C ends the server\n");
  if (!arguments.no_open) open_in_browser(address);
  listener->run();
  return exit_ok;
}

}  // namespace

void add_view(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("view", "Show a scene or a recording in the browser, live");
  auto arguments = std::make_shared<ViewArguments>();
  add_shown_world(*command, arguments->shown, false);
  command
      ->add_option("--port", arguments->port,
                   "Port to listen on; 0 takes any that is free. 8420 if it is free, else another")
      ->type_name("PORT");
  command
      ->add_option("--listen", arguments->listen,
                   "Address to listen on. Anything but 127.0.0.1 lets other machines watch")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command
      ->add_option("--token", arguments->token,
                   "Token that allows control, instead of a random one")
      ->type_name("TEXT");
  command->add_option("--web", arguments->web, "Folder with the page, instead of the usual one")
      ->type_name("DIR");
  command->add_flag("--no-open", arguments->no_open, "Do not open a browser; print the address");
  command->add_flag("--paused", arguments->paused, "Do not start to play");
  command->footer(
      "Examples:\n"
      "  taut view\n"
      "  taut view two_link --methods rattle,baumgarte,icd2\n"
      "  taut view run.taut --no-open --port 9000");
  command->callback([arguments, &chosen] { chosen = [arguments] { return view(*arguments); }; });
}

}  // namespace taut::cli
