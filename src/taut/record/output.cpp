#include "taut/record/output.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "taut/base/version.hpp"
#include "taut/scene/final_error.hpp"
#include "taut/text/json.hpp"
#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

/// JSON has no infinities: null stands for them.
Json finite(double value) { return Json::number_or_null(value); }

void add_activation(Json& json, const RunReport::Activation& activation) {
  json["activation"] = {{"count", activation.count},
                        {"times", activation.times},
                        {"position_change", finite(activation.position_change)},
                        {"velocity_change", finite(activation.velocity_change)},
                        {"impulse", finite(activation.impulse)},
                        {"error_before", finite(activation.error_before)},
                        {"error_after", finite(activation.error_after)},
                        {"rate_before", finite(activation.rate_before)},
                        {"energy_change", finite(activation.energy_change)}};
  if (!activation.worst.empty()) json["activation"]["worst"] = activation.worst;
}

void add_control(Json& json, const RunReport::Control& control) {
  if (!control.automatic) return;
  json["step_control"] = {{"tolerance", finite(control.tolerance)},
                          {"accepted", control.accepted},
                          {"rejected", control.rejected},
                          {"smallest_step", finite(control.smallest)},
                          {"largest_step", finite(control.largest)}};
}

/// Per constraint; of very many, only those with the largest forces.
void add_reactions(Json& json, const std::vector<RunReport::Reaction>& reactions) {
  constexpr std::size_t most = 1000;
  std::vector<const RunReport::Reaction*> shown;
  for (const RunReport::Reaction& reaction : reactions) shown.push_back(&reaction);
  if (shown.size() > most) {
    std::stable_sort(shown.begin(), shown.end(),
                     [](const auto* a, const auto* b) { return a->largest > b->largest; });
    shown.resize(most);
  }
  json["reactions"] = Json::array();
  for (const RunReport::Reaction* reaction : shown) {
    Json final = Json::array();
    for (const double value : reaction->final) final.push_back(finite(value));
    json["reactions"].push_back({{"constraint", reaction->constraint},
                                 {"unit", reaction->unit},
                                 {"largest", finite(reaction->largest)},
                                 {"at", finite(reaction->at)},
                                 {"final", final}});
  }
}

Json vector_json(const Vec3& v) { return {finite(v.x()), finite(v.y()), finite(v.z())}; }

void add_joints(Json& json, const std::vector<RunReport::JointSummary>& joints) {
  if (joints.empty()) return;
  json["joints"] = Json::array();
  for (const RunReport::JointSummary& joint : joints) {
    Json entry = {{"name", joint.name}, {"type", joint.type}};
    for (const auto& moved : joint.coordinates)
      entry["coordinates"][std::string(moved.name)] = {{"unit", moved.unit},
                                                       {"final", finite(moved.final)},
                                                       {"final_rate", finite(moved.final_rate)},
                                                       {"least", finite(moved.least)},
                                                       {"largest", finite(moved.largest)},
                                                       {"fastest", finite(moved.fastest)}};
    entry["force"] = {{"final", vector_json(joint.force)},
                      {"largest", finite(joint.largest_force)},
                      {"at", finite(joint.largest_force_at)}};
    entry["torque"] = {{"final", vector_json(joint.torque)},
                       {"largest", finite(joint.largest_torque)},
                       {"at", finite(joint.largest_torque_at)}};
    json["joints"].push_back(std::move(entry));
  }
}

void add_contacts(Json& json, const RunReport& report) {
  const auto& contacts = report.contacts;
  if (contacts.most == 0) return;
  json["contacts"] = {{"most", contacts.most},
                      {"final", contacts.final},
                      {"largest_force", finite(contacts.largest_force)},
                      {"overlap", finite(contacts.overlap)},
                      {"friction", finite(report.energy.friction)}};
  if (contacts.pairs.empty()) return;
  json["contacts"]["slip"] = finite(contacts.slip);
  for (const RunReport::ContactPair& pair : contacts.pairs)
    json["contacts"]["pairs"].push_back({{"a", pair.a},
                                         {"b", pair.b},
                                         {"largest_force", finite(pair.largest_force)},
                                         {"at", finite(pair.at)},
                                         {"slip", finite(pair.slip)},
                                         {"final_force", vector_json(pair.final_force)}});
}

void add_sensors(Json& json, const std::vector<RunReport::SensorSummary>& sensors) {
  for (const RunReport::SensorSummary& sensor : sensors) {
    Json entry = {{"name", sensor.name},
                  {"unit", sensor.unit},
                  {"least", finite(sensor.least)},
                  {"least_at", finite(sensor.least_at)},
                  {"largest", finite(sensor.largest)},
                  {"largest_at", finite(sensor.largest_at)},
                  {"final", finite(sensor.final)}};
    if (sensor.not_finite > 0)
      entry["not_finite"] = {{"count", sensor.not_finite}, {"first_at", sensor.not_finite_at}};
    json["sensors"].push_back(std::move(entry));
  }
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view text) {
  WholeFile file(path);
  file.write(text);
  file.finish();
}

