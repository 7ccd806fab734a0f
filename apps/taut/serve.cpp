#include <fmt/core.h>

#include <cstdio>
#include <memory>
#include <thread>

#include "commands.hpp"
#include "interrupt.hpp"
#include "page_files.hpp"
#include "taut/base/error.hpp"
#include "taut/server/hand_module.hpp"
#include "taut/server/listener.hpp"
#include "taut/server/serving.hpp"

namespace taut::cli {
namespace {

struct ServeArguments {
  std::string config, web;
  bool check = false;
};

ExitCode serve_world(const server::ServeConfig& config, const ServeArguments& arguments) {
  server::Hub hub(page_folder(arguments.web),
                  config.token.empty() ? server::random_token() : config.token,
                  config.module_token);
  const auto world = server::open_served(hub, config);
  if (arguments.check) return exit_ok;
  server::Listener::Options options;
  options.address = config.listen;
  options.port = config.port.value_or(0);
  options.keep_going = [] { return !interrupted(); };
  catch_interrupts();
  server::Listener listener(hub, options);
  // Who may only watch is not told the token.
  fmt::print("http://{}/{}\n", listener.host(),
             config.viewers_control ? "?token=" + hub.token() : std::string());
  std::fflush(stdout);
  if (!config.is_paused) world->play(1.0, std::nullopt);
  listener.run();
  return exit_ok;
}

/// One thread for each device. What one of them throws ends all.
ExitCode run_modules(const server::ServeConfig& config, const ServeArguments& arguments) {
  std::vector<std::unique_ptr<server::HandModule>> modules;
  for (const server::DeviceConfig& device : config.devices)
    modules.push_back(std::make_unique<server::HandModule>(
        server::open_device(device, {}),
        server::ModuleOptions{config.connect->host, config.connect->port, config.connect->token,
                              device.hand, device.rate}));
  if (arguments.check) return exit_ok;
  catch_interrupts();
  std::atomic<bool> has_failed{false};
  std::vector<std::exception_ptr> errors(modules.size());
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < modules.size(); ++i)
    threads.emplace_back([&, i] {
      try {
        modules[i]->run([&] { return !interrupted() && !has_failed; });
      } catch (...) {
        errors[i] = std::current_exception();
        has_failed = true;
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < modules.size(); ++i)
    fmt::print("{}: {} samples sent, {} answered, {} turns late, {} connections\n",
               server::name(config.devices[i].type), modules[i]->sent(), modules[i]->answered(),
               modules[i]->late(), modules[i]->connections());
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
  return exit_ok;
}

}  // namespace

void add_serve(CLI::App& app, Action& chosen) {
  CLI::App* command = app.add_subcommand(
      "serve", "Run what a file composes: a scene with devices and viewers, or a module of it");
  auto arguments = std::make_shared<ServeArguments>();
  command->add_option("CONFIG", arguments->config, "A JSON file: see docs/hand.md")
      ->required()
      ->type_name("");
  command->add_option("--web", arguments->web, "Folder with the page, instead of the usual one")
      ->type_name("DIR");
  command->add_flag("--check", arguments->check, "Read it, open scene and devices, and end");
  command->footer(
      "Examples:\n"
      "  taut serve docs/examples/serve.json\n"
      "  taut serve docs/examples/serve_module.json");
  command->callback([arguments, &chosen] {
    chosen = [arguments] {
      const server::ServeConfig config = server::read_serve_config(arguments->config);
      return config.connect ? run_modules(config, *arguments) : serve_world(config, *arguments);
    };
  });
}

}  // namespace taut::cli
