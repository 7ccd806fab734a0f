// Which elements and attributes a URDF file has, and the copy of them that urdfdom gets.
#include <cmath>
#include <unordered_set>

#include "taut/base/join.hpp"
#include "taut/base/markup.hpp"
#include "taut/base/type_info.hpp"
#include "taut/robot/urdf_internal.hpp"

namespace taut::io::detail {
namespace {

enum class Value {
  number,
  non_negative,
  drive_limit,  ///< a number above 0; anything else is none
  vector,
  color,
  text,
  link,
  joint,
  material,
  unused
};

struct AttributeRule {
  std::string_view name;
  Value value = Value::number;
  bool required = true;
  std::string_view otherwise = "";  ///< for the copy where the file has none
};

enum class Count { maybe, one, any };

struct ElementRule;
struct ChildRule {
  const ElementRule* rule;
  Count count = Count::maybe;
};

struct ElementRule {
  std::string_view name;
  std::vector<AttributeRule> attributes;
  std::vector<ChildRule> children;
};

namespace rules {

const ElementRule origin{
    "origin", {{"xyz", Value::vector, false}, {"rpy", Value::vector, false}}, {}};
const ElementRule mass{"mass", {{"value", Value::non_negative}}, {}};
const ElementRule inertia{"inertia",
                          {{"ixx"},
                           {"iyy"},
                           {"izz"},
                           {"ixy", Value::number, false, "0"},
                           {"ixz", Value::number, false, "0"},
                           {"iyz", Value::number, false, "0"}},
                          {}};
const ElementRule inertial{
    "inertial", {}, {{&origin}, {&mass, Count::one}, {&inertia, Count::one}}};

const ElementRule box{"box", {{"size", Value::vector}}, {}};
const ElementRule cylinder{
    "cylinder", {{"radius", Value::non_negative}, {"length", Value::non_negative}}, {}};
const ElementRule sphere{"sphere", {{"radius", Value::non_negative}}, {}};
const ElementRule mesh{"mesh", {{"filename", Value::text}, {"scale", Value::vector, false}}, {}};
const ElementRule geometry{"geometry", {}, {{&box}, {&cylinder}, {&sphere}, {&mesh}}};
const ElementRule color{"color", {{"rgba", Value::color}}, {}};
const ElementRule material{"material", {{"name", Value::material, false}}, {{&color}}};
const ElementRule visual{
    "visual", {{"name", Value::unused, false}}, {{&origin}, {&geometry, Count::one}, {&material}}};
const ElementRule collision{
    "collision", {{"name", Value::unused, false}}, {{&origin}, {&geometry, Count::one}}};
const ElementRule link{"link",
                       {{"name", Value::link}},
                       {{&inertial}, {&visual, Count::any}, {&collision, Count::any}}};

const ElementRule parent{"parent", {{"link", Value::link}}, {}};
const ElementRule child{"child", {{"link", Value::link}}, {}};
const ElementRule axis{"axis", {{"xyz", Value::vector}}, {}};
const ElementRule limit{"limit",
                        {{"lower", Value::number, false},
                         {"upper", Value::number, false},
                         {"effort", Value::drive_limit, false, "0"},
                         {"velocity", Value::drive_limit, false, "0"}},
                        {}};
const ElementRule dynamics{
    "dynamics",
    {{"damping", Value::non_negative, false, "0"}, {"friction", Value::non_negative, false, "0"}},
    {}};
const ElementRule mimic{"mimic",
                        {{"joint", Value::joint},
                         {"multiplier", Value::number, false},
                         {"offset", Value::number, false}},
                        {}};
const ElementRule joint{"joint",
                        {{"name", Value::joint}, {"type", Value::text}},
                        {{&origin},
                         {&parent, Count::one},
                         {&child, Count::one},
                         {&axis},
                         {&limit},
                         {&dynamics},
                         {&mimic}}};
const ElementRule robot{"robot",
                        {{"name", Value::unused}, {"version", Value::unused, false}},
                        {{&material, Count::any}, {&link, Count::any}, {&joint, Count::any}}};

}  // namespace rules

/// Elements that are known and have no effect.
struct IgnoredElement {
  std::string_view name, reason;
};
constexpr IgnoredElement ignored_elements[] = {
    {"transmission", "drives are not simulated"}, {"gazebo", "for another simulator"},
    {"ros2_control", "for another program"},      {"mujoco", "for another simulator"},
    {"drake", "for another simulator"},           {"safety_controller", "for a controller"},
    {"calibration", "for the real robot"},        {"texture", "only colours are kept"},
    {"sensor", "sensors are not simulated"},      {"verbose", "for another program"},
};

std::string expectation(Value value) {
  if (value == Value::non_negative) return std::string(range_text(Range::non_negative));
  if (value == Value::vector) return "three finite numbers";
  if (value == Value::color) return "four numbers from 0 to 1: red, green, blue, opacity";
  if (value == Value::number) return "a finite number";
  return "a text that is not empty";
}

class Cleaner {
 public:
  explicit Cleaner(UrdfFile& file) : file_(file) {}

