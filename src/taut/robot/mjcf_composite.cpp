// MJCF's composites: one element that stands for many bodies, joints and what relates them. They
// are written out as such elements before anything is read. Particles, grids, ropes and loops;
// cloths and soft bodies hold together by soft equalities that have no counterpart here.
#include <algorithm>
#include <cmath>
#include <set>

#include "taut/robot/mjcf_internal.hpp"

namespace taut::io::detail {
namespace {

constexpr std::size_t most_composite_bodies = 10'000;
constexpr int longest_rope = 1000;  // each of its bodies is inside the one before

const AttributeRule composite_rule{"composite",
                                   {"type", "count", "spacing", "offset", "prefix"},
                                   {"solrefsmooth", "solimpsmooth", "flatinertia"},
                                   {"vertex", "face", "initial", "curve", "size", "quat"}};

std::string text_of(const Vec3& v) { return fmt::format("{} {} {}", v.x(), v.y(), v.z()); }

/// MuJoCo's constraints of a grid (solref 0.01 1, solimp 0.99) yield to a force as a spring does of
/// this stiffness per kg moved, k d/(1 − d) with k = 1/(0.99·0.01 s)² and d = 0.99, and as a
/// damper, 2/(0.99·0.01 s) d/(1 − d).
constexpr double held_stiffness = 99 / (0.0099 * 0.0099), held_damping = 99 * 2 / 0.0099;

/// One composite while it is written out.
class Composite {
 public:
  Composite(ModelFile& file, const XmlElement& element, const std::string& child_class,
            std::vector<XmlElement>& relations)
      : file_(file), at_(element), class_(child_class), relations_(relations) {
    file_.check(at_, composite_rule);
    prefix_ = file_.text(at_, "prefix");
    offset_ = file_.vector(at_, "offset", Vec3::Zero());
    if (const auto counts = file_.numbers(at_, "count", 1, 3)) {
      std::size_t all = 1;
      for (std::size_t k = 0; k < counts->size(); ++k) {
        const double count = (*counts)[k];
        if (!(count >= 1 && count <= most_composite_bodies && count == std::floor(count)))
          file_.refuse(at_, "count", "whole numbers ≥ 1");
        count_[k] = static_cast<int>(count);
        all *= static_cast<std::size_t>(count_[k]);
        if (all > most_composite_bodies)
          file_.refuse(at_, "count", fmt::format("at most {} bodies", most_composite_bodies));
      }
    }
    for (const XmlElement& child : at_.children) {
      constexpr std::string_view known[] = {"joint", "tendon", "geom",  "site",
                                            "skin",  "pin",    "plugin"};
      if (child.name == "geom")
        geom_ = &child;
      else if (child.name == "joint" && file_.text(child, "kind", "main") == "main")
        joint_ = &child;
      else if (child.name == "tendon")
        (file_.text(child, "kind", "main") == "shear" ? shear_ : tendon_) = &child;
      else if (child.name == "plugin")
        file_.warn(child, "not simulated");
      else if (std::find(std::begin(known), std::end(known), child.name) == std::end(known))
        file_.unknown(child, at_, known);
    }
  }

  std::vector<XmlElement> particles() {
    need_spacing();
    std::vector<XmlElement> bodies;
    for (int x = 0; x < count_[0]; ++x)
      for (int y = 0; y < count_[1]; ++y)
        for (int z = 0; z < count_[2]; ++z) {
          XmlElement body = make("body");
          set(body, "name", fmt::format("{}B{}_{}_{}", prefix_, x, y, z));
          const Vec3 middle(0.5 * count_[0], 0.5 * count_[1], 0.5 * count_[2]);
          set(body, "pos", text_of(Vec3(offset_ + spacing_ * (Vec3(x, y, z) - middle))));
          for (int k = 0; k < 3; ++k) {
            XmlElement slide = joint();
            set(slide, "type", "slide");
            set(slide, "axis", text_of(Vec3(Vec3::Unit(k))));
            body.children.push_back(std::move(slide));
          }
          XmlElement geom = this->geom();
          if (!geom.attribute("condim")) set(geom, "condim", "1");
          body.children.push_back(std::move(geom));
          bodies.push_back(std::move(body));
        }
    return bodies;
  }

