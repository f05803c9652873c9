// SPDX-License-Identifier: Apache-2.0
#pragma once
// One simulation repeated with noise of several seeds: the distribution of its time.
//
//   halo, 64 ranks, on here: 100 repeats, seeds 1 to 100
//
//     mean 12.3 ms, standard deviation 1.4 %
//
//     least   5 %  25 %  median  75 %  95 %  most
//     11.9   12.0  12.1    12.3  12.5  12.8  13.4   ms

#include <cstdint>
#include <string>
#include <vector>

#include "report/style.h"

namespace parcast::report {

struct Repeats {
  std::string program, machine;
  std::int32_t ranks = 1;
  std::uint64_t first_seed = 0;
  std::vector<double> seconds;  // one per seed, at least one
  std::vector<std::string> assumptions;
};

struct RepeatsQuantile {
  std::string title;
  double at = 0;
};
/// Returns the quantiles to print, from minimum to maximum.
const std::vector<RepeatsQuantile>& repeats_quantiles();

std::string repeats_text(const Repeats& repeats, const Style& style);
/// Returns the repeats as parcast.repeats/1.
std::string repeats_to_json(const Repeats& repeats);

}  // namespace parcast::report
