#include <fmt/core.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

#include "browser.hpp"
#include "commands.hpp"
#include "interrupt.hpp"
#include "page_files.hpp"
#include "progress_bar.hpp"
#include "run_plan.hpp"
#include "shown_world.hpp"
#include "taut/base/error.hpp"
#include "taut/server/listener.hpp"

namespace taut::cli {
namespace {

struct RenderArguments {
  ShownWorld shown;
  std::string out, size = "1280x720", camera, theme = "light", colour = "none", layout = "ghosts";
  std::string web;
  std::optional<double> at, from, until;
  double frame_rate = 30, speed = 1;
  bool forces = false, contacts = false, quiet = false;
};

struct Size {
  int width = 0, height = 0;
};
Size read_size(const std::string& text) {
  Size size;
  char rest = 0;
  if (std::sscanf(text.c_str(), "%dx%d%c", &size.width, &size.height, &rest) != 2 ||
      size.width < 16 || size.height < 16 || size.width > 8192 || size.height > 8192)
    throw Error(fmt::format("--size: found \"{}\", expected WIDTHxHEIGHT such as 1280x720", text));
  return size;
}

/// A server on a port of its own, in a thread.
class LocalServer {
 public:
  explicit LocalServer(server::Hub& hub)
      : listener_(hub, {}), thread_([this] { listener_.run(); }) {}
  ~LocalServer() {
    listener_.stop();
    thread_.join();
  }
  std::string host() const { return listener_.host(); }

