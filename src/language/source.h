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
  int line = 0, column = 0;  // counted from 1; 0: the entire file
};

struct Token {
  enum class Kind { name, number, text, sign, end };
  Kind kind = Kind::end;
  std::string text;  // of a string: without its quotes
  int column = 0;
  int after = 0;  // the column after the token

  bool is(std::string_view what) const { return (kind == Kind::name || kind == Kind::sign) && text == what; }
};

struct Line {
  int number = 0;
  int indentation = 0;        // spaces before the first token
  std::vector<Token> tokens;  // the last is `end`
};

class Source {
 public:
  /// `name` is printed in errors.
  Source(std::string_view text, std::string name);

  /// Returns the lines that contain more than a comment. Returns an error for tabs before a line, characters
  /// outside the language, a string without its end, and malformed numbers.
  Result<std::vector<Line>> lines() const;
  Error error(Position at, std::string what, const std::string& hint = "") const;
  const std::string& name() const { return name_; }
  /// Returns a text like "trapezoid.program:9".
  std::string place(Position at) const;
  /// Returns the text between two columns of a line.
  std::string between(int line, int from, int to) const;

 private:
  Result<Line> tokens_of(int number) const;

  std::vector<std::string> lines_;
  std::string name_;
};

}  // namespace parcast::program::written
