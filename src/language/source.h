// SPDX-License-Identifier: Apache-2.0
#pragma once
// The text of a written program, in lines of tokens, and errors that show their place in it:
//
//   trapezoid.program:9:5: error: "brodcast" is no statement
//     9 |     brodcast 32 B from host
//       |     ^ did you mean broadcast?

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast::program::written {

struct Position {
  int line = 0, column = 0;  // from 1; 0: the whole file
};

struct Token {
  enum class Kind { name, number, text, sign, end };
  Kind kind = Kind::end;
  std::string text;          // of a text without its quotes
  int column = 0;
  int after = 0;             // the column behind it

  bool is(std::string_view what) const { return (kind == Kind::name || kind == Kind::sign) && text == what; }
};

struct Line {
  int number = 0;
  int indentation = 0;       // spaces before the first token
  std::vector<Token> tokens; // the last is `end`
};

class Source {
 public:
  /// `name` stands in errors.
  Source(std::string_view text, std::string name);

  /// Lines that hold something besides a comment. An error for tabs before a line, characters that no statement knows, a text
  /// without its end, and numbers that are none.
  Result<std::vector<Line>> lines() const;
  Error error(Position at, std::string what, const std::string& hint = "") const;
  const std::string& name() const { return name_; }
  /// "trapezoid.program:9"
  std::string place(Position at) const;
  /// What stands between two columns of a line.
  std::string between(int line, int from, int to) const;

 private:
  Result<Line> tokens_of(int number) const;

  std::vector<std::string> lines_;
  std::string name_;
};

}  // namespace parcast::program::written
