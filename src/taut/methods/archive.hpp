// Of plain structs of this folder and of models, what base/archive.hpp asks for.
#pragma once

#include "taut/base/archive.hpp"
#include "taut/methods/method.hpp"

namespace taut {

void archive(Archive& a, State& state);
void archive(Archive& a, RowLaw& law);
void archive(Archive& a, RowModes::Mode& mode);

}  // namespace taut
