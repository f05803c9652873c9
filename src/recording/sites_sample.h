// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests: a separate library whose functions call back, from places that sites_sample.cpp marks.

namespace sample {
/// Returns its own return address.
using Where = void* (*)();
/// Has an operator whose name contains a slash.
struct Ratio {
  int value = 0;
};
Ratio operator/=(Ratio a, Ratio b);
}  // namespace sample

extern "C" {
void* sample_solve(sample::Where where);
void* sample_plain(sample::Where where);
void* f(sample::Where where);
}
