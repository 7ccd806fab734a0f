#include <fmt/core.h>

#include "taut/constraints/constraint_info.hpp"
#include "taut/forces/force_info.hpp"
#include "taut/scene/hand_fields_internal.hpp"
#include "taut/scene/materials_internal.hpp"
#include "taut/scene/scene.hpp"
#include "taut/scene/scene_fields_internal.hpp"
#include "taut/scene/shape_fields_internal.hpp"
#include "taut/scene/value_kinds_internal.hpp"

namespace taut::io {
namespace detail {
namespace {

Json any_of(std::initializer_list<Json> choices) { return {{"anyOf", Json::array(choices)}}; }

Json object_of(std::initializer_list<std::pair<const char*, Json>> properties,
               std::initializer_list<const char*> required) {
  Json object = empty_object();
  for (const auto& [name, schema] : properties) object["properties"][name] = schema;
  object["required"] = Json::array();
  for (const char* name : required) object["required"].push_back(name);
  return object;
}

Json array_of(const Json& items, int count) {
  return {{"type", "array"}, {"items", items}, {"minItems", count}, {"maxItems", count}};
}

/// Numbers, or whole ones, in each range: as such or as an expression.
void add_number_definitions(Json& all, const char* kind) {
  for (const Range range : {Range::any, Range::positive, Range::non_negative}) {
    Json literal{{"type", kind}};
    if (range == Range::positive) literal["exclusiveMinimum"] = 0;
    if (range == Range::non_negative) literal["minimum"] = 0;
    all[definition(kind, range)] = any_of({literal, reference_to("expression")});
  }
}

/// One of several types.
template <class Infos>
Json one_of(const Infos& infos) {
  Json choices = Json::array();
  for (const TypeInfo& info : infos) choices.push_back(schema_of_type(info));
  return {{"oneOf", std::move(choices)}};
}

/// A repeat of entries of the list `section`.
Json repeat_of(const std::string& section) {
  Json repeat = schema_of_fields(RepeatFields::info());
  Json entry = object_of(
      {{"repeat", repeat}, {"items", {{"type", "array"}, {"items", reference_to(section)}}}},
      {"repeat", "items"});
  entry["description"] = "the items, count times; names may contain {i}, numbers be \"=…i…\"";
  return entry;
}

/// One entry of the list `section`: one of the types, or a repeat of such entries.
template <class Infos>
Json item_of(const Infos& infos, const std::string& section, bool named) {
  Json choices = Json::array();
  for (const TypeInfo& info : infos) {
    Json item = schema_of_type(info);
    if (named) item["properties"]["name"] = reference_to("name");
    choices.push_back(std::move(item));
  }
  choices.push_back(repeat_of(section));
  return {{"oneOf", choices}};
}

/// Bodies have shapes; mass and inertia of a rigid one may follow from them.
Json body() {
  Json choices = Json::array();
  for (const TypeInfo& info : body_types()) {
    Json item = schema_of_type(info);
    item["properties"]["name"] = reference_to("name");
    item["properties"]["shapes"] = {{"type", "array"}, {"items", reference_to("shape")}};
    if (info.type == RigidFields::type)
      item["anyOf"] = Json::array({Json{{"required", Json::array({"mass", "inertia"})}},
                                   Json{{"required", Json::array({"shapes"})}}});
    choices.push_back(std::move(item));
  }
  choices.push_back(repeat_of("body"));
  return {{"oneOf", choices}};
}

Json named(const TypeInfo& info) {
  Json object = empty_object();
  object["properties"]["name"] = reference_to("name");
  object["required"] = {"name"};
  add_fields(object, info);
  return object;
}

Json robot() {
  Json object = schema_of_fields(RobotFields::info());
  object["properties"]["name"] = {
      {"type", "string"},
      {"description",
       "stands before the names of bodies and joints, \"arm/elbow\"; empty: nothing"}};
  object["properties"]["joints"] = {
      {"type", "object"},
      {"description", "positions at the start by the joint's name, in rad or m"},
      {"additionalProperties", reference_to("number")}};
  return object;
}

Json cloth() {
  Json object = named(ClothFields::info());
  object["oneOf"] = Json::array();
  for (const char* shape : {"grid", "mesh"}) object["oneOf"].push_back({{"required", {shape}}});
  for (const char* place : {"scale", "position", "orientation"})
    object["dependentRequired"][place] = Json::array({"mesh"});
  Json pin = schema_of_fields(ClothPinFields::info());
  pin["oneOf"] = Json::array();
  for (const char* way : {"part", "vertices", "near"})
    pin["oneOf"].push_back({{"required", {way}}});
  pin["dependentRequired"] = {{"radius", {"near"}}};
  object["properties"]["pins"] = {
      {"type", "array"}, {"items", pin}, {"description", "which vertices are held"}};
  return object;
}

Json keyframe_list(const Json& keyframe) {
  return {{"type", "array"},
          {"minItems", 1},
          {"items", keyframe},
          {"description", "instead of a motion: what the ghost does; what one leaves out stays"}};
}

Json stylus() {
  Json object = schema_of_fields(StylusFields::info());
  object["properties"]["name"] = {
      {"type", "string"}, {"minLength", 1}, {"description", "\"stylus\" if not given"}};
  object["properties"]["keyframes"] = keyframe_list(schema_of_fields(HandKeyframeFields::info()));
  return object;
}

Json hand() {
  Json object = schema_of_fields(HandFields::info());
  object["properties"]["name"] = {
      {"type", "string"},
      {"minLength", 1},
      {"description",
       "stands before the names of its limbs, \"right/palm\"; \"hand\" if not given"}};
  Json angles = empty_object();
  for (int i = 0; i < hand::angle_count; ++i)
    angles["properties"][hand::angle_name(i)] = reference_to("number");
  angles["description"] = "rad";
  Json keyframe = schema_of_fields(HandKeyframeFields::info());
  keyframe["properties"]["angles"] = angles;
  object["properties"]["keyframes"] = keyframe_list(keyframe);
  return object;
}

Json definitions() {
  const Json vector = reference_to("vector"), name = reference_to("name");
  Json all;
  all["expression"] = {{"type", "string"},
                       {"pattern", "^=."},
                       {"description", "arithmetic over parameters and indices, e.g. \"=2*L\""}};
  add_number_definitions(all, "number");
  add_number_definitions(all, "integer");
  all["name"] = {{"type", "string"},
                 {"minLength", 1},
                 {"description", "{…} is replaced by the value of the expression"}};
  all["vector"] = array_of(reference_to("number"), 3);
  all["point"] = any_of({name, vector, object_of({{"body", name}, {"at", vector}}, {"body"}),
                         object_of({{"link", name}, {"at", vector}}, {"link"})});
  all["point"]["description"] =
      "a body's name, a place in a rigid body, in the frame of a robot's link, or [x, y, z] in the "
      "world";
  all["particles"] = {{"type", "array"}, {"items", name}, {"minItems", 3}, {"maxItems", 4}};
  all["particles"]["description"] = "names of three or four particles";
  all["direction"] =
      any_of({vector, object_of({{"body", name}, {"axis", vector}}, {"body", "axis"}),
              object_of({{"link", name}, {"axis", vector}}, {"link", "axis"})});
  all["direction"]["description"] = "in the world, or fixed in a rigid body";
  const Json closed{{"type", "boolean"}, {"default", false}};
  const Json ends{{"enum", value_type<CurveEnds>.choices},
                  {"default", choice_name(CurveEnds::finite)},
                  {"description", "what is beyond the ends of an open curve"}};
  Json spline = object_of({{"points", {{"type", "array"}, {"items", vector}, {"minItems", 2}}},
                           {"closed", closed},
                           {"ends", ends}},
                          {"points"});
  spline["description"] = "a smooth curve through points";
  Json formula = object_of({{"formula", vector},
                            {"from", reference_to("number")},
                            {"to", reference_to("number")},
                            {"closed", closed},
                            {"ends", ends}},
                           {"formula", "from", "to"});
  formula["description"] = "[x, y, z] as functions of a parameter s, which runs from … to …";
  all["curve"] = any_of({spline, formula});
  all["inertia"] = any_of({array_of(reference_to("positive_number"), 3), array_of(vector, 3)});
  all["orientation"] =
      any_of({object_of({{"axis", vector}, {"angle", reference_to("number")}}, {"axis", "angle"}),
              array_of(reference_to("number"), 4)});
  all["number_motion"] = one_of(motion_types<double>());
  all["vector_motion"] = one_of(motion_types<Vec3>());
  all["moving_vector"] = any_of({vector, reference_to("vector_motion")});
  all["robot"] = {{"oneOf", {robot(), repeat_of("robot")}}};
  all["cloth"] = {{"oneOf", {cloth(), repeat_of("cloth")}}};
  all["hand"] = {{"oneOf", {hand(), repeat_of("hand")}}};
  all["stylus"] = {{"oneOf", {stylus(), repeat_of("stylus")}}};
  all["body"] = body();
  all["material"] = {{"oneOf", {named(MaterialFields::info()), repeat_of("material")}}};
  all["material_pair"] = {
      {"oneOf", {schema_of_fields(MaterialPairFields::info()), repeat_of("material_pair")}}};
  all["repeat"] = repeat_of("anything");
  all["anything"] = Json::object();
  all["shape"] = item_of(shape_types(), "shape", true);
  all["force"] = item_of(force_types(), "force", true);
  all["input"] = {{"oneOf", {named(InputFields::info()), repeat_of("input")}}};
  Json sensor = named(SensorFields::info());
  sensor["properties"]["value"] = reference_to("expression");
  sensor["required"].push_back("value");
  all["sensor"] = {{"oneOf", {sensor, repeat_of("sensor")}}};
  all["constraint"] = item_of(constraint_types(), "constraint", true);
  return all;
}

Json option_schema(const FieldInfo& option, const void* defaults) {
  Json schema;
  if (option.type->kind == ValueKind::choice) {
    schema = {{"enum", option.type->choices}, {"default", value_text(option, defaults)}};
  } else {
    const bool is_whole = option.type->kind == ValueKind::integer;
    schema = reference_to(definition("number", option.range));
    if (is_whole) schema["multipleOf"] = 1;  // says nothing of expressions, which are strings
    const void* value = option.in(defaults);
    const double number =
        is_whole ? *static_cast<const int*>(value) : *static_cast<const double*>(value);
    schema["default"] = Json::number_or_null(number);
  }
  schema["description"] = description(option.doc, option.unit);
  return schema;
}

/// Which options there are depends on the method.
Json simulation() {
  Json object = schema_of_fields(SimulationFields::info());
  object["properties"]["options"] = {{"type", "object"}};
  Json names{auto_method}, cases = Json::array();
  // Without "method" auto is meant.
  cases.push_back({{"if", {{"properties", {{"method", {{"const", auto_method}}}}}}},
                   {"then", {{"properties", {{"options", {{"maxProperties", 0}}}}}}}});
  for (const MethodInfo& method : methods()) {
    names.push_back(method.name);
    Json options = empty_object();
    options["description"] = fmt::format("of {}: {}", method.name, method.summary);
    for (const FieldInfo& option : method.options)
      options["properties"][option.name] = option_schema(option, method.defaults);
    const Json condition{{"properties", {{"method", {{"const", method.name}}}}},
                         {"required", {"method"}}};
    cases.push_back({{"if", condition}, {"then", {{"properties", {{"options", options}}}}}});
  }
  object["properties"]["method"]["enum"] = names;
  object["allOf"] = cases;
  return object;
}

Json scene() {
  Json root{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
            {"title", "A scene of taut"}};
  root.update(empty_object());
  Json& properties = root["properties"];
  properties["$schema"] = {{"type", "string"}};
  add_fields(root, HeaderFields::info());
  properties["taut"] = {{"const", format_version}, {"description", "version of the format"}};

  Json parameter = schema_of_fields(ParameterFields::info());
  properties["parameters"] = {
      {"type", "object"},
      {"description", "numbers that expressions may use and that can be set from outside"},
      {"propertyNames", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
      {"maxProperties", most_parameters},
      {"additionalProperties", parameter}};
  properties["robots"] = {{"type", "array"}, {"items", reference_to("robot")}};
  properties["bodies"] = {{"type", "array"}, {"items", reference_to("body")}};
  properties["cloths"] = {{"type", "array"}, {"items", reference_to("cloth")}};
  properties["hands"] = {{"type", "array"}, {"items", reference_to("hand")}};
  properties["styluses"] = {{"type", "array"}, {"items", reference_to("stylus")}};
  properties["shapes"] = {{"type", "array"},
                          {"items", reference_to("shape")},
                          {"description", "of the world: what does not move"}};
  properties["materials"] = {{"type", "array"}, {"items", reference_to("material")}};
  properties["material_pairs"] = {{"type", "array"}, {"items", reference_to("material_pair")}};
  root["anyOf"] = Json::array();
  for (const char* list : {"bodies", "robots", "cloths", "hands", "styluses"})
    root["anyOf"].push_back({{"required", {list}}, {"properties", {{list, {{"minItems", 1}}}}}});
  properties["forces"] = {{"type", "array"}, {"items", reference_to("force")}};
  properties["constraints"] = {{"type", "array"}, {"items", reference_to("constraint")}};
  properties["inputs"] = {{"type", "array"},
                          {"items", reference_to("input")},
                          {"description", "numbers from outside that formulas may use"}};
  properties["sensors"] = {{"type", "array"},
                           {"items", reference_to("sensor")},
                           {"description", "what is recorded over time, by name"}};
  properties["simulation"] = simulation();
  properties["reference"] = one_of(reference_types());
  properties["reference"]["description"] = "a motion that is known, to compare with";
  root["$defs"] = definitions();
  return root;
}

}  // namespace
}  // namespace detail

std::string scene_schema() { return detail::scene().dump(2) + "\n"; }

}  // namespace taut::io
