#pragma once

namespace taut::cli {

/// From now on the first Ctrl-C (SIGINT) or SIGTERM only sets a flag; a second one ends the
/// program.
void catch_interrupts();
bool interrupted();

}  // namespace taut::cli
