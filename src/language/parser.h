// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parser of hand-written programs. docs/formats/program.md describes the language.

#include "language/cursor.h"
#include "language/syntax.h"

namespace parcast::program::written {

Result<Program> parse(const Source& source);

/// Holds the names and the remaining lines. parse_head.cpp, parse_statements.cpp, parse_messages.cpp.
class Parser {
 public:
  explicit Parser(const Source& source);
  Result<Program> parse();

 private:
  /// Ranks or coordinates to which iterations or data are distributed: place q of m.
  struct Share {
    Expression place, places;
    bool without_host = false;  // rank 0 gets no part
  };

  // The head
  Result<bool> head_line(Cursor& cursor);
  Result<void> parameter(Cursor& cursor);
  Result<void> let(Cursor& cursor);
  Result<void> grid(Cursor& cursor);
  Result<void> data(Cursor& cursor);
  Result<void> host_program(Cursor& cursor);
  Result<void> measured_on(Cursor& cursor);
  Result<void> declare(const Cursor& cursor, const std::string& name, Position at, Expression value,
                       bool bytes = false);

  // Statements
  Result<std::vector<Statement>> block(int indentation);
  Result<std::vector<Statement>> body(const Line& above);
  Result<void> statement_into(std::vector<Statement>& into);
  Result<Statement> statement(const Line& line);
  Result<void> definition(const Line& line);
  Result<void> alternative(const Line& line, std::vector<Statement>& into);
  Result<Statement> compute(Cursor& cursor, Statement out);
  Result<Amount> amount(Cursor& cursor);
  Result<void> error_of(Cursor& cursor, Amount& amount);
  Result<Statement> repeat(Cursor& cursor, const Line& line, Statement out);
  Result<Statement> counted_loop(Cursor& cursor, const Line& line, Statement out);
  Result<Range> range(Cursor& cursor, std::string& index, Position& at);
  Result<void> share_out(Cursor& cursor, Range& range);
  Result<Share> share(Cursor& cursor);
  Result<Statement> branch(Cursor& cursor, const Line& line, Statement out);
  Result<Condition> condition(Cursor& cursor);
  Result<Condition> one_condition(Cursor& cursor);
  Result<Condition> comparison(Cursor& cursor);
  Result<void> no_names_of_roles(const Cursor& cursor) const;
  Result<Statement> named_block(Cursor& cursor, const Line& line, Statement out);

  // Messages
  Result<Statement> message(Cursor& cursor, Statement out);
  Result<Statement> exchange(Cursor& cursor, Statement out);
  Result<Statement> collective(Cursor& cursor, Statement out, recording::Pattern pattern);
  Result<Partner> partner(Cursor& cursor, Statement& out, bool receives);
  Result<Partner> grid_partner(Cursor& cursor);
  Result<Partner> exclusive(Cursor& cursor, Statement& out);
  Result<Partner> shifted(Cursor& cursor, const Expression& to, Position at, Statement& out);
  Result<void> among(Cursor& cursor, Statement& out);
  struct Root {
    Position at;
    std::int64_t number = 0;
    bool by_name = false;  // the number is a world rank, written as `host` or `node K`
  };
  Result<Root> root(Cursor& cursor, const Statement& out);
  Result<void> tag(Cursor& cursor, Statement& out);
  Result<std::int64_t> node_number(Cursor& cursor);

  bool all_whole() const;
  const Range* range_of(const Expression& symbol) const;

  const Source& source_;
  std::vector<Line> lines_;
  std::size_t next_ = 0;
  Names names_;
  Program program_;
  std::vector<Expression> footprint_;
  std::vector<const Range*> ranges_;  // of the enclosing loops
  std::size_t indices_ = 0;
  int depth_ = 0;
};

/// Returns the number of integers k with first <= k <= last.
Expression whole_numbers(const Expression& first, const Expression& last, bool parameters_are_whole);
/// Returns whether both have the same value everywhere.
bool same(const Expression& a, const Expression& b);
/// Returns 1 where a >= b, else 0.
Expression at_least(const Expression& a, const Expression& b);
/// Returns 1 where the indicator is 0, and 0 where it is 1.
Expression opposite(const Expression& indicator);

}  // namespace parcast::program::written
