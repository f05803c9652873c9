// SPDX-License-Identifier: Apache-2.0
#pragma once
namespace parcast::program {

/// Calls `visit` with each step and each step of its body, in order.
template <class Steps, class Visit>
void for_each_step(Steps& steps, Visit visit) {
  for (auto& step : steps) {
    visit(step);
    for_each_step(step.body, visit);
  }
}

}  // namespace parcast::program
