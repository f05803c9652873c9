// SPDX-License-Identifier: Apache-2.0
#include "language/steps.h"

#include <algorithm>
#include <limits>

#include "base/text.h"
#include "language/calls.h"
#include "language/exact_count.h"
#include "language/flow.h"
#include "language/parser.h"
#include "language/resolve.h"
#include "language/totals.h"
#include "model/binding.h"
#include "symbolic/build.h"

namespace parcast::program::written {
namespace {

using Kind = Statement::Kind;
using Operation = Statement::Operation;

Step step_of(std::uint32_t id) {
  Step out;
  out.id = id;
  out.rounds = out.root = out.bytes.count = exact(0);
  return out;
}

class StepBuilder {
 public:
  StepBuilder(const Source& source, std::vector<std::string> assumptions)
      : source_(source), assumptions_(std::move(assumptions)) {}

  Result<Structure> build(const std::vector<Statement>& statements) {
    std::vector<Stretch> stretches;
    PARCAST_TRY(block(statements, made_.steps, stretches));
    made_.step_count = next_;
    PARCAST_ASSIGN(Flows flows, flows_of(stretches, next_, source_));
    finish(made_.steps, flows);
    if (const auto end = flows.find(next_); end != flows.end()) made_.tail = std::move(end->second);
    made_.processes = {2, std::numeric_limits<std::int32_t>::max()};
    made_.assumptions = std::move(assumptions_);
    return std::move(made_);
  }

 private:
  Result<void> block(const std::vector<Statement>& statements, std::vector<Step>& steps,
                     std::vector<Stretch>& stretches) {
    for (const Statement& statement : statements) {
      if (!communicates(statement)) {
        PARCAST_ASSIGN(Work work, work_of({statement}, source_));
        PARCAST_ASSIGN(work, in_rounds(std::move(work)));
        if (!work.nothing())
          stretches.push_back({.kind = Stretch::Kind::work, .at = statement.at, .work = std::move(work)});
        continue;
      }
      switch (statement.kind) {
        case Kind::operation:
          PARCAST_TRY(operation(statement, steps, stretches));
          break;
        case Kind::region:
          PARCAST_TRY(region(statement, steps, stretches));
          break;
        case Kind::condition:
          PARCAST_TRY(condition(statement, steps, stretches));
          break;
        case Kind::loop:
          PARCAST_TRY(loop(statement, steps, stretches));
          break;
        case Kind::compute:
        case Kind::call:
          break;
      }
    }
    return {};
  }

  Result<void> region(const Statement& statement, std::vector<Step>& steps, std::vector<Stretch>& stretches) {
    const std::string function = function_;
    if (statement.word == "call") function_ = statement.label;
    regions_.push_back(statement.label);
    PARCAST_TRY(block(statement.body, steps, stretches));
    regions_.pop_back();
    function_ = function;
    return {};
  }

  /// Adds a loop of one round, which a guard or a round number of 0 skips.
  Result<void> condition(const Statement& statement, std::vector<Step>& steps,
                         std::vector<Stretch>& stretches) {
    PARCAST_TRY(branch(statement, statement.body, statement.condition.guard, statement.condition.indicator,
                       steps, stretches));
    if (statement.otherwise.empty()) return {};
    return branch(statement, statement.otherwise, opposite_guard(statement.condition.guard),
                  opposite(statement.condition.indicator), steps, stretches);
  }

  static std::optional<Guard> opposite_guard(const std::optional<Guard>& guard) {
    using enum Guard::Kind;
    if (!guard) return std::nullopt;
    for (const auto& [kind, other] :
         {std::pair{first, not_first}, std::pair{last, not_last}, std::pair{odd, even}}) {
      if (guard->kind == kind) return Guard{other, guard->dimensions, guard->dimension};
      if (guard->kind == other) return Guard{kind, guard->dimensions, guard->dimension};
    }
    return std::nullopt;
  }

  Result<void> branch(const Statement& statement, const std::vector<Statement>& body,
                      const std::optional<Guard>& guard, const Expression& indicator,
                      std::vector<Step>& steps, std::vector<Stretch>& stretches) {
    if (!communicates(body)) {
      PARCAST_ASSIGN(Work work, work_of(body, source_));
      PARCAST_ASSIGN(work, in_rounds(std::move(work)));
      if (!work.nothing())
        stretches.push_back({.kind = Stretch::Kind::work,
                             .at = statement.at,
                             .work = where(statement, indicator, std::move(work), source_)});
      return {};
    }
    if (const Range* index = index_in(indicator))
      return source_.error(statement.at,
                           "which ranks communicate changes with the index of the loop in line " +
                               std::to_string(line_of(index)),
                           "no structure has that; two loops may");
    Step step = step_of(next_++);
    step.kind = Step::Kind::loop;
    step.place = place(statement, statement.word);
    step.guard = guard.value_or(Guard{});
    step.rounds = exact(guard ? Expression(1) : indicator);
    Stretch stretch{.kind = Stretch::Kind::loop,
                    .at = statement.at,
                    .id = step.id,
                    .repeats = false,
                    .statement = &statement,
                    .factor = indicator};
    PARCAST_TRY(block(body, step.body, stretch.body));
    stretch.end = next_;
    steps.push_back(std::move(step));
    stretches.push_back(std::move(stretch));
    return {};
  }

