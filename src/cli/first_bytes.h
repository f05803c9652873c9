// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fstream>
#include <string>

namespace parcast::cli {

/// Returns the first bytes of a file, at most `most`.
inline std::string first_bytes(const std::string& path, std::size_t most) {
  std::ifstream file(path, std::ios::binary);
  std::string first(most, '\0');
  file.read(first.data(), static_cast<std::streamsize>(most));
  first.resize(static_cast<std::size_t>(file.gcount()));
  return first;
}

}  // namespace parcast::cli
