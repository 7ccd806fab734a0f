/* A device of your own, in a shared library: implement taut_device() and give the library to
   `taut grasp SCENE --plugin FILE`. Plain C. */
#ifndef TAUT_DEVICES_PLUGIN_H
#define TAUT_DEVICES_PLUGIN_H

#ifdef __cplusplus
extern "C" {
#endif

#define TAUT_DEVICE_VERSION 1

typedef struct taut_hand_sample {
  double time;           /* s, of the device's clock */
  double position[3];    /* of the wrist, m */
  double orientation[4]; /* w x y z */
  double angles[22];     /* rad, in the order of `taut hand` */
} taut_hand_sample;

typedef struct taut_hand_forces {
  double fingers[5]; /* N, thumb to pinkie; each pulls a finger open */
  double wrist[3];   /* N, on the palm or a stylus */
  double torque[3];  /* N m, on a stylus */
} taut_hand_forces;

typedef struct taut_device_functions {
  void* device; /* handed to all functions */
  /* 1: a new sample, 0: none, below 0: the device is gone. Must not wait. */
  int (*read)(void* device, taut_hand_sample* sample);
  /* May be 0. Must not wait. */
  void (*send)(void* device, const taut_hand_forces* forces);
  /* May be 0. */
  void (*close)(void* device);
} taut_device_functions;

/* Returns 0 where it has opened a device. `options` is what the user wrote behind the library's
   name. (taut finds it, however the library is compiled.) */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
int taut_device(int version, const char* options, taut_device_functions* functions);

#ifdef __cplusplus
}
#endif

#endif
