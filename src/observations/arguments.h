// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers of the command line as parameters, where runs differ in one that no parameter of theirs stands for: what follows "-n" is
// the parameter n. Without it such runs would count as repetitions, and their means as what a run does.

#include <string>
#include <vector>

#include "model/model.h"
#include "recording/recording.h"

namespace parcast::program {

/// Puts them into the parameters of each recording and says which (code "argument"), and in what else, neither number nor given
/// parameter, the command lines differ ("unnamed-argument"). A number that is the same in all is one only where the program was compiled
/// with counters, which tell what it does, and no parameter is given. Not taken: the process count, what follows from given parameters.
std::vector<Notice> take_arguments(std::vector<recording::Recording>& recordings);

}  // namespace parcast::program
