// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `export` and `import` answer, for people and as JSON (docs/formats/otf2.md).

#include <string>

#include "interchange/otf2.h"

namespace parcast::cli {

std::string export_text(const interchange::Exported& done, const std::string& path);
std::string export_to_json(const interchange::Exported& done, const std::string& path);
std::string import_text(const interchange::Imported& done, const std::string& path);
std::string import_to_json(const interchange::Imported& done, const std::string& path);

}  // namespace parcast::cli
