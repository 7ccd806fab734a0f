// A device for the tests: two samples, the second with the force that it was sent, and then it is
// gone.
#include "taut/devices/plugin.h"

#include <cstdlib>

namespace {

struct Played {
  int reads = 0;
  double angle = 0, felt = 0;
};

int read_sample(void* device, taut_hand_sample* sample) {
  auto& played = *static_cast<Played*>(device);
  if (++played.reads > 2) return -1;
  sample->time = played.felt;
  for (int i = 0; i < 3; ++i) sample->position[i] = i + 1;
  sample->orientation[0] = 1;
  sample->angles[7] = played.angle;
  return 1;
}
void take_forces(void* device, const taut_hand_forces* forces) {
  static_cast<Played*>(device)->felt = forces->fingers[1];
}
void end(void* device) { delete static_cast<Played*>(device); }

}  // namespace

extern "C" int taut_device(int version, const char* options, taut_device_functions* functions) {
  if (version != TAUT_DEVICE_VERSION || options[0] == 'n') return 1;
  auto* played = new Played;
  played->angle = std::atof(options);
  *functions = {played, read_sample, take_forces, end};
  return 0;
}
