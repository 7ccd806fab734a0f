// Links and joints of a URDF file as a tree: what names mean, and what is wrong with them.
#include <algorithm>

#include "taut/robot/urdf_internal.hpp"
#include "taut/text/json_text.hpp"

namespace taut::io::detail {
namespace {

constexpr std::size_t most_links = 100'000;
constexpr std::string_view joint_types[] = {"revolute", "continuous", "prismatic",
                                            "fixed",    "floating",   "planar"};

bool has_position(const std::string& type) {
  return type == "revolute" || type == "continuous" || type == "prismatic";
}

void number(UrdfFile& file, NamedElements& named) {
  for (const XmlElement& element : file.robot.children) {
    if (element.name != named.what) continue;
    const std::string* name = element.attribute("name");
    if (!name || name->empty())
      file.fail(element, "", "found no name, expected the attribute \"name\"");
    if (std::any_of(name->begin(), name->end(),
                    [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }))
      file.fail(element, "",
                fmt::format("found the name {}, expected one without control characters",
                            in_quotes(*name)));
    const auto [known, is_new] =
        named.numbers.emplace(*name, static_cast<int>(named.elements.size()));
    if (!is_new)
      file.fail(element, "",
                fmt::format("found the name {} again, expected another one: line {} has it",
                            in_quotes(*name),
                            named.elements[static_cast<std::size_t>(known->second)]->line));
    if (named.elements.size() == most_links)
      file.fail(
          element, "",
          fmt::format("found more than {} {}s, expected at most that", most_links, named.what));
    named.elements.push_back(&element);
  }
}

void check_type(const UrdfFile& file, const XmlElement& joint) {
  const std::string& type = *joint.attribute("type");
  if (std::find(std::begin(joint_types), std::end(joint_types), type) == std::end(joint_types))
    file.fail(joint, owner_text(joint),
              fmt::format("found the type {}, expected a type of joint{}", in_quotes(type),
                          suggestion(type, joint_types)));
}

void check_limit(const UrdfFile& file, const XmlElement& joint) {
  const std::string& type = *joint.attribute("type");
  if (type != "revolute" && type != "prismatic") return;
  if (!joint.child("limit"))
    file.fail(joint, owner_text(joint),
              fmt::format("found no <limit>, expected one in a {} joint{}", type,
                          type == "revolute" ? " (one without limits is \"continuous\")" : ""));
}

/// The joint that another one follows; -1 without <mimic>.
int followed(const UrdfFile& file, const XmlElement& joint) {
  const XmlElement* mimic = joint.child("mimic");
  if (!mimic) return -1;
  const std::string owner = owner_text(joint);
  const int other = file.find(file.joints, *mimic, "joint", owner);
  const XmlElement& leader = *file.joints.elements[static_cast<std::size_t>(other)];
  for (const XmlElement* each : {&joint, &leader})
    if (!has_position(*each->attribute("type")))
      file.fail(
          *mimic, owner,
          fmt::format("found {} of type {}, expected two joints that are revolute, continuous "
                      "or prismatic",
                      owner_text(*each), *each->attribute("type")));
  return other;
}

/// Following must come to an end: no joint follows itself, directly or through others.
void refuse_mimic_cycles(const UrdfFile& file, const std::vector<int>& leader) {
  std::vector<int> seen(leader.size(), -1);  // in which walk
  for (std::size_t start = 0; start < leader.size(); ++start) {
    int at = static_cast<int>(start);
    while (at >= 0 && seen[static_cast<std::size_t>(at)] < 0) {
      seen[static_cast<std::size_t>(at)] = static_cast<int>(start);
      at = leader[static_cast<std::size_t>(at)];
    }
    if (at >= 0 && seen[static_cast<std::size_t>(at)] == static_cast<int>(start)) {
      const XmlElement& joint = *file.joints.elements[static_cast<std::size_t>(at)];
      file.fail(*joint.child("mimic"), owner_text(joint),
                fmt::format("found a joint that follows itself through {}, expected a joint that "
                            "moves on its own at the end",
                            in_quotes(file.joints.name(leader[static_cast<std::size_t>(at)]))));
    }
  }
}

/// The one link that no joint moves.
int find_root(const UrdfFile& file, const std::vector<int>& mover) {
  int root = -1;
  for (std::size_t i = 0; i < mover.size(); ++i) {
    if (mover[i] >= 0) continue;
    if (root >= 0)
      file.fail(*file.links.elements[i], owner_text(*file.links.elements[i]),
                fmt::format("found a second root beside the link {}, expected one: a joint must "
                            "have one of them as its child",
                            in_quotes(file.links.name(root))));
    root = static_cast<int>(i);
  }
  if (root < 0)
    file.fail(file.robot, "",
              "found joints in a circle and no root, expected a tree: one link must be no joint's "
              "child (a loop is closed by a constraint of a scene)");
  return root;
}

}  // namespace

void UrdfFile::fail(const XmlElement& element, std::string_view owner,
                    std::string_view message) const {
  const bool is_owner = owner.empty() || owner == owner_text(element);
  const std::string tag =
      is_owner && !owner.empty() ? "" : fmt::format("<{}>", printable(element.name));
  throw Error(fmt::format("{}: line {}: {}{}{}: {}", shown_file(origin), element.line, owner,
                          is_owner ? "" : ", ", tag, message));
}

int UrdfFile::find(const NamedElements& named, const XmlElement& element,
                   std::string_view attribute, std::string_view owner) const {
  const std::string& name = *element.attribute(attribute);
  if (const auto found = named.numbers.find(name); found != named.numbers.end())
    return found->second;
  std::vector<std::string_view> known;
  for (const XmlElement* each : named.elements) known.push_back(*each->attribute("name"));
  fail(element, owner,
       fmt::format("found {}={}, expected the name of a {}{}", attribute, in_quotes(name),
                   named.what, suggestion(name, known)));
}

UrdfFile open_urdf(std::string_view text, const std::string& origin) {
  UrdfFile file;
  file.origin = origin;
  file.robot = parse_xml(text, origin, "a robot, <robot>");
  const XmlElement& robot = file.robot;
  if (robot.name != "robot") file.fail(robot, "", "found this element, expected <robot>");
  if (const std::string* version = robot.attribute("version"))
    if (double number = 0; !read_number(*version, number) || number != 1)
      file.fail(robot, "", fmt::format("found version={}, expected 1.0", in_quotes(*version)));
  number(file, file.links);
  number(file, file.joints);
  if (file.links.elements.empty()) file.fail(robot, "", "found no <link>, expected at least one");
  return file;
}

UrdfTree check_tree(const UrdfFile& file) {
  const std::size_t links = file.links.elements.size(), joints = file.joints.elements.size();
  UrdfTree tree;
  std::vector<int> mover(links, -1), leader(joints, -1);
  std::vector<std::vector<UrdfTree::Joint>> below(links);
  for (std::size_t i = 0; i < joints; ++i) {
    const XmlElement& joint = *file.joints.elements[i];
    const std::string owner = owner_text(joint);
    const int from = file.find(file.links, *joint.child("parent"), "link", owner);
    const int to = file.find(file.links, *joint.child("child"), "link", owner);
    if (from == to)
      file.fail(joint, owner,
                fmt::format("found {} as parent and as child, expected two links",
                            in_quotes(file.links.name(to))));
    int& moved_by = mover[static_cast<std::size_t>(to)];
    if (moved_by >= 0)
      file.fail(
          joint, owner,
          fmt::format("found the child {}, which the joint {} has already, expected a tree (a "
                      "loop is closed by a constraint of a scene)",
                      in_quotes(file.links.name(to)), in_quotes(file.joints.name(moved_by))));
    moved_by = static_cast<int>(i);
    check_type(file, joint);
    check_limit(file, joint);
    leader[i] = followed(file, joint);
    below[static_cast<std::size_t>(from)].push_back({static_cast<int>(i), from, to, leader[i]});
  }
  refuse_mimic_cycles(file, leader);
  tree.root = find_root(file, mover);

  // Depth first, in the order of the file.
  std::vector<UrdfTree::Joint> waiting(below[static_cast<std::size_t>(tree.root)].rbegin(),
                                       below[static_cast<std::size_t>(tree.root)].rend());
  while (!waiting.empty()) {
    const UrdfTree::Joint joint = waiting.back();
    waiting.pop_back();
    tree.joints.push_back(joint);
    const auto& next = below[static_cast<std::size_t>(joint.child)];
    waiting.insert(waiting.end(), next.rbegin(), next.rend());
    mover[static_cast<std::size_t>(joint.child)] = -1;
  }
  for (std::size_t i = 0; i < links; ++i)
    if (mover[i] >= 0)
      file.fail(
          *file.links.elements[i], owner_text(*file.links.elements[i]),
          "found it in a circle of joints, expected a tree (a loop is closed by a constraint of "
          "a scene)");
  return tree;
}

}  // namespace taut::io::detail
