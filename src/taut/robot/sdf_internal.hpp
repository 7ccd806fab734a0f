// SDF while it is read: models in models with their frames (sdf_scopes.cpp), links
// (sdf_links.cpp), and the graph of joints as a tree with loops (sdf_joints.cpp).
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "taut/robot/model_file_internal.hpp"
#include "taut/robot/robot.hpp"

namespace taut::io::detail {

struct SdfScope;

/// Something with a frame and a name in a model: a link, a joint, a frame, or a model.
struct SdfEntity {
  const XmlElement* element = nullptr;
  std::unique_ptr<SdfScope> model;  ///< if it is one
  int link = -1;                    ///< of a link: its number
  enum class State { unknown, in_work, known } state = State::unknown;
  Frame frame = Frame::Identity();  ///< in that of the scope
};

/// A model, or the world.
struct SdfScope {
  const XmlElement* element = nullptr;
  const XmlElement* include = nullptr;  ///< what included it, and has the last word
  SdfScope* parent = nullptr;
  std::string prefix;  ///< of the names of its links: "cart::"
  bool is_static = false, touches_itself = false;
  int group = 0;  ///< number of the outermost model
  std::map<std::string, SdfEntity> entities;
  std::vector<std::string> order;   ///< names as in the file
  Frame world = Frame::Identity();  ///< its frame in the world
};

class SdfReader {
 public:
  SdfReader(const std::string& origin, const std::string& folder) : file_(origin, folder) {}
  Robot read(std::string_view text);

 private:
  // sdf_scopes.cpp
  void read_world(const XmlElement& world);
  void fill(SdfScope& scope, int depth);
  void add_model(SdfScope& scope, const XmlElement& element, const XmlElement* include, int depth);
  const XmlElement& included(const XmlElement& include, std::string_view wanted);
  SdfEntity& add_entity(SdfScope& scope, const XmlElement& element, const std::string& name);
  std::string name_of(const XmlElement& element) const;
  Frame pose(const XmlElement* pose) const;
  /// In the frame of the scope. `at` says where the name stands.
  Frame frame(SdfScope& scope, const std::string& name, const XmlElement& at, int depth = 0);
  SdfEntity& find(SdfScope& scope, const std::string& name, const XmlElement& at,
                  SdfScope** owner = nullptr);
  Frame relative_to(SdfScope& scope, const XmlElement& element, const std::string& otherwise,
                    int depth);
  /// The link that a link, a frame or a model is fixed to.
  int link_of(SdfScope& scope, const std::string& name, const XmlElement& at, int depth = 0);
  void place_models(SdfScope& scope);

  // sdf_links.cpp
  void read_links(SdfScope& scope);
  void read_link(SdfScope& scope, SdfEntity& entity);
  void read_inertial(const XmlElement& link, RobotLink& out);
  /// Whether there is a shape that can be drawn and touched.
  bool read_geometry(const XmlElement& geometry, LinkShape& shape);
  void read_surface(const XmlElement& collision, LinkShape& shape);

  // sdf_joints.cpp
  struct Edge {
    const XmlElement* element;
    SdfScope* scope;
    std::string name;
    int parent, child;               ///< links; 0 is the world
    std::vector<RobotJoint> joints;  ///< one, or two of a universal joint, from parent to child
    Frame frame;                     ///< in the world
    bool is_used = false;
  };
  void collect_joints(SdfScope& scope);
  void read_joint(SdfScope& scope, const XmlElement& element, const std::string& name);
  RobotJoint read_axis(SdfScope& scope, const XmlElement& joint, const XmlElement* axis,
                       JointType type, const Frame& frame);
  void grow_tree();
  void add_edge(Edge& edge, bool forwards);
  void close_loop(Edge& edge);
  void read_gearbox(const Edge& edge);

  ModelFile file_;
  Robot robot_;
  double version_ = 1.9;
  std::size_t elements_ = 0;            ///< of all models, those included several times as often
  std::deque<XmlElement> files_;        ///< what was included
  std::vector<std::string> including_;  ///< paths, from the outside inwards
  SdfScope root_;
  std::vector<Frame> link_frames_;  ///< in the world
  std::vector<bool> is_still_;      ///< per link: of a static model
  std::vector<Edge> edges_;
  int groups_ = 0;
};

}  // namespace taut::io::detail