  Result<void> loop(const Statement& statement, std::vector<Step>& steps, std::vector<Stretch>& stretches) {
    if (const Range* index = index_in(statement.range.count))
      return source_.error(statement.at,
                           "how often this goes round changes with the index of the loop in line " +
                               std::to_string(line_of(index)) + ", and there is communication in it",
                           "no structure has that");
    Step step = step_of(next_++);
    step.kind = changes_by_round(statement) ? Step::Kind::rounds : Step::Kind::loop;
    step.place = place(statement, statement.word);
    step.rounds = exact(statement.range.count);
    Stretch stretch{.kind = Stretch::Kind::loop,
                    .at = statement.at,
                    .id = step.id,
                    .repeats = true,
                    .statement = &statement,
                    .factor = statement.range.count};
    around_.push_back(&statement);
    PARCAST_TRY(block(statement.body, step.body, stretch.body));
    around_.pop_back();
    stretch.end = next_;
    if (step.kind == Step::Kind::rounds && leaves_out(step.body) && computes(stretch.body))
      return source_.error(statement.at,
                           "in some rounds of this loop ranks have no partner, and what they compute in "
                           "between cannot be distinguished then",
                           "let the loop compute before or behind it");
    steps.push_back(std::move(step));
    stretches.push_back(std::move(stretch));
    return {};
  }

  /// Returns whether an operation in the loop uses its index. Inner loops are ignored.
  bool changes_by_round(const Statement& statement) const {
    return !statement.range.index.is_zero() && names_index(statement.body, statement.range);
  }

  static bool names_index(const std::vector<Statement>& block, const Range& range) {
    const auto holds = [&](const Expression& e) {
      return symbolic::contains(e, range.index) || symbolic::contains(e, range.power);
    };
    return std::ranges::any_of(block, [&](const Statement& each) {
      if (each.kind == Kind::operation)
        return each.partner.change != Change::none || each.source.change != Change::none ||
               each.tag.kind == Tag::Kind::round || holds(each.bytes);
      return each.kind != Kind::loop && (names_index(each.body, range) || names_index(each.otherwise, range));
    });
  }

  static bool leaves_out(const std::vector<Step>& steps) {
    return std::ranges::any_of(steps, [](const Step& step) {
      const bool may = step.partner.change != Change::none && step.partner.kind != Partner::Kind::ring;
      return may || leaves_out(step.body);
    });
  }
  static bool computes(const std::vector<Stretch>& stretches) {
    return std::ranges::any_of(stretches, [](const Stretch& stretch) {
      return (stretch.kind == Stretch::Kind::work && !stretch.work.seconds().is_zero()) ||
             computes(stretch.body);
    });
  }

  /// Replaces computing that differs from round to round of loops with communication by its mean over the
  /// rounds, and adds an assumption.
  Result<Work> in_rounds(Work work) {
    for (auto statement = around_.rbegin(); statement != around_.rend(); ++statement) {
      if (!varies(work, (*statement)->range)) continue;
      PARCAST_ASSIGN(work, averaged(**statement, std::move(work), source_));
      const std::string said = source_.place((*statement)->at) +
                               ": computing that differs from round to round is spread evenly over the "
                               "rounds: the sum is right, not its course";
      if (std::ranges::find(assumptions_, said) == assumptions_.end()) assumptions_.push_back(said);
    }
    return work;
  }

  const Range* index_in(const Expression& e) const {
    for (const Statement* statement : around_)
      if (!statement->range.index.is_zero() &&
          (symbolic::contains(e, statement->range.index) || symbolic::contains(e, statement->range.power)))
        return &statement->range;
    return nullptr;
  }
  int line_of(const Range* range) const {
    for (const Statement* statement : around_)
      if (&statement->range == range) return statement->at.line;
    return 0;
  }

  // Operations ----------------------------------------------------------------------------------------------

