// SPDX-License-Identifier: Apache-2.0
#include "source/counts/has_values.h"

#include <gtest/gtest.h>

#include "model/binding.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

// One run of n = 24 on two processes.
Inputs one_run() {
  Inputs inputs;
  inputs.order = {0};
  inputs.parameters = {"n"};
  inputs.runs = {{{24}, 2}};
  return inputs;
}

TEST(HasValues, NotWhereSomeProcessDividesByNone) {
  const Inputs inputs = one_run();
  const Expression n = parameter_symbol("n"), p = processes_symbol(), r = rank_symbol();
  const Expression first = conditional(-r, 1, 0), last = conditional(r + 1 - p, 1, 0),
                   second = conditional(r - 1, 1, 0);
  EXPECT_TRUE(has_values(n * n / p + floor(n / p), inputs));
  EXPECT_FALSE(has_values(n / first, inputs)) << "on others than the first";
  EXPECT_FALSE(has_values(n / last, inputs));
  EXPECT_FALSE(has_values(n / second, inputs)) << "on one process already";
  EXPECT_TRUE(has_values(n * first / max(first, 1), inputs));
  EXPECT_FALSE(has_values(n / (n - 1), inputs)) << "where n is 1";
  EXPECT_FALSE(has_values(n / (p - 16), inputs));
  EXPECT_FALSE(has_values(n / (n - 72), inputs)) << "at three times the size";
}

}  // namespace
}  // namespace parcast::program
