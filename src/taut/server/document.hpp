// The scene that is shown, as the text of its file. Changes are changes of this text: it is read
// and checked like any file, and can be saved as one.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "taut/scene/scene.hpp"

namespace taut::server {

class Document {
 public:
  /// A built-in scene or robot, or a file. Throws Error.
  static Document load(const std::string& name_or_path);
  static Document from_text(std::string text, std::string origin);

  const std::string& text() const { return text_; }
  const std::string& origin() const { return origin_; }
  /// Throws Error with the place in the text.
  io::Scene read() const;

  // Each gives a changed copy, or throws Error where the text does not allow the change.
  Document with_parameters(const std::map<std::string, double>& values) const;
  Document with_gravity(const Vec3& gravity) const;
  struct RunChoice {
    std::string method;
    double step = 0;
    std::vector<OptionValue> options;
  };
  Document with_run(const RunChoice& run) const;
  /// Cloths that start where they are in q; `scene` is what read() gives.
  Document with_starts(const io::Scene& scene, const VecX& q) const;
  /// A pin of a body's point, in its frame, at a place of the world.
  struct NewPin {
    std::string name, body;
    bool is_rigid = false;
    Vec3 local = Vec3::Zero(), place = Vec3::Zero();
  };
  Document with_pin(const NewPin& pin) const;
  /// Without a constraint; `scene` is what read() gives.
  Document without_pin(const io::Scene& scene, const std::string& name) const;

 private:
  Document(std::string text, std::string origin)
      : text_(std::move(text)), origin_(std::move(origin)) {}

  std::string text_, origin_;
};

}  // namespace taut::server
