// SPDX-License-Identifier: Apache-2.0
// Parses blocks, loops, conditions and computing.
#include <algorithm>
#include <cmath>

#include "language/parser.h"
#include "model/binding.h"
#include "model/prices.h"
#include "symbolic/build.h"

namespace parcast::program::written {
namespace {

using Kind = Statement::Kind;

constexpr int kDeepest = 64;

const std::vector<std::string>& statement_words() {
  static const std::vector<std::string> words{
      "repeat",         "for",       "rounds",   "parallel",  "if",
      "else",           "region",    "define",   "call",      "compute",
      "send",           "receive",   "start",    "wait",      "exchange",
      "shift",          "broadcast", "reduce",   "allreduce", "gather",
      "scatter",        "allgather", "alltoall", "barrier",   "scan",
      "reduce_scatter", "host",      "nodes"};
  return words;
}

const std::vector<std::string>& head_words() {
  static const std::vector<std::string> words{"program", "parameter", "let", "grid", "data", "measured"};
  return words;
}

std::optional<recording::Pattern> collective_named(std::string_view word) {
  using recording::Pattern;
  static const std::vector<std::pair<std::string_view, Pattern>> known{
      {"broadcast", Pattern::broadcast}, {"reduce", Pattern::reduce},
      {"allreduce", Pattern::allreduce}, {"gather", Pattern::gather},
      {"scatter", Pattern::scatter},     {"allgather", Pattern::allgather},
      {"alltoall", Pattern::alltoall},   {"barrier", Pattern::barrier},
      {"scan", Pattern::scan},           {"reduce_scatter", Pattern::reduce_scatter}};
  for (const auto& [name, pattern] : known)
    if (name == word) return pattern;
  return std::nullopt;
}

Condition both(const Condition& a, const Condition& b) {
  return {std::nullopt, a.indicator * b.indicator, std::nullopt};
}

}  // namespace

// Blocks ----------------------------------------------------------------------------------------------------

Result<std::vector<Statement>> Parser::block(int indentation) {
  std::vector<Statement> out;
  while (next_ < lines_.size() && lines_[next_].indentation >= indentation) {
    const Line& line = lines_[next_];
    if (line.indentation > indentation)
      return source_.error({line.number, line.indentation + 1},
                           "this line is indented by " + std::to_string(line.indentation) +
                               ", and the block it is in by " + std::to_string(indentation));
    PARCAST_TRY(statement_into(out));
  }
  return out;
}

/// Parses the lines indented further than `above`.
Result<std::vector<Statement>> Parser::body(const Line& above) {
  const Line* first = next_ < lines_.size() ? &lines_[next_] : nullptr;
  if (!first || first->indentation <= above.indentation)
    return source_.error({above.number, above.tokens.front().column},
                         "\"" + above.tokens.front().text + "\" has no block", "indent what belongs to it");
  if (++depth_ > kDeepest)
    return source_.error({above.number, above.tokens.front().column},
                         "blocks are nested more than " + std::to_string(kDeepest) + " deep");
  PARCAST_ASSIGN(std::vector<Statement> out, block(first->indentation));
  --depth_;
  if (next_ < lines_.size() && lines_[next_].indentation > above.indentation)
    return source_.error(
        {lines_[next_].number, lines_[next_].indentation + 1},
        "this line is indented less than the block above it, and more than what that block belongs to");
  return out;
}

Result<void> Parser::statement_into(std::vector<Statement>& into) {
  const Line line = lines_[next_++];
  if (line.tokens.front().is("define")) return definition(line);
  if (line.tokens.front().is("else")) return alternative(line, into);
  PARCAST_ASSIGN(Statement statement, statement(line));
  into.push_back(std::move(statement));
  return {};
}

Result<void> Parser::definition(const Line& line) {
  Cursor cursor(source_, names_, line);
  cursor.take();
  const Position at = cursor.here();
  if (line.indentation > 0)
    return cursor.error_at({line.number, line.tokens.front().column}, "definitions begin at the left margin");
  PARCAST_ASSIGN(const std::string name, cursor.name("a definition"));
  PARCAST_TRY(cursor.expect_end());
  if (const auto known = program_.definitions.find(name); known != program_.definitions.end())
    return cursor.error_at(
        at, name + " is defined in line " + std::to_string(known->second.at.line) + " already");
  program_.definitions[name].at = at;
  PARCAST_ASSIGN(program_.definitions[name].body, body(line));
  return {};
}

Result<void> Parser::alternative(const Line& line, std::vector<Statement>& into) {
  Cursor cursor(source_, names_, line);
  if (into.empty() || into.back().kind != Kind::condition || !into.back().otherwise.empty())
    return cursor.error("there is no \"if\" before this \"else\"");
  if (into.back().condition.probability)
    return cursor.error("\"if probability\" has no \"else\"",
                        "write a second one with the other probability where both only compute");
  cursor.take();
  PARCAST_TRY(cursor.expect_end());
  PARCAST_ASSIGN(into.back().otherwise, body(line));
  return {};
}

Result<Statement> Parser::statement(const Line& line) {
  Cursor cursor(source_, names_, line);
  Statement out;
  out.at = cursor.here();
  if (cursor.peek().kind != Token::Kind::name) return cursor.error("a statement begins with a word");
  const std::string word = cursor.take().text;
  out.word = word;
  if (word == "compute") return compute(cursor, std::move(out));
  if (word == "repeat") return repeat(cursor, line, std::move(out));
  if (word == "for" || word == "rounds" || word == "parallel")
    return counted_loop(cursor, line, std::move(out));
  if (word == "if" || word == "host" || word == "nodes") return branch(cursor, line, std::move(out));
  if (word == "region" || word == "call") return named_block(cursor, line, std::move(out));
  if (word == "send" || word == "receive" || word == "start" || word == "wait")
    return message(cursor, std::move(out));
  if (word == "exchange" || word == "shift") return exchange(cursor, std::move(out));
  if (const auto pattern = collective_named(word)) return collective(cursor, std::move(out), *pattern);
  if (std::ranges::find(head_words(), word) != head_words().end())
    return cursor.error_at(out.at, "\"" + word + "\" comes before the first statement");
  const std::string near = did_you_mean(word, statement_words());
  return cursor.error_at(out.at, "\"" + word + "\" is no statement",
                         near.empty() ? "docs/formats/program.md has them all" : near);
}

/// Parses: region NAME, call NAME
Result<Statement> Parser::named_block(Cursor& cursor, const Line& line, Statement out) {
  const bool region = out.word == "region";
  out.kind = region ? Kind::region : Kind::call;
  if (cursor.peek().kind == Token::Kind::text && region) {
    out.label = cursor.take().text;
  } else {
    PARCAST_ASSIGN(out.label, cursor.name(region ? "a region" : "a definition"));
  }
  PARCAST_TRY(cursor.expect_end());
  if (!region) return out;
  PARCAST_ASSIGN(out.body, body(line));
  return out;
}

// Computing -------------------------------------------------------------------------------------------------

/// Parses: compute 12.5 ns +- 5 % measured "inner loop"
Result<Statement> Parser::compute(Cursor& cursor, Statement out) {
  out.kind = Kind::compute;
  do {
    PARCAST_ASSIGN(Amount one, amount(cursor));
    out.amounts.push_back(std::move(one));
  } while (cursor.skip(","));
  out.label = cursor.label();
  PARCAST_TRY(cursor.expect_end());
  return out;
}

Result<Amount> Parser::amount(Cursor& cursor) {
  PARCAST_ASSIGN(const Cursor::Value number, cursor.expression());
  Amount out;
  if (const auto unit = cursor.unit(Dimension::time)) {
    // Exact fraction of a second if the number allows it.
    const Expression seconds =
        *unit >= 1 ? Expression(static_cast<std::int64_t>(*unit))
                   : Expression(1) / Expression(static_cast<std::int64_t>(std::llround(1 / *unit)));
    out.seconds = number.value * seconds;
    PARCAST_TRY(error_of(cursor, out));
    out.measured = cursor.skip("measured");
    return out;
  }
  if (number.bytes) {
    out.seconds = number.value * price_symbol("byte");
    return out;
  }
  if (const auto bytes = cursor.unit(Dimension::data)) {
    out.seconds = number.value * Expression(static_cast<std::int64_t>(*bytes)) * price_symbol("byte");
    return out;
  }
  if (cursor.skip("operations") || cursor.skip("operation")) {
    out.seconds = number.value * price_symbol("operation");
    return out;
  }
  for (const std::string& name : operation_classes())
    if (cursor.skip(name)) {
      out.seconds = number.value * price_symbol(name);
      return out;
    }
  std::vector<std::string> known = operation_classes();
  known.insert(known.end(), {"ns", "us", "ms", "s", "min", "h", "B", "KiB", "operations"});
  const std::string near =
      cursor.peek().kind == Token::Kind::name ? did_you_mean(cursor.peek().text, known) : "";
  return cursor.error(cursor.at_end() || cursor.peek().kind != Token::Kind::name
                          ? "an amount of computing needs a unit"
                          : cursor.peek().text + " is no unit of computing",
                      near.empty() ? "known are ns, us, ms, s, min, h, operations, a class such as "
                                     "double_add, and B of data gone through"
                                   : near);
}

/// Parses: +- 5 %, +- 0.3 ns
Result<void> Parser::error_of(Cursor& cursor, Amount& amount) {
  if (!cursor.skip("+-") && !cursor.skip("±")) return {};
  const Position at = cursor.here();
  PARCAST_ASSIGN(const Cursor::Value value, cursor.expression());
  if (cursor.skip("%")) {
    if (!value.value.is_number()) return cursor.error_at(at, "a standard error is a number");
    amount.relative_error = value.value.number() / 100;
  } else if (const auto unit = cursor.unit(Dimension::time)) {
    const Expression ratio = value.value * symbolic::real(*unit) / amount.seconds;
    if (!ratio.is_number())
      return cursor.error_at(at, "a standard error in seconds is of an amount that is a number",
                             "give it in %");
    amount.relative_error = ratio.number();
  } else {
    return cursor.error("a standard error needs % or a unit of time");
  }
  if (!(amount.relative_error >= 0 && amount.relative_error <= 10))
    return cursor.error_at(at, "a standard error lies between 0 and 1000 %");
  return {};
}

// Loops -----------------------------------------------------------------------------------------------------

/// Parses: repeat steps
Result<Statement> Parser::repeat(Cursor& cursor, const Line& line, Statement out) {
  out.kind = Kind::loop;
  PARCAST_ASSIGN(const Cursor::Value count, cursor.expression());
  if (count.bytes) return cursor.error_at(count.at, "a number of bytes is no number of times");
  out.label = cursor.label();
  PARCAST_TRY(cursor.expect_end());
  const Expression& often = count.value;
  if (often.is_number() && often.number() < 0)
    return cursor.error_at(count.at, "a loop does not go round less than 0 times");
  out.range.count = symbolic::is_whole(often, all_whole()) ? often : floor(often);
  ranges_.push_back(&out.range);
  PARCAST_ASSIGN(out.body, body(line));
  ranges_.pop_back();
  return out;
}

/// Parses: for i = 1..n, rounds k = 0..log2(p)-1, parallel do i = 1..n cyclic over nodes
Result<Statement> Parser::counted_loop(Cursor& cursor, const Line& line, Statement out) {
  out.kind = Kind::loop;
  if (out.word == "parallel") {
    PARCAST_TRY(cursor.expect("do", "\"do\""));
    out.word = "parallel do";
  }
  std::string index;
  Position index_at;
  PARCAST_ASSIGN(out.range, range(cursor, index, index_at));
  if (out.word == "parallel do") PARCAST_TRY(share_out(cursor, out.range));
  out.label = cursor.label();
  PARCAST_TRY(cursor.expect_end());
  PARCAST_TRY(declare(cursor, index, index_at, out.range.index));
  if (!out.range.power.is_zero()) names_.declare(index, {out.range.index, false, out.range.power, index_at});
  ranges_.push_back(&out.range);
  auto inside = body(line);
  ranges_.pop_back();
  names_.forget(index);
  if (!inside) return inside.error();
  out.body = std::move(*inside);
  return out;
}

Result<Range> Parser::range(Cursor& cursor, std::string& index, Position& at) {
  at = cursor.here();
  PARCAST_ASSIGN(index, cursor.name("an index"));
  if (index.find('.') != std::string::npos) return cursor.error_at(at, "the name of an index has no point");
  PARCAST_TRY(cursor.expect("=", ""));
  PARCAST_ASSIGN(const Cursor::Value first, cursor.expression());
  PARCAST_TRY(cursor.expect("..", "the range's \"..\""));
  PARCAST_ASSIGN(const Cursor::Value last, cursor.expression());
  Range out;
  const std::string unique = index + "'" + std::to_string(++indices_);
  out.index = symbolic::symbol(unique, symbolic::SymbolKind::loop_index);
  out.power = symbolic::symbol("2^" + unique, symbolic::SymbolKind::loop_index);
  out.first = symbolic::is_whole(first.value, all_whole()) ? first.value : ceil(first.value);
  out.count = whole_numbers(first.value, last.value, all_whole());
  const Expression beyond = last.value + Expression(1) - first.value;  // log2(X) for 0..log2(X)-1
  if (beyond.operation() == symbolic::Operation::log2) out.two_to_count = beyond.operands()[0];
  return out;
}

/// Parses: cyclic, block; over nodes, all, dimension K
Result<void> Parser::share_out(Cursor& cursor, Range& range) {
  bool cyclic = false, said = false;
  Share over{rank_symbol(), processes_symbol(), false};
  if (program_.host) over = {rank_symbol() - Expression(1), processes_symbol() - Expression(1), true};
  for (bool more = true; more;) {
    more = false;
    if (!said && (cursor.peek().is("cyclic") || cursor.peek().is("block"))) {
      cyclic = cursor.take().text == "cyclic";
      said = more = true;
    }
    if (cursor.skip("over")) {
      PARCAST_ASSIGN(over, share(cursor));
      more = true;
    }
  }
  const Expression n = range.count, q = over.place, m = over.places,
                   mine = floor((n + m - Expression(1) - q) / m);
  if (cyclic) {
    range.first = range.first + q;
    range.stride = m;
  } else {
    range.first = range.first + q * floor(n / m) + min(q, modulo(n, m));
  }
  range.count = over.without_host ? conditional(rank_symbol() - Expression(1), mine, Expression(0)) : mine;
  range.two_to_count.reset();
  return {};
}

Result<Parser::Share> Parser::share(Cursor& cursor) {
  const Position at = cursor.here();
  if (cursor.skip("all")) return Share{rank_symbol(), processes_symbol(), false};
  if (cursor.skip("nodes")) {
    if (!program_.host)
      return cursor.error_at(at, "there are nodes where there is a host", "declare it: host program");
    return Share{rank_symbol() - Expression(1), processes_symbol() - Expression(1), true};
  }
  if (!cursor.skip("dimension"))
    return cursor.error("iterations are shared out over all, nodes, or dimension K of the process grid");
  const Position which = cursor.here();
  PARCAST_ASSIGN(const std::int64_t k, cursor.whole("a dimension"));
  if (k < 0 || k >= program_.grid_dimensions)
    return cursor.error_at(
        which, "there is no dimension " + std::to_string(k),
        program_.grid_dimensions == 0 ? "declare the process grid: grid 2" : "they are numbered from 0");
  return Share{coordinate_symbol(program_.grid_dimensions, static_cast<int>(k)),
               extent_symbol(program_.grid_dimensions, static_cast<int>(k)), false};
}

// Conditions ------------------------------------------------------------------------------------------------

Result<Statement> Parser::branch(Cursor& cursor, const Line& line, Statement out) {
  out.kind = Kind::condition;
  if (out.word == "if") {
    PARCAST_ASSIGN(out.condition, condition(cursor));
  } else {
    if (!program_.host) return cursor.error_at(out.at, "there is no " + out.word, "declare it: host program");
    const bool host = out.word == "host";
    const Expression others = at_least(rank_symbol(), Expression(1));
    out.condition = {Guard{host ? Guard::Kind::first : Guard::Kind::not_first},
                     host ? opposite(others) : others, std::nullopt};
  }
  out.label = cursor.label();
  PARCAST_TRY(cursor.expect_end());
  PARCAST_ASSIGN(out.body, body(line));
  return out;
}

Result<Condition> Parser::condition(Cursor& cursor) {
  PARCAST_ASSIGN(Condition out, one_condition(cursor));
  while (cursor.peek().is("and")) {
    if (out.probability) return cursor.error("a probability has no further condition");
    cursor.take();
    const Position at = cursor.here();
    PARCAST_ASSIGN(const Condition more, one_condition(cursor));
    if (more.probability) return cursor.error_at(at, "a probability has no further condition");
    out = both(out, more);
  }
  return out;
}

Result<Condition> Parser::one_condition(Cursor& cursor) {
  const Position at = cursor.here();
  if (cursor.skip("probability")) {
    const Position value_at = cursor.here();
    PARCAST_ASSIGN(const Cursor::Value value, cursor.expression());
    if (!value.value.is_number() || value.value.number() < 0 || value.value.number() > 1)
      return cursor.error_at(value_at, "a probability is a number from 0 to 1");
    return Condition{std::nullopt, value.value, value.value.number()};
  }
  if (cursor.peek().is("host") || cursor.peek().is("nodes") ||
      (cursor.peek().is("node") && !names_.find("node"))) {
    if (!program_.host)
      return cursor.error_at(at, "there is no " + cursor.peek().text, "declare it: host program");
    const Expression others = at_least(rank_symbol(), Expression(1));
    if (cursor.skip("host")) return Condition{Guard{Guard::Kind::first}, opposite(others), std::nullopt};
    if (cursor.skip("nodes")) return Condition{Guard{Guard::Kind::not_first}, others, std::nullopt};
    PARCAST_ASSIGN(const std::int64_t rank, node_number(cursor));
    return Condition{std::nullopt,
                     at_least(rank_symbol(), Expression(rank)) * at_least(Expression(rank), rank_symbol()),
                     std::nullopt};
  }
  return comparison(cursor);
}

namespace {

struct Coordinate {
  Expression symbol, extent;
  Guard guard;
};

std::vector<Coordinate> coordinates(int dimensions) {
  std::vector<Coordinate> out{{rank_symbol(), processes_symbol(), {}}};
  for (int k = 0; k < dimensions; ++k)
    out.push_back({coordinate_symbol(dimensions, k), extent_symbol(dimensions, k),
                   Guard{Guard::Kind::all, dimensions, k}});
  return out;
}

std::string mirrored(const std::string& sign) {
  return sign == "<" ? ">" : sign == ">" ? "<" : sign == "<=" ? ">=" : sign == ">=" ? "<=" : sign;
}

/// Returns "c SIGN value" as a guard if it can be one.
std::optional<Guard> guard_of(const Coordinate& c, const std::string& sign, const Expression& value) {
  using enum Guard::Kind;
  const auto is = [&](const Expression& what) { return same(value, what); };
  const Expression zero = 0, one = 1, end = c.extent - Expression(1), before = c.extent - Expression(2);
  Guard out = c.guard;
  if ((sign == "==" && is(zero)) || (sign == "<" && is(one)) || (sign == "<=" && is(zero)))
    out.kind = first;
  else if ((sign == "!=" && is(zero)) || (sign == ">" && is(zero)) || (sign == ">=" && is(one)))
    out.kind = not_first;
  else if ((sign == "==" && is(end)) || (sign == ">=" && is(end)) || (sign == ">" && is(before)))
    out.kind = last;
  else if ((sign == "!=" && is(end)) || (sign == "<" && is(end)) || (sign == "<=" && is(before)))
    out.kind = not_last;
  else
    return std::nullopt;
  return out;
}

Expression indicator_of(const Expression& a, const std::string& sign, const Expression& b) {
  if (sign == ">=") return at_least(a, b);
  if (sign == "<=") return at_least(b, a);
  if (sign == ">") return opposite(at_least(b, a));
  if (sign == "<") return opposite(at_least(a, b));
  const Expression equal = at_least(a, b) * at_least(b, a);
  return sign == "==" ? equal : opposite(equal);
}

}  // namespace

/// Parses: r == 0, 0 < r < p - 1, c0 even, N > 1000
Result<Condition> Parser::comparison(Cursor& cursor) {
  static const std::vector<std::string> signs{"==", "!=", "<", "<=", ">", ">="};
  const Position at = cursor.here();
  PARCAST_ASSIGN(Cursor::Value left, cursor.expression());
  const auto known = coordinates(program_.grid_dimensions);
  const auto coordinate_at = [&](const Expression& e) {
    return std::ranges::find_if(known, [&](const Coordinate& c) { return c.symbol == e; });
  };
  if (cursor.peek().is("even") || cursor.peek().is("odd")) {
    const bool even = cursor.take().text == "even";
    Condition out;
    const Expression odd = modulo(left.value, Expression(2));
    out.indicator = even ? Expression(1) - odd : odd;
    if (const auto c = coordinate_at(left.value); c != known.end())
      out.guard = Guard{even ? Guard::Kind::even : Guard::Kind::odd, c->guard.dimensions, c->guard.dimension};
    return out;
  }
  std::optional<Condition> out;
  while (std::ranges::any_of(signs, [&](const std::string& sign) { return cursor.peek().is(sign); })) {
    const std::string sign = cursor.take().text;
    PARCAST_ASSIGN(const Cursor::Value right, cursor.expression());
    Condition one{std::nullopt, indicator_of(left.value, sign, right.value), std::nullopt};
    if (const auto c = coordinate_at(left.value); c != known.end())
      one.guard = guard_of(*c, sign, right.value);
    else if (const auto d = coordinate_at(right.value); d != known.end())
      one.guard = guard_of(*d, mirrored(sign), left.value);
    if (!out) {
      out = one;
    } else {
      const bool inner = out->guard && one.guard && out->guard->kind == Guard::Kind::not_first &&
                         one.guard->kind == Guard::Kind::not_last &&
                         out->guard->dimensions == one.guard->dimensions &&
                         out->guard->dimension == one.guard->dimension;
      const auto guard =
          inner ? std::optional(Guard{Guard::Kind::inner, one.guard->dimensions, one.guard->dimension})
                : std::nullopt;
      out = both(*out, one);
      out->guard = guard;
    }
    left = right;
  }
  if (!out && cursor.peek().is("="))
    return cursor.error("\"=\" gives a name its value", "to compare, write ==");
  if (!out)
    return cursor.error_at(at, "this is no condition",
                           "write for example r == 0, r < p - 1, r even, c0 > 0, N > 1000, probability 0.25");
  return *out;
}

}  // namespace parcast::program::written
