// MJCF's contact pairs, equality constraints and tendons.
#include <algorithm>
#include <cmath>

#include "taut/robot/mjcf_internal.hpp"
#include "taut/robot/robot_bodies.hpp"

namespace taut::io::detail {
namespace {

const std::vector<std::string_view> soft{"solref", "solimp"};
const AttributeRule connect_rule{
    "connect", {"name", "class", "active", "body1", "body2", "anchor", "site1", "site2"}, soft, {}};
const AttributeRule weld_rule{
    "weld",
    {"name", "class", "active", "body1", "body2", "anchor", "relpose", "site1", "site2"},
    {"solref", "solimp", "torquescale"},
    {}};
const AttributeRule couple_rule{
    "joint", {"name", "class", "active", "joint1", "joint2", "polycoef"}, soft, {}};
const AttributeRule tendon_equality_rule{
    "tendon", {"name", "class", "active", "tendon1", "tendon2", "polycoef"}, soft, {}};
const AttributeRule spatial_rule{
    "spatial",
    {"name", "class", "range", "limited", "stiffness", "damping", "springlength"},
    {"group", "width", "material", "rgba", "user", "margin", "solreflimit", "solimplimit",
     "solreffriction", "solimpfriction"},
    {"frictionloss", "armature", "actuatorfrcrange", "actuatorfrclimited"}};
const AttributeRule fixed_rule{
    "fixed",
    {"name", "class", "range", "limited", "stiffness", "damping", "springlength"},
    spatial_rule.without,
    spatial_rule.changes};

}  // namespace

void MjcfReader::read_contacts() {
  each("contact", [&](const XmlElement& section) {
    for (const XmlElement& element : section.children) {
      if (element.name == "exclude") {
        const auto body = [&](const char* key) {
          return file_.find(element, key, file_.required(element, key), bodies_, "body");
        };
        robot_.untouched.emplace_back(body("body1"), body("body2"));
      } else if (element.name == "pair") {
        file_.warn(element, "geoms touch as their own contype and friction say");
      } else {
        constexpr std::string_view known[] = {"exclude", "pair"};
        file_.unknown(element, section, known);
      }
    }
  });
}

void MjcfReader::read_equalities() {
  each("equality", [&](const XmlElement& section) {
    for (const XmlElement& element : section.children) read_equality(element, section);
  });
}

void MjcfReader::read_equality(const XmlElement& element, const XmlElement& section) {
  const XmlElement at = whole(element, "equality", "");
  const bool is_active = options_.equality && file_.flag(at, "active", true);
  if (!is_active)
    return file_.ignored.count(fmt::format("<{}> element", element.name), " that is not active",
                               "has no effect");
  if (element.name == "joint") return read_couple(at);
  if (element.name == "tendon") {
    file_.check(at, tendon_equality_rule);
    held_tendons_.emplace(file_.required(at, "tendon1"), at);
    return;
  }
  const bool is_weld = element.name == "weld";
  if (!is_weld && element.name != "connect") {
    constexpr std::string_view known[] = {"connect", "weld", "joint", "tendon"};
    if (element.name == "distance" || element.name == "flex")
      file_.warn(element, "not simulated");
    else
      file_.unknown(element, section, known);
    return;
  }
  file_.check(at, is_weld ? weld_rule : connect_rule);
  RobotJoint loop;
  loop.type = is_weld ? JointType::fixed : JointType::ball;
  loop.name = file_.text(at, "name", fmt::format("{}{}", element.name, robot_.loops.size() + 1));
  // The places in both bodies coincide in the configuration of the model.
  std::vector<double> reference;
  for (const RobotJoint& joint : robot_.joints) reference.push_back(joint.reference);
  const std::vector<Frame> frames = place_links(robot_, Frame::Identity(), reference);
  const auto frame_of = [&](int link) { return frames[static_cast<std::size_t>(link)]; };
  if (at.attribute("site1") || at.attribute("site2")) {
    const auto site = [&](const char* key) {
      const int number = file_.find(at, key, file_.required(at, key), sites_, "site");
      return site_places_[static_cast<std::size_t>(number)];
    };
    const Site a = site("site1"), b = site("site2");
    loop.parent = a.link;
    loop.child = b.link;
    loop.origin = a.frame;
    loop.child_origin = b.frame.inverse();
  } else {
    loop.parent = file_.find(at, "body1", file_.required(at, "body1"), bodies_, "body");
    loop.child = at.attribute("body2")
                     ? file_.find(at, "body2", *at.attribute("body2"), bodies_, "body")
                     : 0;
    const Frame from_a = frame_of(loop.parent).inverse() * frame_of(loop.child);
    if (is_weld) {
      loop.origin = from_a;
      // All seven zero, or no turn: where the bodies are in the model.
      if (const auto pose = file_.numbers(at, "relpose", 7, 7)) {
        const Quat turn((*pose)[3], (*pose)[4], (*pose)[5], (*pose)[6]);
        if (turn.norm() > 1e-100) {
          loop.origin.translation() = Vec3(pose->data());
          loop.origin.linear() = turn.normalized().toRotationMatrix();
        }
      }
    } else {
      const Vec3 anchor = file_.at(at, [&] {
        file_.required(at, "anchor");
        return *file_.vector(at, "anchor");
      });
      loop.origin.translation() = anchor;
      loop.child_origin.translation() = -(from_a.inverse() * anchor);
    }
  }
  if (loop.parent == loop.child) file_.fail(at, "found one body twice, expected two");
  robot_.loops.push_back(std::move(loop));
}

// joint1 − its place in the model = c₀ + c₁ (joint2 − its place in the model).
void MjcfReader::read_couple(const XmlElement& at) {
  file_.check(at, couple_rule);
  const auto joint_of = [&](const char* key) -> int {
    const int number = file_.find(at, key, file_.required(at, key), joints_, "joint");
    if (!robot_.joints[static_cast<std::size_t>(number)].has_position())
      file_.refuse(at, key, "a hinge or a slide");
    return number;
  };
  const int first = joint_of("joint1");
  RobotJoint& joint = robot_.joints[static_cast<std::size_t>(first)];
  const auto c = file_.numbers(at, "polycoef", 1, 5).value_or(std::vector<double>{0, 1});
  const bool is_linear = std::all_of(c.begin() + std::min<std::ptrdiff_t>(2, std::ssize(c)),
                                     c.end(), [](double each) { return each == 0; });
  const double slope = c.size() > 1 ? c[1] : 1;
  if (!at.attribute("joint2")) {  // held in place
    joint.origin = joint.at(joint.reference + c[0]);
    joint.child_origin = Frame::Identity();
    joint.type = JointType::fixed;
    joint.stiffness = joint.damping = joint.friction = joint.armature = 0;
    joint.lower = -RobotJoint::infinity;
    joint.upper = RobotJoint::infinity;
    return;
  }
  const int second = joint_of("joint2");
  if (first == second) file_.fail(at, "found one joint twice, expected two");
  if (!is_linear || slope == 0)
    return file_.warned.count("<joint> element", " of <equality> that is not linear",
                              "not simulated");
  // Through others to the last: a joint follows one that leads.
  const RobotJoint& leader = robot_.joints[static_cast<std::size_t>(second)];
  int end = second;
  for (std::size_t steps = 0; robot_.joints[static_cast<std::size_t>(end)].mimic >= 0; ++steps)
    end = robot_.joints[static_cast<std::size_t>(end)].mimic;
  if (joint.mimic >= 0 || end == first)
    file_.fail(at, fmt::format("found joint1={}, which follows another joint or is followed by "
                               "joint2, expected a joint that moves on its own",
                               in_quotes(joint.name)));
  double multiplier = slope, offset = joint.reference + c[0] - slope * leader.reference;
  if (leader.mimic >= 0) {
    offset += multiplier * leader.offset;
    multiplier *= leader.multiplier;
  }
  joint.mimic = end;
  joint.multiplier = multiplier;
  joint.offset = offset;
  for (RobotJoint& other : robot_.joints)
    if (other.mimic == first) {
      other.offset += other.multiplier * offset;
      other.multiplier *= multiplier;
      other.mimic = end;
    }
}

void MjcfReader::read_tendons() {
  each("tendon", [&](const XmlElement& section) {
    for (const XmlElement& element : section.children) {
      const XmlElement at = whole(element, "tendon", "");
      if (element.name == "spatial" || element.name == "fixed") {
        if (at.attribute("name"))
          name(at, *at.attribute("name"), static_cast<int>(fixed_tendons_.size()), tendons_,
               "tendon");
        fixed_tendons_.emplace_back();
        file_.check(at, element.name == "fixed" ? fixed_rule : spatial_rule);
        element.name == "fixed" ? read_fixed(at, element) : read_spatial(at, element);
      } else {
        constexpr std::string_view known[] = {"spatial", "fixed"};
        file_.unknown(element, section, known);
      }
    }
  });
}

/// Whether a tendon keeps the length that it has in the model.
bool MjcfReader::is_held(const XmlElement& at) const {
  const auto found = held_tendons_.find(file_.text(at, "name"));
  if (found == held_tendons_.end()) return false;
  const XmlElement& equality = found->second;
  const auto c = file_.numbers(equality, "polycoef", 1, 5);
  return !equality.attribute("tendon2") && (!c || c->front() == 0);
}

/// Those that read_tendons() could not hold.
void MjcfReader::check_held_tendons() {
  for (const auto& [name, at] : held_tendons_) {
    for (const char* key : {"tendon1", "tendon2"})
      if (at.attribute(key)) file_.find(at, key, *at.attribute(key), tendons_, "tendon");
    const bool is_done =
        std::any_of(robot_.tendons.begin(), robot_.tendons.end(),
                    [&](const RobotTendon& t) { return t.is_rod && t.name == name; });
    if (!is_done) file_.warned.count("<tendon> element", " of <equality>", "not simulated");
  }
}

void MjcfReader::read_spatial(const XmlElement& at, const XmlElement& element) {
  RobotTendon tendon;
  tendon.name = file_.text(at, "name", fmt::format("tendon{}", fixed_tendons_.size()));
  bool is_straight = true;
  for (const XmlElement& child : element.children) {
    if (child.name == "site") {
      const int site = file_.find(child, "site", file_.required(child, "site"), sites_, "site");
      const Site& place = site_places_[static_cast<std::size_t>(site)];
      tendon.points.push_back({place.link, place.frame.translation()});
    } else if (child.name == "geom" || child.name == "pulley") {
      is_straight = false;
      if (child.name == "geom")
        file_.find(child, "geom", file_.required(child, "geom"), geoms_, "geom");
    } else {
      constexpr std::string_view known[] = {"site", "geom", "pulley"};
      file_.unknown(child, element, known);
    }
  }
  if (tendon.points.size() < 2)
    file_.fail(at, fmt::format("found {} sites, expected at least two", tendon.points.size()));
  const bool limited = options_.limits && is_limited(at);
  if (limited) {
    const auto range = *file_.numbers(at, "range", 2, 2);
    if (!(range[0] >= 0 && range[0] < range[1])) file_.refuse(at, "range", "0 <= lower < upper");
    tendon.longest = range[1];
    if (range[0] > 0)
      file_.warned.count("<spatial> element", " with a least length above 0",
                         "only the largest is kept");
  }
  if (options_.passive) {
    tendon.stiffness = file_.number(at, "stiffness", 0, Range::non_negative);
    tendon.damping = file_.number(at, "damping", 0, Range::non_negative);
  }
  if (const auto rest = file_.numbers(at, "springlength", 1, 2)) {
    if ((*rest)[0] >= 0) tendon.length = (*rest)[0];
    if (rest->size() == 2 && (*rest)[1] != (*rest)[0])
      file_.warned.count("\"springlength\" attribute", " of <spatial> with a dead band",
                         "the first number is taken");
  }
  tendon.is_rod = is_held(at);
  const bool acts = limited || tendon.is_rod || tendon.stiffness > 0 || tendon.damping > 0;
  if (!acts) return;
  if (!is_straight || tendon.points.size() > 2)
    return file_.warned.count("<spatial> element", " with a bend", "not simulated");
  if (tendon.points[0].link == tendon.points[1].link)
    return file_.ignored.count("<spatial> element", " within one body", "has no effect");
  robot_.tendons.push_back(std::move(tendon));
}

void MjcfReader::read_fixed(const XmlElement& at, const XmlElement& element) {
  FixedTendon& tendon = fixed_tendons_.back();
  for (const XmlElement& child : element.children) {
    if (child.name != "joint") {
      constexpr std::string_view known[] = {"joint"};
      file_.unknown(child, element, known);
      continue;
    }
    const int joint = file_.find(child, "joint", file_.required(child, "joint"), joints_, "joint");
    if (!robot_.joints[static_cast<std::size_t>(joint)].has_position())
      file_.refuse(child, "joint", "a hinge or a slide");
    file_.required(child, "coef");
    tendon.parts.push_back({joint, *file_.number(child, "coef")});
  }
  if (tendon.parts.empty()) file_.fail(at, "found no <joint>, expected at least one");
  const double stiffness = file_.number(at, "stiffness", 0, Range::non_negative);
  const double damping = file_.number(at, "damping", 0, Range::non_negative);
  const bool limited = options_.limits && is_limited(at);
  if (tendon.parts.size() > 1) {
    if (limited || (options_.passive && (stiffness > 0 || damping > 0)))
      file_.warned.count("<fixed> element", " of several joints with a range, spring or damping",
                         "not simulated");
    return;
  }
  // Of one joint: l = c q.
  const double coef = tendon.parts[0].gear;
  RobotJoint& joint = robot_.joints[static_cast<std::size_t>(tendon.parts[0].joint)];
  if (options_.passive && stiffness > 0) {
    if (joint.stiffness > 0)
      return file_.warned.count("<fixed> element", " on a joint with a spring", "not simulated");
    const auto rest = file_.numbers(at, "springlength", 1, 2);
    joint.stiffness = coef * coef * stiffness;
    joint.rest = rest && (*rest)[0] >= 0 && coef != 0 ? (*rest)[0] / coef : joint.reference;
  }
  if (options_.passive) joint.damping += coef * coef * damping;
  if (!limited || coef == 0) return;
  const auto range = *file_.numbers(at, "range", 2, 2);
  const double a = range[0] / coef, b = range[1] / coef;
  joint.lower = std::max(joint.lower, std::min(a, b));
  joint.upper = std::min(joint.upper, std::max(a, b));
  if (!(joint.lower < joint.upper)) file_.refuse(at, "range", "a range that leaves the joint room");
}

}  // namespace taut::io::detail