  std::string clean() {
    write(file_.robot, rules::robot, "");
    return std::move(out_);
  }

 private:
  void write(const XmlElement& element, const ElementRule& rule, const std::string& owner) {
    refuse_xacro(element);
    out_ += fmt::format("<{}", rule.name);
    write_attributes(element, rule, owner);
    out_ += ">";
    for (const ChildRule& each : rule.children) {
      int count = 0;
      for (const XmlElement& next : element.children)
        if (next.name == each.rule->name && ++count > 1 && each.count != Count::any)
          file_.fail(next, owner, fmt::format("found a second <{}>, expected one", next.name));
      if (count == 0 && each.count == Count::one)
        file_.fail(element, owner, fmt::format("found no <{}>, expected one", each.rule->name));
    }
    // In urdfdom's copy as in the file: materials are looked up in that order.
    for (const XmlElement& next : element.children) write_child(element, next, rule, owner);
    out_ += fmt::format("</{}>", rule.name);
    if (&rule == &rules::robot) out_ += '\n';
  }

  void write_child(const XmlElement& element, const XmlElement& next, const ElementRule& rule,
                   const std::string& owner) {
    const std::string its_owner = &rule == &rules::robot ? owner_text(next) : owner;
    for (const ChildRule& each : rule.children) {
      if (next.name != each.rule->name) continue;
      if (each.rule == &rules::visual && !has_shape(next, its_owner, "cannot be drawn")) return;
      if (each.rule == &rules::collision &&
          (!next.child("geometry") || !has_shape(next, its_owner, "touches nothing"))) {
        if (!next.child("geometry"))
          file_.ignored.count("<collision> element", " without <geometry>", "touches nothing");
        return;
      }
      if (each.rule == &rules::material && !is_useful(next, &rule == &rules::robot)) return;
      write(next, *each.rule, its_owner);
      return;
    }
    refuse_xacro(next);
    ignore(element, next);
  }

  void write_attributes(const XmlElement& element, const ElementRule& rule,
                        const std::string& owner) {
    for (const XmlAttribute& attribute : element.attributes) {
      bool known = attribute.name.starts_with("xmlns");
      for (const AttributeRule& each : rule.attributes)
        known = known || each.name == attribute.name;
      if (known) continue;
      if (&rule == &rules::origin && attribute.name.starts_with("quat"))
        file_.fail(element, owner,
                   fmt::format("found {}, expected the orientation as \"rpy\"", attribute.name));
      file_.ignored.count(
          "attribute", fmt::format(" {} of <{}>", in_quotes(attribute.name), rule.name), "unknown");
    }
    for (const AttributeRule& each : rule.attributes) {
      const std::string* value = element.attribute(each.name);
      if (!value && each.required)
        file_.fail(element, owner,
                   fmt::format("found no attribute \"{}\", expected {}", each.name,
                               expectation(each.value)));
      const std::string text = value && each.value != Value::unused
                                   ? cleaned(element, each, *value, owner)
                                   : std::string(each.otherwise);
      if (!text.empty()) out_ += fmt::format(" {}=\"{}\"", each.name, text);
    }
    if (&rule == &rules::robot) out_ += " name=\"robot\"";
  }

