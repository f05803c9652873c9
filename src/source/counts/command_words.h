// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers that stand in words of the command line: a parameter that each run was given there, or a constant that was the same in all.

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

  /// `part`: 0, the whole word; or which of the numbers that stand in it one behind the other (facts::Input).
  std::optional<symbolic::Expression> number(int word, int part) const;
  /// How many there are, the program's name among them, where all runs got as many.
  std::optional<symbolic::Expression> count() const { return count_; }

 private:
  std::map<std::pair<int, int>, symbolic::Expression> numbers_;
  std::optional<symbolic::Expression> count_;
};

}  // namespace parcast::program