Json report_object(const Scene& scene, std::string_view method, const RunReport& report) {
  Json json;
  json["taut"] = version;
  json["scene"] = scene.name;
  json["parameters"] = Json::object();
  for (const SceneParameter& parameter : scene.parameters)
    json["parameters"][parameter.name] = finite(parameter.value);
  json["method"] = method;
  json["step"] = finite(report.step);
  json["steps"] = report.steps;
  json["time"] = finite(report.time);
  json["status"] = status_text(report.status);
  json["reason"] = report.reason.empty() ? Json() : Json(report.reason);
  json["diverged_at_step"] = report.diverged_at_step < 0 ? Json() : Json(report.diverged_at_step);
  json["verdict"] = verdict_text(report);
  json["doubts"] = report.doubts;
  if (!report.remarks.empty()) json["remarks"] = report.remarks;
  json["constraint_error"] = {{"accumulated", finite(report.constraint_error.accumulated)},
                              {"max", finite(report.constraint_error.max)},
                              {"final", finite(report.constraint_error.final)}};
  if (const auto& error = report.constraint_error; !error.worst.empty()) {
    json["constraint_error"]["worst"] = error.worst;
    json["constraint_error"]["worst_at"] = finite(error.worst_at);
  }
  if (const auto& error = report.rate_error) {
    json["rate_error"] = {{"max", finite(error->max)}, {"final", finite(error->final)}};
    if (!error->worst.empty()) {
      json["rate_error"]["worst"] = error->worst;
      json["rate_error"]["worst_at"] = finite(error->worst_at);
    }
  }
  json["energy"] = {{"initial", finite(report.energy.initial)},
                    {"final", finite(report.energy.final)},
                    {"max_abs_error", finite(report.energy.max_abs_error)},
                    {"work", finite(report.energy.work)},
                    {"conservative", report.energy.conservative}};
  json["findings"] = report.findings;
  if (!report.warnings.empty()) json["warnings"] = report.warnings;
  if (!scene.ignored.empty()) json["ignored"] = scene.ignored;
  if (!scene.warnings.empty()) json["not_simulated"] = scene.warnings;
  add_activation(json, report.activation);
  add_control(json, report.control);
  if (report.active_limits.most > 0)
    json["active_limits"] = {{"mean", report.active_limits.mean},
                             {"most", report.active_limits.most}};
  for (std::size_t i = 0; i < report.events.size(); ++i)
    if (report.events[i] > 0)
      json["events"][std::string(event_text(static_cast<StepEvent::Kind>(i)))] = report.events[i];
  if (report.impacts.count > 0)
    json["impacts"] = {{"count", report.impacts.count},
                       {"energy_change", finite(report.impacts.energy_change)}};
  add_contacts(json, report);
  add_joints(json, report.joints);
  add_reactions(json, report.reactions);
  add_sensors(json, report.sensors);
  if (const auto& deviation = report.reference_deviation)
    json["reference_deviation"] = {{"point", deviation->point},
                                   {"axis", std::string(1, deviation->axis)},
                                   {"max", finite(deviation->max)},
                                   {"rms", finite(deviation->rms)},
                                   {"until", finite(deviation->until)}};
  if (const auto& found = report.verification)
    json["verification"] = {{"wanted", found->wanted},
                            {"error", finite(found->error)},
                            {"relative_error", finite(found->relative_error)},
                            {"compared_until", finite(found->compared_until)},
                            {"until", finite(found->until)},
                            {"met", found->is_met},
                            {"sensitive", found->is_sensitive},
                            {"compared_with", found->other}};
  if (report.estimated_error) json["estimated_error"] = finite(*report.estimated_error);
  if (const auto error = final_error(scene, report.final_state))
    json["reference_error"] = {{"time", finite(scene.final_values->time)},
                               {"position", finite(error->position)},
                               {"velocity", finite(error->velocity)}};
  json["cost"] = {{"wall_seconds", finite(report.cost.wall_seconds)},
                  {"cpu_seconds", finite(report.cost.cpu_seconds)},
                  {"microseconds_per_step", finite(report.cost.microseconds_per_step)},
                  {"linear_solves", report.cost.linear_solves},
                  {"iterations", report.cost.iterations},
                  {"linear_iterations", report.cost.linear_iterations},
                  {"regularized_steps", report.cost.regularized_steps},
                  {"unconverged_steps", report.cost.unconverged_steps},
                  {"compromise_steps", report.cost.compromise_steps},
                  {"halved_steps", report.cost.halved_steps},
                  {"solver", report.cost.solver}};
  return json;
}

std::string report_json(const Scene& scene, std::string_view method, const RunReport& report) {
  return report_object(scene, method, report).dump(2) + "\n";
}

}  // namespace taut::io