  /// Spheres that slide, held together by tendons. These are springs: what is stretched out between
  /// two pins could not bear its weight if they were not.
  std::vector<XmlElement> grid() {
    need_spacing();
    if (count_[2] != 1) file_.refuse(at_, "count", "at most two numbers above 1: it is flat");
    std::set<std::pair<int, int>> pinned;
    for (const XmlElement& child : at_.children) {
      if (child.name != "pin") continue;
      file_.required(child, "coord");
      const std::vector<double> coord = *file_.numbers(child, "coord", 1, 2);
      pinned.emplace(coord[0], coord.size() > 1 ? coord[1] : 0);
    }
    std::vector<XmlElement> bodies;
    XmlElement tendons = make("tendon");
    const double mass = sphere_mass();
    const auto hold = [&](const XmlElement* like, const std::string& name, int x, int y, int to_x,
                          int to_y) {
      if (to_x >= count_[0] || to_y >= count_[1]) return;
      const bool is_pinned = pinned.contains({x, y}), is_end_pinned = pinned.contains({to_x, to_y});
      if (is_pinned && is_end_pinned) return;
      const double moved = is_pinned || is_end_pinned ? mass : mass / 2;
      XmlElement tendon = make("spatial", like);
      set(tendon, "name", fmt::format("{}{}_{}_{}", prefix_, name, x, y));
      for (const auto& [key, value] : {std::pair("stiffness", held_stiffness * moved),
                                       std::pair("damping", held_damping * moved)})
        set(tendon, key, fmt::format("{}", value + file_.number(tendon, key, 0)));
      for (const auto& [i, k] : {std::pair(x, y), std::pair(to_x, to_y)}) {
        tendon.children.push_back(make("site"));
        set(tendon.children.back(), "site", fmt::format("{}S{}_{}", prefix_, i, k));
      }
      tendons.children.push_back(std::move(tendon));
    };
    for (int x = 0; x < count_[0]; ++x)
      for (int y = 0; y < count_[1]; ++y) {
        const std::string own = fmt::format("{}_{}", x, y);
        XmlElement body = make("body");
        set(body, "name", fmt::format("{}B{}", prefix_, own));
        const Vec3 middle(0.5 * count_[0], 0.5 * count_[1], 0);
        set(body, "pos", text_of(Vec3(offset_ + spacing_ * (Vec3(x, y, 0) - middle))));
        for (int k = 0; k < 3 && !pinned.contains({x, y}); ++k) {
          XmlElement slide = joint();
          set(slide, "name", fmt::format("{}J{}_{}", prefix_, k, own));
          set(slide, "type", "slide");
          set(slide, "axis", text_of(Vec3(Vec3::Unit(k))));
          body.children.push_back(std::move(slide));
        }
        XmlElement geom = this->geom(), site = make("site");
        set(geom, "name", fmt::format("{}G{}", prefix_, own));
        set(geom, "type", "sphere");
        set(site, "name", fmt::format("{}S{}", prefix_, own));
        set(site, "class", class_);
        body.children.push_back(std::move(geom));
        body.children.push_back(std::move(site));
        bodies.push_back(std::move(body));
        hold(tendon_, "T0", x, y, x + 1, y);
        hold(tendon_, "T1", x, y, x, y + 1);
        if (shear_) hold(shear_, "TS", x, y, x + 1, y + 1);
      }
    relations_.push_back(std::move(tendons));
    return bodies;
  }

  /// Its root is the body around it, which says by its name which element of the rope it is.
  std::vector<XmlElement> rope(const XmlElement& root, bool closed) {
    need_spacing();
    if (count_[1] != 1 || count_[2] != 1 || count_[0] < 2 || count_[0] > longest_rope)
      file_.refuse(at_, "count",
                   fmt::format("a number from 2 to {}, and 1 behind it", longest_rope));
    const std::string name = file_.text(root, "name"), start = prefix_ + "B";
    std::size_t digits = 0;
    int origin = -1;
    if (name.starts_with(start)) {
      const std::string number = name.substr(start.size());
      digits = std::min(number.find_first_not_of("0123456789"), number.size());
      if (digits > 0 && digits < 6) origin = std::stoi(number.substr(0, digits));
    }
    if (origin < 0 || origin >= count_[0])
      file_.fail(root, fmt::format("found the name {} of the body around a rope, expected {}0 to "
                                   "{}{}: which element of the rope it is",
                                   in_quotes(name), start, start, count_[0] - 1));
    std::vector<XmlElement> children{rope_geom(origin)};
    if (origin + 1 < count_[0]) children.push_back(rope_body(origin + 1, +1, closed));
    if (origin > 0) children.push_back(rope_body(origin - 1, -1, closed));
    if (closed) close_loop();
    return children;
  }

 private:
  XmlElement make(std::string_view name) const {
    XmlElement element;
    element.name = name;
    element.line = at_.line;
    element.file = at_.file;
    return element;
  }
  static void set(XmlElement& element, std::string_view key, std::string value) {
    for (XmlAttribute& each : element.attributes)
      if (each.name == key) {
        each.value = std::move(value);
        return;
      }
    element.attributes.push_back({std::string(key), std::move(value)});
  }
  /// With attributes of a child of the composite, which defaults of the model do not reach.
  XmlElement make(std::string_view name, const XmlElement* from) const {
    XmlElement element = make(name);
    if (from) {
      element = *from;
      element.children.clear();
      std::erase_if(element.attributes, [](const XmlAttribute& each) {
        return each.name == "kind" || each.name.ends_with("fix");
      });
    }
    set(element, "class", class_);
    return element;
  }
  XmlElement joint() const { return make("joint", joint_); }
  XmlElement geom() const { return make("geom", geom_); }
  void need_spacing() {
    file_.required(at_, "spacing");
    spacing_ = file_.number(at_, "spacing", 0, Range::positive);
  }

