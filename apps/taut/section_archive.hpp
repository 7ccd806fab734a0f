// A section of a report as bytes: from the process that made it to the one that writes the page.
#pragma once

#include "taut/base/archive.hpp"
#include "taut/report/document.hpp"

namespace taut::report {

void archive(Archive& a, Section& section);

}  // namespace taut::report
