// SPDX-License-Identifier: Apache-2.0
#pragma once
// The sentence below an answer: how sure it is, and why.
//
//   within 10 %: the times of 12 recordings are reproduced within 9 %, the nearest within 3 %; p is 4 times
//   the largest recorded

#include <string>

#include "predict/prediction.h"

namespace parcast::report {

/// Returns e.g. "6 %", "a factor of 3.4" for a relative error of 2.4, "no bound" for an infinite one.
std::string error_text(double error);
/// Returns e.g. "p is 4 times, N 2.5 times the largest recorded"; empty within the recorded range.
std::string distance_text(const std::map<std::string, double>& extrapolation);
/// Returns the sentence. Empty for a prediction without an interval.
std::string confidence_text(const predict::Prediction& prediction);

/// Returns "a second engine, interpret, gives 28.5 ms"; empty where none was compared.
std::string second_engine_text(const predict::Prediction& prediction);

}  // namespace parcast::report
