#include "taut/record/run_output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "taut/record/recording_times.hpp"
#include "taut/record/sensor_track_internal.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
struct RunOutput::Impl {
  /// Tells whether a recording time is a whole number of intervals after the first.
  class RecordingClock {
   public:
    explicit RecordingClock(double interval) : interval_(interval) {}

    bool is_due(double time) {
      if (!start_) start_ = time;
      if (interval_ == 0) return true;
      const double turns = (time - *start_) / interval_;
      return std::abs(turns - std::round(turns)) < 1e-6;
    }

   private:
    double interval_;
    std::optional<double> start_;
  };

  struct Output {
    WantedOutput wanted;
    std::unique_ptr<RunWriter> writer;
    long records = 0;
    bool is_table() const { return wanted.writer->is_table(); }
  };
  using Wall = std::chrono::steady_clock;

  Impl(const Scene& scene, RecordingTimes at)
      : times(at), lines(at.tables), frames(at.frames), sensors(scene) {}

  bool any(bool (*is)(const RunWriterInfo&)) const {
    return std::any_of(outputs.begin(), outputs.end(),
                       [&](const Output& output) { return is(*output.wanted.writer); });
  }

  void record(const RunSample& sample) {
    if (watch) watch(sample);
    guarded([&] {
      const double time = sample.state.time;
      const bool is_line = lines.is_due(time), is_frame = frames.is_due(time);
      for (Output& output : outputs)
        if (output.is_table() ? is_line : is_frame) write(output, sample);
      // The last state goes to the tables, whenever it is.
      if (is_line)
        waiting.reset();
      else
        waiting =
            Waiting{sample.state, sample.lambda, sample.joints, sample.contacts, sample.sensors};
      flush_now_and_then();
    });
  }

  static void write(Output& output, const RunSample& sample) {
    output.writer->record(sample);
    ++output.records;
  }

  void flush_now_and_then() {
    const Wall::time_point now = Wall::now();
    if (now - flushed < std::chrono::milliseconds(200)) return;
    flushed = now;
    for (Output& output : outputs) output.writer->flush();
  }

  /// Does `write`; if that fails, the message tells what is kept.
  template <class Write>
  void guarded(Write&& write) {
    try {
      write();
    } catch (const WriteError& error) {
      throw WriteError(error.what() + kept());
    }
  }

  std::string kept() {
    std::string places;
    for (Output& output : outputs) {
      if (output.records == 0) continue;
      try {
        output.writer->flush();
      } catch (const WriteError&) {
        // What got through before is there.
      }
      if (const std::filesystem::path place = output.writer->place(); !place.empty())
        places += (places.empty() ? "" : ", ") + place.string();
    }
    return places.empty() ? "" : "; what was recorded before is kept: " + places;
  }

  struct Waiting {
    State state;
    VecX lambda;
    std::vector<JointSample> joints;
    std::vector<ContactSample> contacts;
    std::vector<double> sensors;
  };

  std::vector<Output> outputs;
  RecordingTimes times;
  RecordingClock lines, frames;
  detail::SensorTrack sensors;
  std::optional<Waiting> waiting;
  std::function<void(const RunSample&)> watch;
  std::function<void(double time, const std::vector<double>& values)> watch_values;
  Wall::time_point flushed = Wall::now();

  // Of the record that is being collected: the run hands it over in up to four parts.
  const State* state = nullptr;
  const VecX no_lambda;
  const VecX* lambda = &no_lambda;
  const std::vector<JointSample> no_joints;
  const std::vector<JointSample>* joints = &no_joints;
  const std::vector<ContactSample> no_contacts;
  const std::vector<double> as_laws_say;
  const std::vector<double>* exerted = &as_laws_say;

  /// The part that was still missing is here.
  void complete(const std::vector<ContactSample>& contacts) {
    const std::vector<double>& values =
        sensors.sample(*state, *lambda, *joints, contacts, *exerted);
    if (watch_values) watch_values(state->time, values);
    record({*state, *lambda, *joints, contacts, values});
  }
};

