// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers in words of the command line: either a parameter that every run was given there, or a constant that
// was the same in all runs.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "observations/inputs.h"
#include "recording/recording.h"
#include "symbolic/expression.h"

namespace parcast::program {

class CommandWords {
 public:
  CommandWords() = default;
  CommandWords(const std::vector<recording::Recording>& recordings, const Inputs& inputs);

  /// `part`: 0 for the entire word, otherwise which of the consecutive numbers in it (facts::Input).
  std::optional<symbolic::Expression> number(int word, int part) const;
  /// Returns the number of words, including the program's name, if it was the same in all runs.
  std::optional<symbolic::Expression> count() const { return count_; }

 private:
  std::map<std::pair<int, int>, symbolic::Expression> numbers_;
  std::optional<symbolic::Expression> count_;
};

}  // namespace parcast::program
