// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers of the command line as parameters, if runs differ in a number that none of their parameters
// represents. The value after "-n" becomes the parameter n. Without it such runs would count as repetitions,
// and a cost would be their mean.

#include <string>
#include <vector>

#include "model/model.h"
#include "recording/recording.h"

namespace parcast::program {

/// Adds such numbers to the parameters of each recording and names them in a notice (code "argument"). A
/// second notice ("unnamed-argument") names other differences between the command lines that no number or
/// parameter explains. A number equal in all runs becomes a parameter only if the program was compiled with
/// counters, which show its effect, and no parameter is given. The process count and values that follow from
/// given parameters are not added.
std::vector<Notice> take_arguments(std::vector<recording::Recording>& recordings);

}  // namespace parcast::program
