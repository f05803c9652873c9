// SPDX-License-Identifier: Apache-2.0
#include "report/places.h"

#include <array>
#include <cinttypes>
#include <cstdio>
#include <filesystem>

namespace parcast::report {
namespace {

std::string with_line(const std::string& file, int line) {
  return file.empty() ? "" : file + ":" + std::to_string(line);
}

}  // namespace

std::string place_text(const recording::RankRecording& rank, const recording::Site& site) {
  if (!site.file.empty()) return with_line(site.file, site.line);
  if (!site.function.empty() || site.module >= rank.modules.size()) return site.function;
  const std::string module = std::filesystem::path(rank.modules[site.module].path).filename().string();
  std::array<char, 24> offset;
  std::snprintf(offset.data(), offset.size(), "+0x%" PRIx64, site.offset);
  return module.empty() ? "" : module + offset.data();
}

std::string place_text(const recording::Frame& frame) {
  return with_line(frame.file, frame.line);
}

}  // namespace parcast::report
