// SPDX-License-Identifier: Apache-2.0
// Parses messages and collectives.
#include <algorithm>
#include <array>

#include "language/parser.h"
#include "model/binding.h"
#include "symbolic/build.h"

namespace parcast::program::written {
namespace {

using Kind = Statement::Kind;
using Operation = Statement::Operation;
using recording::Pattern;

constexpr std::int64_t kMostAmount = 1'000'000'000;

/// Returns the value of an integer expression without p, r and indices.
std::optional<std::int64_t> whole_constant(const Expression& e) {
  const Expression expanded = symbolic::expand(e);
  if (!expanded.is_constant() || !expanded.constant().is_integer()) return std::nullopt;
  const auto value = static_cast<std::int64_t>(expanded.number());
  return value > -kMostAmount && value < kMostAmount ? std::optional(value) : std::nullopt;
}

bool rooted(Pattern pattern) {
  return pattern == Pattern::broadcast || pattern == Pattern::reduce || pattern == Pattern::gather ||
         pattern == Pattern::scatter;
}

}  // namespace

const Range* Parser::range_of(const Expression& symbol) const {
  for (const Range* range : ranges_)
    if (!range->index.is_zero() && (range->index == symbol || range->power == symbol)) return range;
  return nullptr;
}

/// Returns the rank of K in "node K".
Result<std::int64_t> Parser::node_number(Cursor& cursor) {
  const Position at = cursor.here();
  PARCAST_TRY(cursor.expect("node", ""));
  if (!program_.host) return cursor.error_at(at, "there are no nodes", "declare them: host program");
  PARCAST_ASSIGN(const std::int64_t node, cursor.whole("the number of a node"));
  if (node < 0 || node >= kMostAmount) return cursor.error_at(at, "nodes are numbered from 0");
  return node + 1;
}

// Partners --------------------------------------------------------------------------------------------------

/// Parses: any; host; node K; (0, +1); r xor 2^k; r + 1; (r + 1) mod p; p - 1; 3
Result<Partner> Parser::partner(Cursor& cursor, Statement& out, bool receives) {
  const Position at = cursor.here();
  if (cursor.skip("any")) {
    if (!receives) return cursor.error_at(at, "a message is not sent to any rank");
    return Partner{.kind = Partner::Kind::any};
  }
  if (cursor.peek().is("host") && !names_.find("host")) {
    cursor.take();
    if (!program_.host) return cursor.error_at(at, "there is no host", "declare it: host program");
    return Partner{.kind = Partner::Kind::fixed, .amount = 0};
  }
  if (cursor.peek().is("node") && !names_.find("node")) {
    PARCAST_ASSIGN(const std::int64_t rank, node_number(cursor));
    return Partner{.kind = Partner::Kind::fixed, .amount = rank};
  }
  const bool tuple =
      cursor.peek().is("(") && (cursor.peek(1).is("+") || cursor.peek(2).is(",") || cursor.peek(3).is(","));
  if (tuple) return grid_partner(cursor);
  if (cursor.peek().is("r") && cursor.peek(1).is("xor")) return exclusive(cursor, out);
  PARCAST_ASSIGN(const Cursor::Value to, cursor.expression());
  if (to.bytes) return cursor.error_at(at, "a number of bytes is no rank");
  return shifted(cursor, to.value, at, out);
}

Result<Partner> Parser::grid_partner(Cursor& cursor) {
  const Position at = cursor.here();
  cursor.take();
  Partner out{
      .kind = Partner::Kind::grid, .dimensions = program_.grid_dimensions, .periodic = program_.periodic};
  std::size_t k = 0;
  do {
    const Position shift_at = cursor.here();
    cursor.skip("+");
    PARCAST_ASSIGN(const std::int64_t shift, cursor.whole("a shift"));
    if (shift < -100 || shift > 100) return cursor.error_at(shift_at, "a shift is at most 100 places");
    if (k < out.shift.size()) out.shift[k] = static_cast<std::int8_t>(shift);
    ++k;
  } while (cursor.skip(","));
  PARCAST_TRY(cursor.expect(")", ""));
  if (std::cmp_not_equal(k, program_.grid_dimensions))
    return cursor.error_at(at,
                           "a shift by " + std::to_string(k) + " numbers needs a process grid of " +
                               std::to_string(k) + " dimensions",
                           program_.grid_dimensions == 0
                               ? "declare it: grid " + std::to_string(k)
                               : "the grid has " + std::to_string(program_.grid_dimensions));
  std::uint8_t moved = 0;
  for (std::size_t i = 0; i < out.shift.size(); ++i)
    moved |= static_cast<std::uint8_t>((out.shift[i] != 0) << i);
  out.periodic &= moved;
  if (moved == 0) return cursor.error_at(at, "a shift by nothing leads to the rank itself");
  return out;
}

/// Parses: r xor 4, r xor 2^k
Result<Partner> Parser::exclusive(Cursor& cursor, Statement& out) {
  cursor.take();
  cursor.take();
  const Position at = cursor.here();
  PARCAST_ASSIGN(const Cursor::Value with, cursor.expression());
  if (const auto amount = whole_constant(with.value)) {
    if (*amount < 1) return cursor.error_at(at, "r xor " + std::to_string(*amount) + " is no other rank");
    return Partner{.kind = Partner::Kind::exclusive_or, .amount = *amount};
  }
  const Range* range = with.value.operation() == symbolic::Operation::symbol ? range_of(with.value) : nullptr;
  if (!range || ranges_.back() != range)
    return cursor.error_at(
        at, "a partner is r xor a whole number, or r xor 2^k for the index k of the innermost loop");
  const bool power = range->power == with.value;
  const auto first = whole_constant(range->first);
  if (!first || *first < 0 || *first > 30 || !(range->stride == Expression(1)))
    return cursor.error_at(
        at, "the index begins at no whole number from 0 on, so the partners follow no rule that is known");
  out.places = range->count;
  return Partner{.kind = Partner::Kind::exclusive_or,
                 .amount = power ? std::int64_t{1} << *first : *first,
                 .change = power ? Change::doubling : Change::up};
}

/// Parses a rank as an expression in r, p and the index of the innermost loop, optionally followed by "mod
/// p".
Result<Partner> Parser::shifted(Cursor& cursor, const Expression& given, Position at, Statement& out) {
  Expression to = given;
  bool ring = false;
  if (cursor.skip("mod")) {
    const Position modulus_at = cursor.here();
    PARCAST_ASSIGN(const Cursor::Value modulus, cursor.expression());
    if (!(modulus.value == processes_symbol())) return cursor.error_at(modulus_at, "ranks go round modulo p");
    ring = true;
  } else if (to.operation() == symbolic::Operation::modulo && to.operands()[1] == processes_symbol()) {
    const Expression inside = to.operands()[0];
    to = inside;
    ring = true;
  }
  const Error unknown =
      cursor.error_at(at, "this partner follows no rule that a structure has",
                      "known are a rank, p - 1 - A, r + A, (r + A) mod p, r xor A, grid shifts such as (0, "
                      "+1), any; A a number, and in a loop k or 2^k added");
  const bool relative = symbolic::contains(symbolic::expand(to), rank_symbol());
  const bool from_last = !relative && symbolic::contains(symbolic::expand(to), processes_symbol());
  Expression rest = relative ? to - rank_symbol() : from_last ? processes_symbol() - Expression(1) - to : to;
  rest = symbolic::expand(rest);
  Partner partner{.kind = relative    ? ring ? Partner::Kind::ring : Partner::Kind::offset
                          : from_last ? Partner::Kind::from_last
                                      : Partner::Kind::fixed};
  if (ring && !relative) return unknown;
  if (const auto amount = whole_constant(rest)) {
    partner.amount = *amount;
    if (!relative && *amount < 0) return cursor.error_at(at, "there is no such rank");
    if (partner.kind == Partner::Kind::offset && *amount == 0)
      return cursor.error_at(at, "a rank exchanges nothing with itself");
    return partner;
  }
  const Range* range = ranges_.empty() ? nullptr : ranges_.back();
  if (!range || range->index.is_zero() || !(range->stride == Expression(1))) return unknown;
  const auto first = whole_constant(range->first);
  if (!first) return unknown;
  const Expression of_power = symbolic::expand(rest - range->power),
                   against_power = symbolic::expand(rest + range->power);
  if (of_power.is_zero() || against_power.is_zero()) {
    if (*first < 0 || *first > 30 || !relative) return unknown;
    partner.amount = (of_power.is_zero() ? 1 : -1) * (std::int64_t{1} << *first);
    partner.change = Change::doubling;
  } else if (const auto up = whole_constant(rest - range->index)) {
    partner.amount = *up + *first;
    partner.change = Change::up;
  } else if (const auto down = whole_constant(rest + range->index)) {
    partner.amount = *down - *first;
    partner.change = Change::down;
  } else {
    return unknown;
  }
  // Number of rounds that have such a partner.
  const Expression rounds = range->count, r = rank_symbol(), p = processes_symbol();
  const auto whole = [](const Expression& e) { return max(e, Expression(0)); };
  if (partner.kind == Partner::Kind::ring) {
    out.places = rounds;
  } else if (partner.change == Change::doubling) {
    if (*first != 0) return unknown;
    const Expression room = partner.amount > 0 ? p - Expression(1) - r : r;  // 2^k <= room
    out.places =
        conditional(room - Expression(1), min(rounds, floor(log2(max(room, Expression(1)))) + Expression(1)),
                    Expression(0));
  } else if (partner.kind == Partner::Kind::fixed && partner.change == Change::up) {
    if (partner.amount < 0) return unknown;
    out.places = whole(min(rounds, p - Expression(partner.amount)));
  } else if (partner.kind == Partner::Kind::offset && partner.change == Change::up && partner.amount > 0) {
    out.places = whole(min(rounds, p - r - Expression(partner.amount)));
  } else if (partner.kind == Partner::Kind::offset && partner.change == Change::down && partner.amount < 0) {
    out.places = whole(min(rounds, r + Expression(partner.amount + 1)));
  } else {
    return unknown;
  }
  return partner;
}

// Messages --------------------------------------------------------------------------------------------------

Result<void> Parser::tag(Cursor& cursor, Statement& out) {
  if (!cursor.skip("tag")) return {};
  const Position at = cursor.here();
  const bool receives = out.operation == Operation::receive || out.operation == Operation::start_receive;
  if (cursor.skip("any")) {
    if (!receives) return cursor.error_at(at, "a message that is sent has a tag");
    out.tag = {Tag::Kind::any, 0};
    return {};
  }
  PARCAST_ASSIGN(const Cursor::Value value, cursor.expression());
  if (const auto number = whole_constant(value.value)) {
    if (*number < 0) return cursor.error_at(at, "tags are not negative");
    out.tag = {Tag::Kind::number, *number};
    return {};
  }
  if (const auto more = whole_constant(value.value - rank_symbol())) {
    out.tag = {Tag::Kind::own_rank, *more};
    return {};
  }
  if (!ranges_.empty() && !ranges_.back()->index.is_zero() && ranges_.back()->stride == Expression(1)) {
    const Expression round = ranges_.back()->index - ranges_.back()->first;
    if (const auto more = whole_constant(value.value - round)) {
      out.tag = {Tag::Kind::round, *more};
      return {};
    }
  }
  return cursor.error_at(at, "a tag is a number, r, or the index of the innermost loop, and a number added");
}

/// Parses: send 8 B to r + 1 tag 3; receive 8 B from any; start send ...; wait all
Result<Statement> Parser::message(Cursor& cursor, Statement out) {
  out.kind = Kind::operation;
  if (out.word == "wait") {
    PARCAST_TRY(cursor.expect("all", "\"all\""));
    out.operation = Operation::wait;
    out.label = cursor.label();
    PARCAST_TRY(cursor.expect_end());
    return out;
  }
  bool sends = out.word == "send";
  if (out.word == "start") {
    sends = cursor.peek().is("send");
    if (!sends && !cursor.peek().is("receive"))
      return cursor.error("what is started is a send or a receive",
                          "start send SIZE to PARTNER, start receive SIZE from PARTNER");
    cursor.take();
    out.word = sends ? "start send" : "start receive";
    out.operation = sends ? Operation::start_send : Operation::start_receive;
  } else {
    out.operation = sends ? Operation::send : Operation::receive;
  }
  PARCAST_ASSIGN(out.bytes, cursor.bytes());
  PARCAST_TRY(
      cursor.expect(sends ? "to" : "from", sends ? "\"to\" and the receiver" : "\"from\" and the sender"));
  PARCAST_ASSIGN(out.partner, partner(cursor, out, !sends));
  PARCAST_TRY(tag(cursor, out));
  out.label = cursor.label();
  PARCAST_TRY(cursor.expect_end());
  return out;
}

/// Parses: exchange 8 B with r xor 1; shift 8 B to r + 1 from r - 1
Result<Statement> Parser::exchange(Cursor& cursor, Statement out) {
  out.kind = Kind::operation;
  out.operation = Operation::exchange;
  PARCAST_ASSIGN(out.bytes, cursor.bytes());
  if (out.word == "exchange") {
    PARCAST_TRY(cursor.expect("with", "\"with\" and the partner"));
    const Position at = cursor.here();
    PARCAST_ASSIGN(out.partner, partner(cursor, out, false));
    out.source = out.partner;
    const bool mutual = out.partner.kind == Partner::Kind::exclusive_or ||
                        out.partner.kind == Partner::Kind::fixed ||
                        out.partner.kind == Partner::Kind::from_last;
    if (!mutual)
      return cursor.error_at(at, "who is that rank's partner is another rank",
                             "write: shift SIZE to PARTNER from PARTNER");
    if (out.partner.kind != Partner::Kind::exclusive_or)
      return cursor.error_at(at, "each rank would exchange with this one, and it with none of them",
                             "write send and receive under conditions");
  } else {
    PARCAST_TRY(cursor.expect("to", "\"to\" and the receiver"));
    PARCAST_ASSIGN(out.partner, partner(cursor, out, false));
    const auto places = out.places;
    PARCAST_TRY(cursor.expect("from", "\"from\" and the sender"));
    const Position at = cursor.here();
    PARCAST_ASSIGN(out.source, partner(cursor, out, true));
    if ((places || out.places) && !(places == out.places))
      return cursor.error_at(at,
                             "in some rounds there is a receiver and no sender, or a sender and no receiver",
                             "write start send, start receive and wait all");
  }
  PARCAST_TRY(tag(cursor, out));
  out.label = cursor.label();
  PARCAST_TRY(cursor.expect_end());
  return out;
}

// Collectives -----------------------------------------------------------------------------------------------

/// Parses: among nodes, rows, columns, dimension K
Result<void> Parser::among(Cursor& cursor, Statement& out) {
  out.member_count = processes_symbol();
  if (!cursor.skip("among")) return {};
  const Position at = cursor.here();
  if (cursor.skip("all")) return {};
  if (cursor.skip("nodes")) {
    if (!program_.host)
      return cursor.error_at(at, "there are nodes where there is a host", "declare it: host program");
    out.members = {.kind = Members::Kind::nodes};
    out.member_count = processes_symbol() - Expression(1);
    return {};
  }
  const bool rows = cursor.peek().is("rows"), columns = cursor.peek().is("columns");
  std::int64_t kept = rows ? 1 : 0;
  if (rows || columns) {
    if (program_.grid_dimensions != 2)
      return cursor.error("rows and columns need a process grid of two dimensions", "declare it: grid 2");
    cursor.take();
  } else {
    static const std::vector<std::string> known{"all", "nodes", "rows", "columns", "dimension"};
    if (!cursor.skip("dimension")) {
      const std::string near = did_you_mean(cursor.peek().text, known);
      return cursor.error("\"" + cursor.peek().text + "\" is no group of ranks",
                          near.empty() ? "known are all, nodes, rows, columns, dimension K" : near);
    }
    const Position which = cursor.here();
    PARCAST_ASSIGN(kept, cursor.whole("a dimension"));
    if (kept < 0 || kept >= program_.grid_dimensions)
      return cursor.error_at(
          which, "there is no dimension " + std::to_string(kept),
          program_.grid_dimensions == 0 ? "declare the process grid: grid 2" : "they are numbered from 0");
  }
  if (program_.grid_dimensions == 1) return {};
  out.members = {.kind = Members::Kind::plane,
                 .dimensions = program_.grid_dimensions,
                 .kept = static_cast<std::uint8_t>(1 << kept)};
  out.member_count = extent_symbol(program_.grid_dimensions, static_cast<int>(kept));
  return {};
}

/// Parses: from 0, to node 2, from host. A plain number counts the members; a name gives a rank.
Result<Parser::Root> Parser::root(Cursor& cursor, const Statement& out) {
  const bool gives = out.pattern == Pattern::broadcast || out.pattern == Pattern::scatter;
  PARCAST_TRY(cursor.expect(gives ? "from" : "to", gives ? "\"from\" and the root" : "\"to\" and the root"));
  Root found{.at = cursor.here()};
  const bool of_nodes = cursor.peek(0).is("node") && !names_.find("node");
  if (cursor.peek().is("host") && !names_.find("host")) {
    cursor.take();
    found.by_name = true;
    if (!program_.host) return cursor.error_at(found.at, "there is no host", "declare it: host program");
  } else if (of_nodes) {
    PARCAST_ASSIGN(found.number, node_number(cursor));
    found.by_name = true;
  } else {
    PARCAST_ASSIGN(const Cursor::Value value, cursor.expression());
    const auto number = whole_constant(value.value);
    if (!number || *number < 0)
      return cursor.error_at(found.at, "a root is the number of a rank",
                             "roots that change from round to round are not known here");
    found.number = *number;
  }
  return found;
}

Result<Statement> Parser::collective(Cursor& cursor, Statement out, Pattern pattern) {
  out.kind = Kind::operation;
  out.operation = Operation::collective;
  out.pattern = pattern;
  if (pattern != Pattern::barrier) {
    PARCAST_ASSIGN(out.bytes, cursor.bytes());
  }
  Root from;
  if (rooted(pattern)) {
    PARCAST_ASSIGN(from, root(cursor, out));
  }
  PARCAST_TRY(among(cursor, out));
  if (rooted(pattern)) {
    const bool nodes = out.members.kind == Members::Kind::nodes;
    if (nodes && from.by_name && from.number == 0)
      return cursor.error_at(from.at, "the host is none of the nodes", "name the root: node 0");
    const std::int64_t member = nodes && from.by_name ? from.number - 1 : from.number;  // rank 0 is the host
    out.root = member;
    out.fixed_root = static_cast<std::int32_t>(nodes ? member + 1 : member);
    if (out.members.kind == Members::Kind::plane && member != 0) out.fixed_root.reset();
  }
  if (pattern == Pattern::alltoall || pattern == Pattern::reduce_scatter)
    out.bytes = out.bytes * out.member_count;
  out.label = cursor.label();
  PARCAST_TRY(cursor.expect_end());
  return out;
}

Result<Program> parse(const Source& source) {
  return Parser(source).parse();
}

}  // namespace parcast::program::written