  std::string cleaned(const XmlElement& element, const AttributeRule& rule,
                      const std::string& value, const std::string& owner) {
    const auto numbered = [&](const NamedElements& named) {
      return fmt::format("{}{}", named.what, file_.find(named, element, rule.name, owner));
    };
    if (rule.value == Value::link) return numbered(file_.links);
    if (rule.value == Value::joint) return numbered(file_.joints);
    if (rule.value == Value::material)
      return value.empty() ? "" : fmt::format("material{}", material_number(value));
    const auto refuse = [&] {
      file_.fail(element, owner,
                 fmt::format("found {}={}, expected {}", rule.name, in_quotes(value),
                             expectation(rule.value)));
    };
    if (rule.value == Value::text) {
      if (value.empty()) refuse();
      return escape_markup(value);
    }
    const std::vector<double> numbers = read_numbers(value, 16);
    if (rule.value == Value::drive_limit) {  // many programs write 0 where nothing is known
      if (numbers.size() == 1 && numbers[0] > 0) return number_text(numbers[0]);
      file_.ignored.count("<limit> element",
                          fmt::format(" with {}={}", rule.name, in_quotes(value)),
                          "taken as unlimited");
      return "0";
    }
    const std::size_t wanted = rule.value == Value::vector ? 3 : rule.value == Value::color ? 4 : 1;
    if (numbers.size() != wanted) refuse();
    if (rule.value == Value::non_negative && numbers[0] < 0) refuse();
    for (const double number : numbers)
      if (rule.value == Value::color && !(number >= 0 && number <= 1)) refuse();
    std::vector<std::string> texts;
    for (const double number : numbers) texts.push_back(number_text(number));
    return join(texts, " ");
  }

  /// Shapes beyond URDF's four (a capsule, say) are a pity, and no reason to refuse a robot.
  bool has_shape(const XmlElement& element, const std::string& owner, const char* without) {
    const XmlElement* shapes = element.child("geometry");
    if (!shapes) return true;  // will be missed
    if (shapes->children.size() > 1)
      file_.fail(*shapes, owner,
                 fmt::format("found {} shapes, expected one", shapes->children.size()));
    for (const XmlElement& shape : shapes->children)
      for (const ChildRule& each : rules::geometry.children)
        if (shape.name == each.rule->name) return true;
    file_.ignored.count(fmt::format("<{}> element", element.name),
                        " without <box>, <cylinder>, <sphere> or <mesh>", without);
    return false;
  }

  /// A material that has a colour, or is the name of one that has.
  bool is_useful(const XmlElement& element, bool is_definition) {
    const std::string* name = element.attribute("name");
    const bool is_known = name && colored_.count(*name) > 0;
    const bool has_color = element.child("color") != nullptr;
    if (is_definition ? has_color && !is_known : has_color || is_known) {
      if (name) colored_.insert(*name);
      return true;
    }
    file_.ignored.count("<material> element", "",
                        is_known ? "defined before" : "without a colour, drawn in grey");
    return false;
  }

  int material_number(const std::string& name) {
    return materials_.emplace(name, static_cast<int>(materials_.size())).first->second;
  }

  void ignore(const XmlElement& element, const XmlElement& next) {
    for (const IgnoredElement& each : ignored_elements)
      if (next.name == each.name) {
        file_.ignored.count(fmt::format("<{}> element", next.name), "", each.reason);
        return;
      }
    file_.ignored.count(fmt::format("<{}> element", printable(next.name)),
                        fmt::format(" in <{}>", printable(element.name)), "unknown");
  }

  void refuse_xacro(const XmlElement& element) const {
    if (element.name.starts_with("xacro:"))
      file_.fail(element, "", "found a macro, expected a URDF file without: run xacro on it first");
  }

  UrdfFile& file_;
  std::string out_;
  std::unordered_map<std::string, int> materials_;
  std::unordered_set<std::string> colored_;
};

}  // namespace

std::string clean_urdf(UrdfFile& file) { return Cleaner(file).clean(); }

}  // namespace taut::io::detail