 private:
  server::Listener listener_;
  std::thread thread_;
};

/// Simulates up to a time; returns the time that all runs have reached.
double advance(server::World& world, double until, ProgressBar& bar) {
  const double start = world.runs()[0]->time();
  if (until > start) world.play(0.0, until);
  while (world.is_playing()) {
    double slowest = until;
    for (const auto& run : world.runs()) slowest = std::min(slowest, run->time());
    bar.update(until > start ? (slowest - start) / (until - start) : 1, "simulating");
    if (interrupted()) throw Error("interrupted");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  double reached = until;
  for (const auto& run : world.runs()) reached = std::min(reached, run->time());
  return reached;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const unsigned char c : text)
    out += std::isalnum(c) || c == '.' || c == '-' ? std::string(1, static_cast<char>(c))
                                                   : fmt::format("%{:02X}", c);
  return out;
}

std::string page_address(const std::string& host, const std::string& token, double at,
                         const RenderArguments& arguments) {
  std::string address = fmt::format(
      "http://{}/?token={}&render=1&at={}&theme={}&colour={}&layout={}", host, token, at,
      escaped(arguments.theme), escaped(arguments.colour), escaped(arguments.layout));
  if (!arguments.camera.empty()) address += "&camera=" + escaped(arguments.camera);
  if (arguments.forces) address += "&forces=1";
  if (arguments.contacts) address += "&contacts=1";
  return address;
}

std::string in_shell(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// ffmpeg, which is given pictures one after another.
class FilmWriter {
 public:
  FilmWriter(std::string out, double frame_rate) : out_(std::move(out)) {
    if (std::system("ffmpeg -version >/dev/null 2>&1") != 0)
      throw Error("films need ffmpeg, which is not installed; on Debian: apt-get install ffmpeg");
    const bool is_gif = out_.ends_with(".gif");
    // The picture is written under another name, and renamed when it is complete.
    partial_ = out_.substr(0, out_.size() - (is_gif ? 4 : 5)) +
               (is_gif ? ".partial.gif" : ".partial.webm");
    const std::string how =
        is_gif
            ? "-vf "
              "'split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=sierra2_4a' "
              "-loop 0"
            : "-c:v libvpx-vp9 -crf 24 -b:v 0 -row-mt 1 -pix_fmt yuv420p "
              "-vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2'";
    pipe_ = popen(fmt::format("ffmpeg -y -loglevel error -f image2pipe -framerate {} -c:v png -i - "
                              "{} {}",
                              frame_rate, how, in_shell(partial_))
                      .c_str(),
                  "w");
    if (!pipe_) throw Error("ffmpeg could not be started");
  }
  ~FilmWriter() {
    if (pipe_) pclose(pipe_);
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
  }
  void add(const std::string& png) {
    if (std::fwrite(png.data(), 1, png.size(), pipe_) != png.size())
      throw OutputError(fmt::format("{}: ffmpeg took no more pictures", out_));
  }
  void finish() {
    const int status = pclose(std::exchange(pipe_, nullptr));
    if (status != 0) throw OutputError(fmt::format("{}: ffmpeg could not write the film", out_));
    std::filesystem::rename(partial_, out_);
  }

 private:
  std::string out_, partial_;
  std::FILE* pipe_ = nullptr;
};

void film(Browser& browser, double from, double until, const RenderArguments& arguments,
          ProgressBar& bar) {
  FilmWriter writer(arguments.out, arguments.frame_rate);
  const double step = arguments.speed / arguments.frame_rate;
  const long frames = std::max(1L, std::lround((until - from) / step));
  for (long i = 0; i < frames; ++i) {
    browser.run(fmt::format("tautShow({})", from + static_cast<double>(i) * step));
    writer.add(browser.screenshot());
    bar.update(static_cast<double>(i + 1) / static_cast<double>(frames), "rendering");
    if (interrupted()) throw Error("interrupted");
  }
  writer.finish();
}

ExitCode render(const RenderArguments& arguments) {
  const bool is_picture = arguments.out.ends_with(".png");
  if (!is_picture && !arguments.out.ends_with(".webm") && !arguments.out.ends_with(".gif"))
    throw Error(fmt::format("--out: found \"{}\", expected a name that ends in .png, .webm or .gif",
                            arguments.out));
  if (!is_picture && arguments.at)
    throw Error("--at: only for a picture; films have --from, --until");
  require_positive(arguments.frame_rate, "--fps");
  require_positive(arguments.speed, "--speed");
  const Size size = read_size(arguments.size);
  const std::filesystem::path web = page_folder(arguments.web);
  if (web.empty())
    throw Error("the viewer's page is missing: ./run view builds it, cmake --install installs it");
  catch_interrupts();
  server::Hub hub(web, server::random_token());
  const auto world = open_first(hub, arguments.shown);
  const double from = arguments.from.value_or(0);
  const double until =
      is_picture ? arguments.at.value_or(0) : arguments.until.value_or(world->duration());
  if (!(until >= from) || !std::isfinite(until) || from < 0)
    throw Error(fmt::format("found the times {} and {}, expected 0 ≤ from ≤ until", from, until));

  ProgressBar bar(!arguments.quiet);
  const double reached = advance(*world, until, bar);
  const LocalServer server(hub);
  Browser browser(size.width, size.height);
  browser.open(page_address(server.host(), hub.token(), is_picture ? reached : from, arguments));
  browser.wait_for("window.tautReady");
  if (is_picture)
    write_output(arguments.out, browser.screenshot());
  else
    film(browser, from, reached, arguments, bar);
  if (!arguments.quiet) fmt::print("{}\n", arguments.out);
  return exit_ok;
}

}  // namespace

void add_render(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("render", "Make a picture or a film of a scene or a recording");
  auto arguments = std::make_shared<RenderArguments>();
  add_shown_world(*command, arguments->shown, true);
  command->add_option("--out", arguments->out, "The file: .png, .webm or .gif")
      ->type_name("FILE")
      ->required();
  command->add_option("--at", arguments->at, "Of a picture: its time in s; 0 by default")
      ->type_name("SECONDS");
  command->add_option("--from", arguments->from, "Of a film: where it begins, s")
      ->type_name("SECONDS");
  command->add_option("--until", arguments->until, "Of a film: where it ends, s; the scene's end")
      ->type_name("SECONDS");
  command->add_option("--fps", arguments->frame_rate, "Pictures per second of a film")
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_option("--speed", arguments->speed, "Simulated seconds per second of a film")
      ->type_name("NUMBER")
      ->capture_default_str();
  command->add_option("--size", arguments->size, "In pixels")
      ->type_name("WIDTHxHEIGHT")
      ->capture_default_str();
  command
      ->add_option("--camera", arguments->camera,
                   "Where the camera is, and where it looks: x,y,z,tx,ty,tz in m. All is in view "
                   "by default")
      ->type_name("NUMBERS");
  command->add_option("--theme", arguments->theme, "Background")
      ->type_name("light|dark")
      ->capture_default_str();
  command->add_option("--colour", arguments->colour, "What colours show")
      ->type_name("none|strain|tension|speed")
      ->capture_default_str();
  command->add_option("--layout", arguments->layout, "Several methods: over each other, or tiles")
      ->type_name("ghosts|tiles")
      ->capture_default_str();
  command->add_flag("--forces", arguments->forces, "Constraint forces as arrows");
  command->add_flag("--contacts", arguments->contacts, "Contact forces as arrows");
  command->add_option("--web", arguments->web, "Folder with the page, instead of the usual one")
      ->type_name("DIR");
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->footer(
      "Examples:\n"
      "  taut render two_link --at 2.5 --out frame.png\n"
      "  taut render cloth --out cloth.webm --size 1920x1080 --colour strain\n"
      "  taut render run.taut --out run.gif --size 640x360 --fps 20");
  command->callback([arguments, &chosen] { chosen = [arguments] { return render(*arguments); }; });
}

}  // namespace taut::cli
