// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests only: machines of ExtraP's model from the names and numbers of the paper, and the outcome of a
// program on them.

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "predict/simulate/extrap/simulate.h"
#include "predict/simulate/test_program.h"

namespace parcast::simulate::extrap::testing {

using Settings = std::vector<std::pair<std::string, double>>;

constexpr Time us(double microseconds) {
  return static_cast<Time>(microseconds * 1e6 + 0.5);
}

inline Platform machine_with(const Settings& settings, machine::Extrap model = {}) {
  for (const auto& [name, value] : settings) {
    const auto key = machine::extrap_key(name);
    EXPECT_TRUE(key) << name;
    if (key) model[*key] = value;
  }
  const auto platform = platform_of("test", model);
  EXPECT_TRUE(platform) << (platform ? "" : to_string(platform.error()));
  return platform ? *platform : Platform{};
}

inline Outcome run(const simulate::testing::Program& program, const Platform& platform) {
  const auto outcome = simulate(to_trace(program), platform);
  EXPECT_TRUE(outcome) << (outcome ? "" : to_string(outcome.error()));
  return outcome ? *outcome : Outcome{};
}
inline Outcome run(std::vector<simulate::testing::Body> ranks, const Platform& platform) {
  return run(simulate::testing::Program{.ranks = std::move(ranks)}, platform);
}

inline std::vector<Time> ends(const Outcome& outcome) {
  std::vector<Time> times;
  for (const RankOutcome& rank : outcome.ranks) times.push_back(rank.end);
  return times;
}

}  // namespace parcast::simulate::extrap::testing
