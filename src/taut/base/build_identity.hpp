// What two processes must have in common to compute the same bits.
#pragma once

#include <string>

namespace taut {

/// Of the code: taut's version, and the number the linker gave to this build of it.
std::string build_identity();
/// Of what chooses between kernels at run time: the processor's instructions, and the C library
/// with its mathematical functions.
std::string kernel_identity();

}  // namespace taut
