// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the engines that simulate share: their times are whole picoseconds, and a run may never end.

#include <string>

#include "predict/prediction.h"

namespace parcast::predict {

inline constexpr double kSecond = 1e-12;  // seconds per picosecond

inline Estimate without_interval(double seconds, Origin origin) {
  return {seconds, seconds, seconds, 0, "s", origin};
}

/// `verb`: the one that prints what each rank waits for.
inline Error never_ends(const std::string& verb, std::size_t waiting, const std::string& where) {
  return {where + "the run would never end: " + std::to_string(waiting) + " of its ranks wait for ever", "",
          "parcast " + verb + " with the same model, -p and -s prints what each waits for"};
}

}  // namespace parcast::predict