  Result<void> operation(const Statement& statement, std::vector<Step>& steps,
                         std::vector<Stretch>& stretches) {
    const std::uint32_t where = place(statement, std::string(call_name(statement)));
    const auto add = [&](trace::Kind kind, const Partner& partner, bool certain) -> Step& {
      Step step = step_of(next_++);
      step.operation = kind;
      step.place = where;
      step.partner = partner;
      steps.push_back(std::move(step));
      stretches.push_back(
          {.kind = Stretch::Kind::operation, .at = statement.at, .id = steps.back().id, .certain = certain});
      return steps.back();
    };
    const auto message = [&](trace::Kind kind, const Partner& partner) -> Result<std::uint32_t> {
      Step& step = add(kind, partner, always_exists(partner));
      step.tag = statement.tag;
      PARCAST_ASSIGN(step.bytes, bytes(statement));
      return step.id;
    };
    switch (statement.operation) {
      case Operation::send:
        return done(message(trace::Kind::send, statement.partner));
      case Operation::receive:
        return done(message(trace::Kind::receive, statement.partner));
      case Operation::start_send:
      case Operation::start_receive: {
        PARCAST_ASSIGN(const std::uint32_t id,
                       message(statement.operation == Operation::start_send ? trace::Kind::start_send
                                                                            : trace::Kind::start_receive,
                               statement.partner));
        started_.push_back(id);
        return {};
      }
      case Operation::wait:
        waits_.push_back(add(trace::Kind::wait, {}, false).id);
        return {};
      case Operation::exchange: {
        PARCAST_ASSIGN(const std::uint32_t receive, message(trace::Kind::start_receive, statement.source));
        PARCAST_ASSIGN(const std::uint32_t send, message(trace::Kind::start_send, statement.partner));
        Step& wait =
            add(trace::Kind::wait, {}, always_exists(statement.partner) || always_exists(statement.source));
        wait.awaited = {{receive, Awaited::Which::newest}, {send, Awaited::Which::newest}};
        return {};
      }
      case Operation::collective:
        break;
    }
    Step& step = add(trace::Kind::collective, {}, statement.members.kind == Members::Kind::all);
    step.pattern = statement.pattern;
    step.members = statement.members;
    step.root = exact(statement.root);
    PARCAST_ASSIGN(step.bytes, bytes(statement));
    return {};
  }

  static Result<void> done(Result<std::uint32_t> made) {
    if (!made) return made.error();
    return {};
  }

  /// Reads a; a + b k; a 2^k; a / 2^k, where k is the number of the round.
  Result<RoundCount> bytes(const Statement& statement) const {
    const Expression& all = statement.bytes;
    const Range* range = index_in(all);
    if (!range) return RoundCount{exact(all), Change::none, {}};
    const Error unknown = source_.error(
        statement.at, "the size changes with the index of a loop by no rule that a structure has",
        "known are a + b k, a 2^k and a/2^k, with k the index of the innermost loop");
    if (range != &around_.back()->range) return unknown;
    if (symbolic::contains(all, range->power)) {
      const auto first = symbolic::expand(range->first);
      const Expression up = symbolic::expand(all / range->power), down = symbolic::expand(all * range->power);
      if (!first.is_zero() || !(range->stride == Expression(1)) || symbolic::contains(all, range->index))
        return unknown;
      if (!symbolic::contains(up, range->power)) return RoundCount{exact(up), Change::doubling, {}};
      if (!symbolic::contains(down, range->power)) return RoundCount{exact(down), Change::halved, {}};
      return unknown;
    }
    const auto at = [&](std::int64_t round) {
      return symbolic::expand(
          symbolic::replace(all, range->index, range->first + range->stride * Expression(round)));
    };
    const Expression slope = symbolic::expand(at(1) - at(0));
    const Expression k =
        symbolic::temporary_symbol(std::vector<Expression>{all, range->first, range->stride});
    const Expression there = symbolic::replace(all, range->index, range->first + range->stride * k);
    if (!symbolic::expand(there - at(0) - slope * k).is_zero()) return unknown;
    const auto terms = symbolic::terms_of(slope);  // parameters and expressions of them are taken as positive
    const auto all_of_sign = [&](int sign) {
      return std::ranges::all_of(
          terms, [&](const Expression& term) { return symbolic::leading_sign(term) == sign; });
    };
    if (all_of_sign(1)) return RoundCount{exact(at(0)), Change::up, exact(slope)};
    if (all_of_sign(-1)) return RoundCount{exact(at(0)), Change::down, exact(symbolic::expand(-slope))};
    return unknown;
  }

  std::uint32_t place(const Statement& statement, const std::string& call) {
    made_.places.push_back({join(regions_, "/"), function_, source_.name(), statement.at.line, call});
    return static_cast<std::uint32_t>(made_.places.size()) - 1;
  }

  /// Makes every wait wait for all operations started anywhere, and attaches the computing to its operations.
  void finish(std::vector<Step>& steps, const Flows& flows) const {
    for (Step& step : steps) {
      if (std::ranges::find(waits_, step.id) != waits_.end())
        for (const std::uint32_t id : started_) step.awaited.push_back({id, Awaited::Which::all});
      if (const auto computing = flows.find(step.id); computing != flows.end())
        step.computing = computing->second;
      finish(step.body, flows);
    }
  }

  const Source& source_;
  std::vector<std::string> assumptions_;
  Structure made_;
  std::uint32_t next_ = 0;
  std::vector<std::string> regions_;
  std::string function_;
  std::vector<const Statement*> around_;        // loops
  std::vector<std::uint32_t> started_, waits_;  // steps
};

}  // namespace

Result<Structure> structure_of(const std::vector<Statement>& statements, const Source& source,
                               std::vector<std::string> assumptions) {
  return StepBuilder(source, std::move(assumptions)).build(statements);
}

}  // namespace parcast::program::written