RunOutput::RunOutput(const Scene& scene, std::string method, std::vector<WantedOutput> wanted,
                     double frame_rate, RunOptions& options) {
  const auto is_table = [](const WantedOutput& each) { return each.writer->is_table(); };
  const bool has_tables = std::any_of(wanted.begin(), wanted.end(), is_table);
  const bool has_frames = !std::all_of(wanted.begin(), wanted.end(), is_table);
  RecordingTimes times;
  if (has_frames) times = plan_recording(frame_rate, has_tables, options);
  impl_ = std::make_unique<Impl>(scene, times);
  Impl& to = *impl_;
  std::vector<RunTarget> targets;
  for (const WantedOutput& each : wanted) {
    const double interval = each.writer->is_table() ? times.tables : times.frames;
    targets.push_back({scene, method, each.path, interval, each.options});
    for (const RunWriterOption& option : each.writer->options) chosen(targets.back(), option);
    if (each.writer->check) each.writer->check(targets.back());
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {  // all options are right: now to the disk
    const RunWriterInfo& info = *wanted[i].writer;
    const bool is_folder = info.place == RunWriterInfo::Place::folder;
    make_directory(is_folder ? wanted[i].path : wanted[i].path.parent_path());
    to.outputs.push_back({wanted[i], info.make(targets[i])});
  }
  if (to.outputs.empty() && to.sensors.is_empty()) return;

  const SensorNeeds& sensors = to.sensors.needs();
  const bool needs_joints =
      sensors.joints || to.any([](const RunWriterInfo& info) { return info.needs.joints; });
  const bool needs_forces =
      sensors.forces || to.any([](const RunWriterInfo& info) { return info.needs.forces; });
  const bool needs_contacts = (sensors.contacts || to.any([](const RunWriterInfo& info) {
                                return info.needs.contacts || info.takes_contacts;
                              })) &&
                              scene.system.may_touch();
  const bool after_forces = needs_joints || needs_contacts;
  if (sensors.exerted)
    options.record_exerted = [&to](const std::vector<double>& exerted) { to.exerted = &exerted; };
  options.record_states = [&to, is_all = !needs_forces && !after_forces](const State& state) {
    to.state = &state;
    if (is_all) to.complete(to.no_contacts);
  };
  if (needs_forces)
    options.record = [&to, is_all = !after_forces](const State&, const VecX& lambda) {
      to.lambda = &lambda;
      if (is_all) to.complete(to.no_contacts);
    };
  if (needs_joints)
    options.record_joints = [&to, is_all = !needs_contacts](
                                double, const std::vector<JointSample>& joints) {
      to.joints = &joints;
      if (is_all) to.complete(to.no_contacts);
    };
  if (needs_contacts)
    options.record_contacts = [&to](double, const std::vector<ContactSample>& contacts) {
      to.complete(contacts);
    };
  options.record_event = [&to](const StepEvent& event) {
    to.guarded([&] {
      for (Impl::Output& output : to.outputs) output.writer->note(event);
    });
  };
  options.keep_going = [&to, ask = std::move(options.keep_going)](const RunProgress& progress) {
    to.guarded([&] { to.flush_now_and_then(); });
    return ask ? ask(progress) : true;
  };
}

RunOutput::~RunOutput() = default;

void RunOutput::show(std::function<void(const RunSample&)> watch) {
  impl_->watch = std::move(watch);
}

const std::vector<RunReport::SensorSummary>& RunOutput::sensors() const {
  return impl_->sensors.summaries();
}

void RunOutput::watch_sensors(
    std::function<void(double time, const std::vector<double>& values)> watch) {
  impl_->watch_values = std::move(watch);
}

void RunOutput::finish(const RunReport& report) {
  std::string trouble;
  for (Impl::Output& output : impl_->outputs) {
    try {
      if (const auto& last = impl_->waiting; last && output.is_table())
        Impl::write(output,
                    {last->state, last->lambda, last->joints, last->contacts, last->sensors});
      output.writer->finish(report);
    } catch (const WriteError& error) {
      if (trouble.empty()) trouble = error.what();
    }
  }
  if (!trouble.empty()) throw WriteError(trouble + impl_->kept());
}

std::vector<WrittenOutput> RunOutput::written() const {
  std::vector<WrittenOutput> all;
  for (const Impl::Output& output : impl_->outputs)
    all.push_back({output.wanted.writer, output.writer->place(), output.records,
                   output.is_table() ? impl_->times.tables : impl_->times.frames,
                   output.writer->details()});
  return all;
}

}  // namespace taut::io
