#include "taut/constraints/list.hpp"

namespace taut {

template class Batch<Pin>;
template class Batch<Ball>;
template class Batch<Distance>;
template class Batch<OnPlane>;
template class Batch<OnLine>;
template class Batch<OnCircle>;
template class Batch<OnCurve>;
template class Batch<Angle>;

}  // namespace taut