  double sphere_mass() const {
    if (!geom_) file_.fail(at_, "found no <geom>, expected one");
    const auto size = file_.numbers(*geom_, "size", 1, 3);
    if (!size || !((*size)[0] > 0)) file_.refuse(*geom_, "size", "a radius > 0");
    const double density = file_.number(*geom_, "density", 1000, Range::non_negative);
    return file_.number(*geom_, "mass", 4.0 / 3 * M_PI * std::pow((*size)[0], 3) * density,
                        Range::positive);
  }
  XmlElement rope_geom(int number) const {
    XmlElement geom = this->geom();
    set(geom, "name", fmt::format("{}G{}", prefix_, number));
    set(geom, "pos", "0 0 0");
    set(geom, "quat", "1 0 1 0");  // along x
    return geom;
  }
  XmlElement rope_body(int number, int side, bool closed) const {
    XmlElement body = make("body");
    set(body, "name", fmt::format("{}B{}", prefix_, number));
    const double step = side * spacing_;
    if (closed) {  // elements are the sides of a regular polygon
      const double half = M_PI / count_[0];
      set(body, "pos",
          text_of(Vec3(step * std::cos(half) * std::cos(half),
                       spacing_ * std::cos(half) * std::sin(half), 0)));
      set(body, "quat", fmt::format("{} 0 0 {}", std::cos(half), side * std::sin(half)));
    } else {
      set(body, "pos", text_of(Vec3(step, 0, 0)));
    }
    for (int k = 1; k <= 2; ++k) {
      XmlElement hinge = joint();
      set(hinge, "name", fmt::format("{}J{}_{}", prefix_, k - 1, number));
      set(hinge, "type", "hinge");
      set(hinge, "pos", text_of(Vec3(-0.5 * step, 0, 0)));
      set(hinge, "axis", text_of(Vec3(Vec3::Unit(k))));
      body.children.push_back(std::move(hinge));
    }
    body.children.push_back(rope_geom(number));
    const int next = number + side;
    if (next >= 0 && next < count_[0]) body.children.push_back(rope_body(next, side, closed));
    return body;
  }
  void close_loop() {
    const std::string first = prefix_ + "B0", last = fmt::format("{}B{}", prefix_, count_[0] - 1);
    XmlElement equality = make("equality"), connect = make("connect");
    set(connect, "body1", first);
    set(connect, "body2", last);
    set(connect, "anchor", text_of(Vec3(-0.5 * spacing_, 0, 0)));
    equality.children.push_back(std::move(connect));
    XmlElement contact = make("contact"), exclude = make("exclude");
    set(exclude, "body1", first);
    set(exclude, "body2", last);
    contact.children.push_back(std::move(exclude));
    relations_.push_back(std::move(equality));
    relations_.push_back(std::move(contact));
  }

  ModelFile& file_;
  const XmlElement& at_;
  const std::string& class_;
  std::vector<XmlElement>& relations_;
  std::string prefix_;
  Vec3 offset_ = Vec3::Zero();
  std::array<int, 3> count_{1, 1, 1};
  double spacing_ = 0;
  const XmlElement *geom_ = nullptr, *joint_ = nullptr, *tendon_ = nullptr, *shear_ = nullptr;
};

}  // namespace

void MjcfReader::expand_composites() {
  std::string no_defaults = "composite";
  while (classes_.contains(no_defaults)) no_defaults += "_";
  classes_[no_defaults];
  std::vector<XmlElement> relations;
  for (XmlElement& section : root_.children)
    if (section.name == "worldbody") expand_composites(section, no_defaults, relations);
  for (XmlElement& each : relations) root_.children.push_back(std::move(each));
}

void MjcfReader::expand_composites(XmlElement& element, const std::string& no_defaults,
                                   std::vector<XmlElement>& relations) {
  std::vector<XmlElement> children;
  for (XmlElement& child : element.children) {
    if (child.name != "composite") {
      expand_composites(child, no_defaults, relations);
      children.push_back(std::move(child));
      continue;
    }
    constexpr std::string_view types[] = {"particle", "grid", "rope",     "loop",     "cable",
                                          "cloth",    "box",  "cylinder", "ellipsoid"};
    file_.required(child, "type");
    const std::string_view type = types[file_.word(child, "type", types, 0)];
    if (type != "particle" && type != "grid" && type != "rope" && type != "loop") {
      file_.warned.count("<composite> element", fmt::format(" of type {}", type), "not simulated");
      continue;
    }
    Composite composite(file_, child, no_defaults, relations);
    const bool is_rope = type == "rope" || type == "loop";
    if (is_rope && element.name != "body")
      file_.fail(child, fmt::format("found a {} in <{}>, expected it in a <body>, its root", type,
                                    printable(element.name)));
    std::vector<XmlElement> made = is_rope          ? composite.rope(element, type == "loop")
                                   : type == "grid" ? composite.grid()
                                                    : composite.particles();
    for (XmlElement& each : made) children.push_back(std::move(each));
  }
  element.children = std::move(children);
}

}  // namespace taut::io::detail
