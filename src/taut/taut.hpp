// Everything a program that uses taut needs. What programs need rarely has headers of its own:
//   taut/constraints/formula.hpp           constraints of your own, from their formula
//   taut/constraints/constraint_batch.hpp  … with derivatives written by hand
//   taut/forces/force_batch.hpp            forces of your own
//   taut/methods/options.hpp               methods of your own
//   taut/collision/contacts.hpp            shapes, distances, contacts (and cast, tree,
//   mass_properties) taut/hand/hand.hpp                     hands taut/haptics/grasp_session.hpp …
//   that a device moves (taut/devices/device.hpp)
#pragma once

#include "taut/analysis/verify.hpp"
#include "taut/base/error.hpp"
#include "taut/base/version.hpp"
#include "taut/cloth/cloth.hpp"
#include "taut/cloth/grid.hpp"
#include "taut/constraints/list.hpp"
#include "taut/forces/list.hpp"
#include "taut/methods/method.hpp"
#include "taut/methods/projection.hpp"
#include "taut/model/system.hpp"
#include "taut/record/output.hpp"
#include "taut/scene/scene.hpp"
#include "taut/sensor/sensor_set.hpp"
#include "taut/simulate/simulation.hpp"
