// SPDX-License-Identifier: Apache-2.0
// Parses what precedes the statements: parameters, named expressions, data, the process grid, roles.
#include <algorithm>
#include <cmath>

#include "language/parser.h"
#include "model/binding.h"
#include "model/place.h"
#include "symbolic/build.h"

namespace parcast::program::written {

bool same(const Expression& a, const Expression& b) {
  return symbolic::expand(a - b).is_zero();
}

Expression at_least(const Expression& a, const Expression& b) {
  return conditional(a - b, Expression(1), Expression(0));
}

Expression opposite(const Expression& indicator) {
  if (indicator.operation() != symbolic::Operation::conditional) return Expression(1) - indicator;
  return conditional(indicator.operands()[0], Expression(1) - indicator.operands()[1],
                     Expression(1) - indicator.operands()[2]);
}

Expression whole_numbers(const Expression& first, const Expression& last, bool parameters_are_whole) {
  const auto whole = [&](const Expression& e) { return symbolic::is_whole(e, parameters_are_whole); };
  const Expression count =
      (whole(last) ? last : floor(last)) - (whole(first) ? first : ceil(first)) + Expression(1);
  const bool plain = count.operation() == symbolic::Operation::symbol || symbolic::is_nonnegative(count);
  return plain ? count : max(count, Expression(0));
}

Parser::Parser(const Source& source) : source_(source) {
  names_.declare("p", {processes_symbol(), false, {}, {}});
  names_.declare("r", {rank_symbol(), false, {}, {}});
}

bool Parser::all_whole() const {
  return std::ranges::all_of(program_.parameters, [](const Parameter& parameter) {
    return std::ranges::all_of(parameter.values, [](double value) { return value == std::floor(value); });
  });
}

Result<Program> Parser::parse() {
  PARCAST_ASSIGN(lines_, source_.lines());
  if (lines_.empty())
    return Error{"the file holds no program", source_.name(), "it begins with: program NAME"};
  while (next_ < lines_.size()) {
    Cursor cursor(source_, names_, lines_[next_]);
    if (lines_[next_].indentation > 0)
      return cursor.error("this line is indented, and no block begins above it");
    PARCAST_ASSIGN(const bool was_head, head_line(cursor));
    if (!was_head) break;
    PARCAST_TRY(cursor.expect_end());
    ++next_;
  }
  if (program_.name.empty())
    return source_.error({lines_.front().number, 1}, "the program has no name", "begin with: program NAME");
  PARCAST_ASSIGN(program_.body, block(0));
  if (program_.body.empty())
    return Error{"the program does nothing", source_.name(),
                 "statements follow its head, for example: compute 3 us"};
  if (!footprint_.empty()) program_.footprint = symbolic::sum_of(footprint_);
  return std::move(program_);
}

/// Parses a line of the head; returns false if the line does not belong to it.
Result<bool> Parser::head_line(Cursor& cursor) {
  const std::string word = cursor.peek().text;
  const Position at = cursor.here();
  const auto handled = [](Result<void> done) -> Result<bool> {
    if (!done) return done.error();
    return true;
  };
  if (word == "program") {
    cursor.take();
    if (!program_.name.empty()) return cursor.error_at(at, "the program is named twice");
    PARCAST_ASSIGN(program_.name, cursor.name("the program"));
    return true;
  }
  const bool head = word == "parameter" || word == "let" || word == "grid" || word == "data" ||
                    word == "measured" || (word == "host" && cursor.peek(1).is("program"));
  if (!head) return false;
  if (program_.name.empty()) return cursor.error("the program has no name yet", "begin with: program NAME");
  cursor.take();
  if (word == "parameter") return handled(parameter(cursor));
  if (word == "let") return handled(let(cursor));
  if (word == "grid") return handled(grid(cursor));
  if (word == "data") return handled(data(cursor));
  if (word == "host") return handled(host_program(cursor));
  return handled(measured_on(cursor));
}

Result<void> Parser::declare(const Cursor& cursor, const std::string& name, Position at, Expression value,
                             bool bytes) {
  const Names::Named* known = names_.find(name);
  if (known)
    return cursor.error_at(
        at,
        name + (known->declared.line > 0
                    ? " is declared in line " + std::to_string(known->declared.line) + " already"
                    : " has a meaning of its own"),
        "choose another name");
  names_.declare(name, {std::move(value), bytes, {}, at});
  return {};
}

/// Parses: parameter N = 1000, 2000
Result<void> Parser::parameter(Cursor& cursor) {
  const Position at = cursor.here();
  PARCAST_ASSIGN(const std::string name, cursor.name("a parameter"));
  if (name.find('.') != std::string::npos) return cursor.error_at(at, "the name of a parameter has no point");
  if (symbol_kinds({}).contains(name))
    return cursor.error_at(at, name + " has a meaning of its own", "choose another name");
  if (cursor.at_end())
    return cursor.error("a parameter needs a value that it may have", "write: parameter " + name + " = 1000");
  PARCAST_TRY(cursor.expect("=", ""));
  Parameter parameter{name, {}};
  do {
    const Position value_at = cursor.here();
    PARCAST_ASSIGN(const Cursor::Value value, cursor.expression());
    if (!value.value.is_number()) return cursor.error_at(value_at, "the values of a parameter are numbers");
    parameter.values.push_back(value.value.number());
  } while (cursor.skip(","));
  std::ranges::sort(parameter.values);
  const auto doubled = std::ranges::unique(parameter.values);
  parameter.values.erase(doubled.begin(), doubled.end());
  PARCAST_TRY(declare(cursor, name, at, parameter_symbol(name)));
  program_.parameters.push_back(std::move(parameter));
  return {};
}

/// Parses: let h = floor(N / p)
Result<void> Parser::let(Cursor& cursor) {
  const Position at = cursor.here();
  PARCAST_ASSIGN(const std::string name, cursor.name("an expression"));
  PARCAST_TRY(cursor.expect("=", ""));
  PARCAST_ASSIGN(const Cursor::Value value, cursor.expression());
  const auto size = value.bytes ? std::nullopt : cursor.unit(Dimension::data);
  return declare(cursor, name, at,
                 size ? value.value * Expression(static_cast<std::int64_t>(*size)) : value.value,
                 value.bytes || size);
}

/// Parses: grid 2 periodic; grid 3 periodic 0, 2
Result<void> Parser::grid(Cursor& cursor) {
  const Position at = cursor.here();
  if (program_.grid_dimensions > 0) return cursor.error("the process grid is declared twice");
  PARCAST_ASSIGN(const std::int64_t dimensions, cursor.whole("the number of dimensions"));
  if (dimensions < 1 || dimensions > kMostDimensions)
    return cursor.error_at(at, "a process grid has 1, 2 or 3 dimensions");
  if (program_.host)
    return cursor.error_at(at, "a process grid holds all ranks, and the host is none of the nodes",
                           "leave out the grid or: host program");
  program_.grid_dimensions = static_cast<int>(dimensions);
  for (int k = 0; k < program_.grid_dimensions; ++k) {
    for (const auto& [letter, symbol] : {std::pair{"g", extent_symbol(program_.grid_dimensions, k)},
                                         std::pair{"c", coordinate_symbol(program_.grid_dimensions, k)}}) {
      PARCAST_TRY(declare(cursor, letter + std::to_string(k), at, symbol));
      names_.declare(symbol.name(), {symbol, false, {}, at});
    }
  }
  if (!cursor.skip("periodic")) return {};
  if (cursor.at_end()) {
    program_.periodic = static_cast<std::uint8_t>((1 << dimensions) - 1);
    return {};
  }
  do {
    const Position which = cursor.here();
    PARCAST_ASSIGN(const std::int64_t k, cursor.whole("a dimension"));
    if (k < 0 || k >= dimensions)
      return cursor.error_at(which, "the grid has no dimension " + std::to_string(k),
                             "they are numbered from 0");
    program_.periodic |= static_cast<std::uint8_t>(1 << k);
  } while (cursor.skip(","));
  return {};
}

Result<void> Parser::host_program(Cursor& cursor) {
  if (program_.grid_dimensions > 0)
    return cursor.error("a process grid holds all ranks, and the host is none of the nodes",
                        "leave out the grid or: host program");
  if (program_.host) return cursor.error("that is given twice");
  cursor.take();
  program_.host = true;
  return declare(cursor, "P", cursor.here(), processes_symbol() - Expression(1));
}

Result<void> Parser::measured_on(Cursor& cursor) {
  PARCAST_TRY(cursor.expect("on", ""));
  if (cursor.peek().kind != Token::Kind::text)
    return cursor.error("the processor needs quotes", "write: measured on \"AMD EPYC 7763\"");
  program_.measured_on = cursor.take().text;
  return {};
}

namespace {

enum class Distribution { whole, block, cyclic };

/// Returns the elements of one dimension on place q of m: equal shares, with one more on the first places (as
/// in MPI codes), for both block and cyclic distribution.
Expression share_of(const Expression& extent, const Expression& place, const Expression& places) {
  return floor((extent + places - Expression(1) - place) / places);
}

}  // namespace

/// Parses: data A (N, M) of 8 B distributed (BLOCK, WHOLE)
Result<void> Parser::data(Cursor& cursor) {
  const Position at = cursor.here();
  PARCAST_ASSIGN(const std::string name, cursor.name("the data"));
  if (name.find('.') != std::string::npos) return cursor.error_at(at, "the name of data has no point");
  PARCAST_TRY(cursor.expect("(", "the extents in brackets"));
  std::vector<Expression> extents;
  do {
    PARCAST_ASSIGN(const Cursor::Value extent, cursor.expression());
    extents.push_back(extent.value);
  } while (cursor.skip(","));
  PARCAST_TRY(cursor.expect(")", ""));
  PARCAST_TRY(cursor.expect("of", "\"of\" and the size of an element"));
  PARCAST_ASSIGN(const Expression element, cursor.bytes());
  std::vector<Distribution> ways(extents.size(), Distribution::whole);
  const Position distributed_at = cursor.here();
  if (cursor.skip("distributed")) {
    PARCAST_TRY(cursor.expect("(", "one of BLOCK, CYCLIC, WHOLE for each dimension, in brackets,"));
    std::size_t k = 0;
    do {
      const Position word_at = cursor.here();
      PARCAST_ASSIGN(const std::string word, cursor.name("a distribution"));
      static const std::vector<std::string> known{"WHOLE", "BLOCK", "CYCLIC"};
      const auto found = std::ranges::find(known, word);
      if (found == known.end())
        return cursor.error_at(word_at, word + " is no distribution",
                               did_you_mean(word, known).empty() ? "known are BLOCK, CYCLIC and WHOLE"
                                                                 : did_you_mean(word, known));
      if (k == ways.size())
        return cursor.error_at(
            word_at, name + " has " + std::to_string(ways.size()) + " dimensions, and more are distributed");
      ways[k++] = static_cast<Distribution>(found - known.begin());
    } while (cursor.skip(","));
    PARCAST_TRY(cursor.expect(")", ""));
    if (k < ways.size())
      return cursor.error_at(distributed_at,
                             name + " has " + std::to_string(ways.size()) + " dimensions, and " +
                                 std::to_string(k) + " are distributed",
                             "WHOLE is one that is not cut");
  }
  const auto cut = static_cast<int>(
      std::ranges::count_if(ways, [](Distribution way) { return way != Distribution::whole; }));
  if (cut > 1 && cut != program_.grid_dimensions)
    return cursor.error_at(
        distributed_at,
        std::to_string(cut) + " dimensions are distributed over a process grid of " +
            (program_.grid_dimensions == 0 ? "none" : std::to_string(program_.grid_dimensions)),
        "declare it before: grid " + std::to_string(cut));
  std::vector<Expression> local;
  int dimension = 0;
  for (std::size_t k = 0; k < extents.size(); ++k) {
    if (ways[k] == Distribution::whole) {
      local.push_back(extents[k]);
    } else if (cut == 1 && program_.host) {
      local.push_back(
          conditional(rank_symbol() - Expression(1),
                      share_of(extents[k], rank_symbol() - Expression(1), processes_symbol() - Expression(1)),
                      Expression(0)));
    } else if (cut == 1) {
      local.push_back(share_of(extents[k], rank_symbol(), processes_symbol()));
    } else {
      local.push_back(share_of(extents[k], coordinate_symbol(cut, dimension), extent_symbol(cut, dimension)));
      ++dimension;
    }
  }
  const Expression elements = symbolic::product_of(local);
  footprint_.push_back(elements * element);
  PARCAST_TRY(declare(cursor, name + ".elements", at, elements));
  PARCAST_TRY(declare(cursor, name + ".bytes", at, elements * element, true));
  PARCAST_TRY(declare(cursor, name + ".element", at, element, true));
  PARCAST_TRY(declare(cursor, name + ".rows", at, local.front()));
  if (local.size() < 2) return {};
  PARCAST_TRY(declare(cursor, name + ".columns", at, local[1]));
  const auto all_but = [&](std::size_t left_out) {
    Expression product = element;
    for (std::size_t k = 0; k < local.size(); ++k)
      if (k != left_out) product = product * local[k];
    return product;
  };
  PARCAST_TRY(declare(cursor, name + ".row", at, all_but(0), true));
  return declare(cursor, name + ".column", at, all_but(1), true);
}

}  // namespace parcast::program::written
