// What scenes call the attraction, and its fields.
#include "attraction.hpp"

#include <taut/forces/force_info.hpp>

namespace taut {

ForceInfo describe_attraction() {
  return describe_force(FieldList<Attraction>()
                            .required("point", &Attraction::point, "", "what is attracted")
                            .optional("strength", &Attraction::strength, "N·m²",
                                      "force at a distance of 1 m", Range::positive));
}

}  // namespace taut
