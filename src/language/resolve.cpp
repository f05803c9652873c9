// SPDX-License-Identifier: Apache-2.0
#include "language/resolve.h"

#include <algorithm>

#include "base/text.h"

namespace parcast::program::written {
namespace {

using Kind = Statement::Kind;

constexpr std::size_t kMostStatements = 20'000;

bool by_chance(const Statement& statement) {
  return statement.kind == Kind::condition && statement.condition.probability && communicates(statement);
}

/// Collects probabilistic statements in the block itself, or in its regions and conditions.
void collect_chance(const std::vector<Statement>& block, std::vector<const Statement*>& out) {
  for (const Statement& statement : block) {
    if (by_chance(statement))
      out.push_back(&statement);
    else if (statement.kind == Kind::region || statement.kind == Kind::condition)
      collect_chance(statement.body, out), collect_chance(statement.otherwise, out);
  }
}

/// Returns the block with the bodies of probabilistic statements inserted, or removed.
std::vector<Statement> decided(const std::vector<Statement>& block, bool happens) {
  std::vector<Statement> out;
  for (const Statement& statement : block) {
    if (by_chance(statement)) {
      if (happens)
        for (Statement& each : decided(statement.body, true)) out.push_back(std::move(each));
      continue;
    }
    out.push_back(statement);
    if (statement.kind != Kind::region && statement.kind != Kind::condition) continue;
    out.back().body = decided(statement.body, happens);
    out.back().otherwise = decided(statement.otherwise, happens);
  }
  return out;
}

class Resolver {
 public:
  Resolver(const Program& program, const Source& source, std::vector<std::string>& assumptions)
      : program_(program), source_(source), assumptions_(assumptions) {}

  Result<std::vector<Statement>> block(const std::vector<Statement>& statements, bool repeated) {
    std::vector<Statement> out;
    for (const Statement& statement : statements) {
      if (++made_ > kMostStatements)
        return source_.error(statement.at, "with its calls put in place the program has more than " +
                                               std::to_string(kMostStatements) + " statements");
      PARCAST_TRY(one(statement, repeated, out));
    }
    return out;
  }

 private:
  Result<void> one(const Statement& statement, bool repeated, std::vector<Statement>& out) {
    if (statement.kind == Kind::call) {
      PARCAST_ASSIGN(Statement called, call(statement, repeated));
      out.push_back(std::move(called));
      return {};
    }
    const bool repeats = statement.kind == Kind::loop;
    Statement made = statement;
    PARCAST_ASSIGN(made.body, block(statement.body, repeats ? statement.word == "repeat" : repeated));
    PARCAST_ASSIGN(made.otherwise, block(statement.otherwise, repeated));
    if (by_chance(made) && !repeated)
      return source_.error(statement.at,
                           "communication by chance must be in a repeat, which gives its number of rounds",
                           "write: repeat N, and indent this below it");
    if (repeats) return loop(std::move(made), out);
    out.push_back(std::move(made));
    return {};
  }

  Result<Statement> call(const Statement& statement, bool repeated) {
    const auto found = program_.definitions.find(statement.label);
    if (found == program_.definitions.end()) {
      std::vector<std::string> known;
      for (const auto& [name, definition] : program_.definitions) known.push_back(name);
      const std::string near = did_you_mean(statement.label, known);
      return source_.error(statement.at, "nothing is defined as " + statement.label,
                           near.empty() ? "write: define " + statement.label : near);
    }
    if (const auto again = std::ranges::find(calls_, statement.label); again != calls_.end()) {
      std::vector<std::string> circle(again, calls_.end());
      circle.push_back(statement.label);
      return source_.error(statement.at, "the calls go round in a circle: " + join(circle, " calls "),
                           "give the number of times with repeat");
    }
    calls_.push_back(statement.label);
    Statement made = statement;
    made.kind = Kind::region;
    PARCAST_ASSIGN(made.body, block(found->second.body, repeated));
    calls_.pop_back();
    return made;
  }

  Result<void> loop(Statement made, std::vector<Statement>& out) {
    std::vector<const Statement*> chances;
    collect_chance(made.body, chances);
    if (chances.empty()) {
      out.push_back(std::move(made));
      return {};
    }
    const Expression probability = chances.front()->condition.indicator;
    for (const Statement* each : chances)
      if (!(each->condition.indicator == probability))
        return source_.error(each->at,
                             "a loop has one probability of what communicates, and line " +
                                 std::to_string(chances.front()->at.line) + " has another",
                             "write two loops");
    Statement without = made;
    const Expression rounds =
                         floor(probability * made.range.count + Expression(symbolic::Rational::of(1, 2))),
                     all = made.range.count;
    assumptions_.push_back(
        source_.place(chances.front()->at) + ": what happens with probability " +
        format_exact(*chances.front()->condition.probability) +
        " happens in the first of the rounds, as many as that gives, and on all ranks in the same");
    without.body = decided(made.body, false);
    without.range.count = all - rounds;
    made.body = decided(made.body, true);
    made.range.count = rounds;
    out.push_back(std::move(made));
    if (!without.body.empty()) out.push_back(std::move(without));
    return {};
  }

  const Program& program_;
  const Source& source_;
  std::vector<std::string>& assumptions_;
  std::vector<std::string> calls_;
  std::size_t made_ = 0;
};

}  // namespace

bool communicates(const Statement& statement) {
  return statement.kind == Kind::operation || communicates(statement.body) ||
         communicates(statement.otherwise);
}

bool communicates(const std::vector<Statement>& block) {
  return std::ranges::any_of(block, [](const Statement& each) { return communicates(each); });
}

Result<std::vector<Statement>> resolve(const Program& program, const Source& source,
                                       std::vector<std::string>& assumptions) {
  Resolver resolver(program, source, assumptions);
  PARCAST_ASSIGN(std::vector<Statement> out, resolver.block(program.body, false));
  // checks definitions that are never called too
  for (const auto& [name, definition] : program.definitions) {
    Statement call;
    call.kind = Kind::call;
    call.at = definition.at, call.label = name;
    std::vector<std::string> unheard;
    PARCAST_TRY(Resolver(program, source, unheard).block({call}, true));
  }
  return out;
}

}  // namespace parcast::program::written
