// SPDX-License-Identifier: Apache-2.0
#include "report/model_text.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/plain_number.h"
#include "base/text.h"
#include "base/visible.h"
#include "model/formula_text.h"
#include "model/lattice.h"
#include "model/resolved.h"
#include "model/row_names.h"
#include "report/blocks_text.h"
#include "report/checks_text.h"
#include "report/notes.h"
#include "report/table.h"
#include "report/words.h"
#include "symbolic/factor.h"

namespace parcast::report {
namespace {

using program::kNone;
using program::Model;
using program::Node;
using program::NodeId;
using program::NodeKind;
using program::Segment;

constexpr std::size_t kMostNodes = 40;
constexpr std::size_t kMostSegments = 10;
constexpr double kSmallestSegmentShare = 0.01;

std::string values_text(const std::vector<std::string>& values) {
  if (values.size() <= 6) return join(values, ", ");
  return values[0] + ", " + values[1] + ", ..., " + values.back() + " (" + std::to_string(values.size()) +
         " values)";
}

std::string numbers_text(const std::vector<double>& values) {
  std::vector<std::string> out;
  for (const double value : values) out.push_back(format_plain(value));
  return values_text(out);
}

std::string grid_text(const Model& model, const program::ProcessGrid& grid) {
  const std::string dimensions = std::to_string(grid.dimensions) + " dimensions, ";
  std::vector<std::string> names;
  for (const std::size_t v : grid.parameters) names.push_back(visible(model.parameters[v].name));
  if (!names.empty()) return dimensions + join(names, " x ") + " processes";
  if (grid.ascending) return dimensions + "as balanced as MPI_Dims_create makes it, the largest extent last";
  return dimensions +
         (grid.from_dims_create ? "as balanced as MPI_Dims_create makes it" : "extents as recorded");
}

bool marks_region(const Node& node) {
  return node.call_class == recording::CallClass::region_begin ||
         node.call_class == recording::CallClass::region_end;
}

/// Returns the file of all calls with a line; empty if there are several, or calls without a line.
std::string file_of(const Model& model) {
  std::vector<program::RowPlace> places;
  for (const Node& node : model.nodes)
    if (node.kind == NodeKind::call && !marks_region(node) && !node.where.empty())
      places.push_back({"", node.where});
  return program::common_file(places);
}

/// Returns a place, without its file if that is `file`.
std::string line_in(const std::string& file, const std::string& where) {
  const std::string start = file + ":";
  return !file.empty() && where.starts_with(start) ? where.substr(start.size()) : program::short_place(where);
}

std::string head(const Model& model, const Style& style) {
  std::vector<std::string> processes;
  for (const auto p : model.processes) processes.push_back(std::to_string(p));
  const bool written = !model.written_in.empty();
  const std::string from = written ? visible(model.written_in) + ", written by hand"
                                   : counted(static_cast<std::int64_t>(model.sources.size()), "recording");
  std::string out = bold(style, visible(model.program)) + ", from " + from + "\n\n";
  const auto line = [&](const std::string& name, const std::string& value) {
    if (!value.empty()) out += "  " + padded(name, 12) + value + "\n";
  };
  line("p", written ? "any" : values_text(processes));
  for (const auto& parameter : model.parameters)
    line(visible(parameter.name), numbers_text(parameter.values));
  line("source", visible(file_of(model)));
  line(written ? "measured on" : "recorded on", visible(model.recorded_on));
  for (const auto& grid : model.grids) line("grid", grid_text(model, grid));
  constexpr std::pair<const char*, const char*> kSums[] = {
      {"dims", "number of the grid's dimensions with 2 ranks or more"},
      {"dims3", "number of the grid's dimensions with 3 ranks or more"},
      {"neighbours", "number of the rank's neighbours in the grid, none beyond its ends"}};
  std::set<std::string> used;
  for (const Node& node : model.nodes)
    for (std::string& name : program::names_of_sums(node.executions.expression)) used.insert(std::move(name));
  for (const auto& [name, meaning] : kSums)
    if (used.contains(name)) line(name, meaning);
  return out;
}

/// Returns the share of the computing time below each node.
std::vector<double> shares_of(const Model& model) {
  std::vector<double> shares(model.nodes.size());
  for (const Segment& segment : model.segments)
    for (NodeId id = segment.owner; id >= 0 && static_cast<std::size_t>(id) < model.nodes.size();
         id = model.nodes[static_cast<std::size_t>(id)].parent)
      shares[static_cast<std::size_t>(id)] += segment.share;
  return shares;
}

std::string label_of(const Node& node) {
  if (node.call_class == recording::CallClass::region_begin) return "begin";
  if (node.call_class == recording::CallClass::region_end) return "end";
  return node.label.empty() ? (node.kind == NodeKind::loop ? "loop" : "?") : visible(node.label);
}

/// Returns e.g. "to rank - 1".
std::string partner_of(const Node& node) {
  const auto signed_text = [](std::int64_t amount) {
    return (amount < 0 ? " - " : " + ") + std::to_string(std::abs(amount));
  };
  const auto amount = [&](std::size_t i) { return i < node.amounts.size() ? node.amounts[i] : 0; };
  switch (node.relation) {
    case program::PeerRelation::offset:
      return " to rank" + signed_text(amount(0));
    case program::PeerRelation::offset_ring:
      return " to (rank" + signed_text(amount(0)) + ") mod p";
    case program::PeerRelation::exclusive_or:
      return " to rank xor " + std::to_string(amount(0));
    case program::PeerRelation::fixed:
      return " to rank " + std::to_string(amount(0));
    case program::PeerRelation::grid_shift:
      return amount(0) >= 0 && amount(0) < 3
                 ? " to " + std::string(1, "xyz"[amount(0)]) + signed_text(amount(1))
                 : "";
    default:
      return "";
  }
}

/// Returns the formula with the names of the derived quantities in it.
std::string text_of(const Model& model, const symbolic::Expression& formula) {
  return program::formula_text(program::with_names(formula, model.quantities));
}

/// Returns a formula for a row: its middle is left out where it would take more than three lines, except with
/// --all.
std::string formula_in_row(const std::string& text, bool all) {
  constexpr std::size_t kMost = 240;  // bytes
  return all ? text : visible(text, kMost);
}

/// Returns the bytes of one execution, or of all if those of one follow no formula.
std::string bytes_text(const Model& model, const symbolic::Expression& bytes,
                       const symbolic::Expression& times) {
  const auto each = symbolic::quotient(bytes, times);
  const std::string text = text_of(model, each ? *each : bytes), unit = each ? " B" : " B in all";
  const std::size_t where = text.find(" where ");
  return where == std::string::npos ? text + unit : text.substr(0, where) + unit + text.substr(where);
}

/// Returns the first and last sizes of an operation whose size changes evenly in the rounds around it, if
/// these give the call's bytes.
std::optional<std::string> changing_text(const Model& model, const program::Step& rounds,
                                         const program::Step& operation, const symbolic::Expression& bytes,
                                         const symbolic::Expression& executions) {
  const symbolic::Expression first = operation.bytes.count.expression;
  const symbolic::Expression all = operation.bytes.slope.expression * (rounds.rounds.expression - 1);
  const symbolic::Expression last =
      operation.bytes.change == program::Change::down ? first - all : first + all;
  if (!symbolic::expand(2 * bytes - executions * (first + last)).is_zero()) return std::nullopt;
  return text_of(model, symbolic::expand(first)) + " .. " + text_of(model, symbolic::expand(last)) + " B";
}

/// Returns "8*N + 8 .. 16 B" for rows that become shorter in each round: the structure has such an operation
/// of that call.
std::optional<std::string> changing_text(const Model& model, const Node& node,
                                         const symbolic::Expression& bytes) {
  if (!model.structure) return std::nullopt;
  const auto search = [&](auto&& self, const std::vector<program::Step>& steps,
                          const program::Step* rounds) -> std::optional<std::string> {
    for (const program::Step& step : steps) {
      const bool changes =
          step.bytes.change == program::Change::up || step.bytes.change == program::Change::down;
      if (rounds && changes && step.place < model.structure->places.size() &&
          model.structure->places[step.place].call == node.label)
        if (auto text = changing_text(model, *rounds, step, bytes, node.executions.expression)) return text;
      if (auto text = self(self, step.body, step.kind == program::Step::Kind::rounds ? &step : rounds))
        return text;
    }
    return std::nullopt;
  };
  return search(search, model.structure->steps, nullptr);
}

/// Returns the bytes of each execution: "2 x 8*(N + 2) B to rank - 1".
std::string moves_of(const Model& model, const Node& node) {
  if (node.kind != NodeKind::call) return "";
  const symbolic::Expression& executions = node.executions.expression;
  if (node.pattern != recording::Pattern::none && !node.collective_bytes.expression.is_zero()) {
    const symbolic::Expression& bytes = node.collective_bytes.expression;
    const auto changing = changing_text(model, node, bytes);
    return changing ? *changing : bytes_text(model, bytes, executions);
  }
  if (node.bytes.expression.is_zero()) return "";
  const auto several = symbolic::quotient(node.messages.expression, executions);
  const bool plain = several && several->is_number() && *several != symbolic::Expression(1);
  const std::string partner = partner_of(node);
  if (plain)
    return text_of(model, *several) + " x " +
           bytes_text(model, node.bytes.expression, node.messages.expression) + partner;
  const std::string text = bytes_text(model, node.bytes.expression, executions);
  const std::size_t where = text.find(" where ");  // the partner implies the condition
  return partner.empty() ? text : text.substr(0, where) + partner;
}

Origin origin_of(const Node& node) {
  if (node.kind != NodeKind::call) return node.executions.origin;
  Origin out = node.executions.origin;
  if (!node.bytes.expression.is_zero()) out = weaker(out, node.bytes.origin);
  if (!node.collective_bytes.expression.is_zero()) out = weaker(out, node.collective_bytes.origin);
  return out;
}

class TreeTable {
 public:
  TreeTable(const Model& model, bool all)
      : model_(model),
        shares_(shares_of(model)),
        all_(all),
        file_(file_of(model)),
        table_({{"region, loop, call", Column::Align::left, Column::Shrink::cut_middle},
                {"executions", Column::Align::left, Column::Shrink::below},
                {"moves", Column::Align::left, Column::Shrink::below},
                {"found"},
                {"share", Column::Align::right},
                file_.empty() ? Column{"where", Column::Align::left, Column::Shrink::cut_front}
                              : Column{"line", Column::Align::right}}) {
    if (!model.nodes.empty()) add(0, 0);
  }
  std::string text(const Style& style) const {
    if (table_.empty()) return "";
    return "\n" + table_.text(style) +
           (left_out_ > 0 ? dim(style, "  ... " + std::to_string(left_out_) + " more, --all") + "\n" : "");
  }

 private:
  void add(NodeId id, int depth) {
    const Node& node = model_.nodes[static_cast<std::size_t>(id)];
    if (all_ || (shown_ < kMostNodes && !marks_region(node))) {
      ++shown_;
      table_.add({std::string(static_cast<std::size_t>(2 * depth), ' ') + label_of(node),
                  formula_in_row(text_of(model_, node.executions.expression), all_),
                  formula_in_row(moves_of(model_, node), all_), std::string(to_string(origin_of(node))),
                  node.kind == NodeKind::call ? "" : percent(shares_[static_cast<std::size_t>(id)]),
                  line_in(file_, node.where)});
    } else if (!marks_region(node)) {
      ++left_out_;
    }
    for (const NodeId child : node.children)
      if (child > id && static_cast<std::size_t>(child) < model_.nodes.size()) add(child, depth + 1);
  }

  const Model& model_;
  std::vector<double> shares_;
  bool all_;
  std::string file_;  // of all calls; empty if they are in several
  std::size_t shown_ = 0, left_out_ = 0;
  Table table_;
};

/// Returns 3/2 for 1.5, and nothing for an exponent that is no fraction of small numbers.
std::optional<symbolic::Rational> simple_fraction(double exponent) {
  constexpr std::int64_t kDenominator = 12;
  const double twelfths = std::round(exponent * kDenominator);
  if (std::abs(exponent * kDenominator - twelfths) > 1e-9 || std::abs(twelfths) > 1e6) return std::nullopt;
  return symbolic::Rational::make(static_cast<std::int64_t>(twelfths), kDenominator);
}

/// Whether a power of the formula needs parentheses: it has an operator outside of all parentheses.
bool is_compound(const std::string& formula) {
  int depth = 0;
  for (const char c : formula) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && (c == ' ' || c == '*' || c == '/' || c == '^')) return true;
  }
  return false;
}

/// Returns the powers of a term, " n^2*nz/p log2(n)"; arguments with other exponents follow, " (n/p)^0.606".
std::string powers_text(const Model& model, const statistics::GrowthTerm& term,
                        const std::vector<symbolic::Expression>& arguments) {
  symbolic::Expression product = 1;
  std::string others;
  for (std::size_t j = 0; j < arguments.size(); ++j) {
    const std::string name = text_of(model, arguments[j]);
    const auto exponent = simple_fraction(term.exponents[j]);
    if (exponent)
      product = product * symbolic::power(arguments[j], *exponent);
    else
      others += " " + (is_compound(name) ? "(" + name + ")" : name) + "^" +
                format_significant(term.exponents[j], 3);
    if (term.log_powers[j] == 0) continue;
    others += " log2(" + name + ")";
    if (term.log_powers[j] > 1) others += "^" + std::to_string(term.log_powers[j]);
  }
  const std::string powers = product == symbolic::Expression(1) ? "" : text_of(model, product);
  const bool divides = powers.starts_with("1/");  // 20 ns/p, not 20 ns 1/p
  return (powers.empty() ? "" : divides ? powers.substr(1) : " " + powers) + others;
}

/// Returns the terms of a time with units: "43.4 ns + 66.6 ns min(2, p)^3".
std::string time_text(const Model& model, const statistics::GrowthHypothesis& law,
                      const std::vector<symbolic::Expression>& arguments) {
  std::string out;
  for (const statistics::GrowthTerm& term : law.terms) {
    const bool negative = term.coefficient < 0;
    out += out.empty() ? (negative ? "-" : "") : negative ? " - " : " + ";
    out += format_seconds(std::abs(term.coefficient)) + powers_text(model, term, arguments);
  }
  return out;
}

std::string cost_text(const Model& model, const Segment& segment) {
  const statistics::GrowthModel& growth = segment.cost.growth;
  if (growth.hypotheses.empty()) return "-";
  if (!model.written_in.empty()) {  // arguments are seconds
    std::vector<std::string> seconds;
    for (const auto& argument : segment.cost.arguments) seconds.push_back(text_of(model, argument));
    return join(seconds, " + ");
  }
  return time_text(model, growth.hypotheses.front(), segment.cost.arguments);
}

std::string segments_table(const Model& model, const Style& style, bool all) {
  std::vector<const Segment*> order;
  for (const Segment& segment : model.segments) order.push_back(&segment);
  std::stable_sort(order.begin(), order.end(),
                   [](const Segment* a, const Segment* b) { return a->share > b->share; });
  std::size_t shown = 0;
  double rest = 0;
  std::vector<program::RowPlace> places;
  for (const Segment* segment : order) {
    if (!all && (shown == kMostSegments || (shown > 0 && segment->share < kSmallestSegmentShare)))
      rest += segment->share;
    else
      places.push_back(program::place_of(model, *segment)), ++shown;
  }
  const std::vector<std::string> names = program::row_names(places, model.program);
  const std::string file = program::common_file(places);
  Table table({{file.empty() ? "computing" : "computing, lines of " + file, Column::Align::left,
                Column::Shrink::cut_middle},
               {"executions", Column::Align::left, Column::Shrink::below},
               {"time each", Column::Align::left, Column::Shrink::below},
               {"found"},
               {"share", Column::Align::right}});
  for (std::size_t i = 0; i < shown; ++i) {
    const Segment& segment = *order[i];
    table.add({names[i], formula_in_row(text_of(model, segment.executions.expression), all),
               formula_in_row(cost_text(model, segment), all), std::string(to_string(segment.cost.origin)),
               percent(segment.share)});
  }
  if (table.empty()) return "";
  return "\n" + table.text(style) +
         (shown < order.size() ? dim(style, "  ... " + std::to_string(order.size() - shown) + " more (" +
                                                in_percent(rest) + "), --all") +
                                     "\n"
                               : "");
}

std::map<Origin, double> shares_by_origin(const Model& model) {
  std::map<Origin, double> out;
  for (const auto& [name, share] : model.share_by_origin)
    out[origin_from(name).value_or(Origin::unknown)] += share;
  return out;
}

/// Returns a formula for a sentence. A long one is truncated, such as a binomial tree's sum over twenty
/// powers of two; the model and the JSON contain it all.
std::string candidate_text(const symbolic::Expression& formula) {
  constexpr std::size_t kMost = 120;
  const std::string text = program::formula_text(formula);
  return text.size() <= kMost ? text : text.substr(0, std::min(text.rfind(' ', kMost), kMost)) + " ...";
}

/// Returns the formulas that fit a count, at most three, per message or execution where that is possible.
std::vector<std::string> candidates_of(const program::Count& count, const symbolic::Expression& times,
                                       bool moves) {
  std::vector<symbolic::Expression> candidates{count.expression};
  for (const auto& other : count.alternatives)
    if (candidates.size() < 3) candidates.push_back(other);
  std::vector<std::string> formulas;
  for (const symbolic::Expression& each : candidates) {
    const auto one = moves ? symbolic::quotient(each, times) : std::nullopt;
    std::string text = candidate_text(one ? *one : each) + (moves ? " B" : "");
    // Of extents of two grids with one name the first is printed.
    if (std::ranges::find(formulas, text) == formulas.end()) formulas.push_back(std::move(text));
  }
  return formulas;
}

/// Returns a warning for each count for which several formulas fit: the formulas, and the run that would
/// decide.
std::vector<predict::Warning> ambiguous_counts(const Model& model) {
  std::vector<predict::Warning> out;
  std::set<std::string> named;
  for (const Node& node : model.nodes)
    for (const auto* count : {&node.executions, &node.messages, &node.bytes, &node.collective_bytes}) {
      if (count->origin != Origin::ambiguous || count->advice.empty() || !named.insert(count->advice).second)
        continue;
      const bool moves = count == &node.bytes || count == &node.collective_bytes;
      const symbolic::Expression& times =
          count == &node.bytes ? node.messages.expression : node.executions.expression;
      const std::vector<std::string> formulas = candidates_of(*count, times, moves);
      const bool all_at_once = moves && !symbolic::quotient(count->expression, times);
      const std::string of = !moves                 ? ""
                             : all_at_once          ? "all bytes of "
                             : count == &node.bytes ? "each message of "
                                                    : "each part of ";
      const std::string known = formulas.size() == 1 ? " is " + formulas.front() + " in every recording"
                                                     : " may be " + join(formulas, " or ");
      out.push_back({"ambiguous-count", of + label_of(node) + known, count->advice, node.label});
    }
  return out;
}

/// Returns where the exact counts hold, if not everywhere.
std::string lattice_text(const Model& as_built, const Model& resolved, const Style& style) {
  const auto recorded = program::recorded_points(as_built);
  const std::string rules = to_text(program::lattice_of(recorded));
  if (rules.empty() || as_built.nodes.empty()) return "";
  const auto rests_on_it = [](const program::Count& now, const program::Count& before) {
    return now.origin == Origin::exact && before.origin == Origin::ambiguous;
  };
  bool used = false;
  for (std::size_t i = 0; i < resolved.nodes.size() && !used; ++i)
    for (const auto count : {&Node::executions, &Node::bytes, &Node::collective_bytes})
      used = used || rests_on_it(resolved.nodes[i].*count, as_built.nodes[i].*count);
  if (!used) return "";
  const std::string advice = program::advice_off(program::lattice_of(recorded), recorded);
  return wrapped(style,
                 "  exact where " + rules + ", as in every recording" +
                     (advice.empty() ? "" : "; " + advice + " would show more"),
                 4) +
         "\n";
}

constexpr std::string_view kNextRun = "next-run";

/// Returns the run to record next; nullptr if none is proposed.
const program::Notice* next_run(const Model& model) {
  const auto at = std::ranges::find(model.notices, kNextRun, &program::Notice::code);
  return at == model.notices.end() ? nullptr : &*at;
}

/// Returns the run to record next, with its command on a line that can be copied.
std::string next_run_text(const Model& model, const Style& style) {
  const program::Notice* next = next_run(model);
  if (!next) return "";
  return wrapped(style, "  next: " + visible(next->text), 4) + "\n" +
         (next->hint.empty() ? "" : "    " + visible(next->hint) + "\n");
}

/// Returns the warnings about a model: its misses, its ambiguous counts and its notices.
std::vector<predict::Warning> warnings_of(const Model& model) {
  std::vector<predict::Warning> out = missed_warnings(model);
  for (predict::Warning& each : ambiguous_counts(model)) {
    if (next_run(model)) each.hint = "the run below would separate most alternatives";
    out.push_back(std::move(each));
  }
  for (const auto& notice : model.notices)
    if (notice.code != kNextRun) out.push_back({notice.code, notice.text, notice.hint});
  std::vector<std::string> unfollowed;
  for (const auto& [name, count] : model.unfollowed)
    unfollowed.push_back(visible(name) + " (" + program::formula_text(count.expression) + ")");
  if (!unfollowed.empty())
    out.push_back(
        {"unfollowed-calls", "calls that are counted but not modelled: " + join(unfollowed, ", "), ""});
  return out;
}

}  // namespace

std::string model_text(const Model& as_built, const Style& style, bool all) {
  const Model model = program::resolved_as_recorded(as_built);
  const std::string origins = origins_text(shares_by_origin(model)), tiers = tiers_text(model.work_by_tier);
  return head(model, style) + TreeTable(model, all).text(style) + segments_table(model, style, all) +
         quantities_text(model.quantities, style) + "\n" +
         (origins.empty() ? "" : wrapped(style, "  " + origins, 4) + "\n") +
         (tiers.empty() ? "" : wrapped(style, "  " + tiers, 4) + "\n") +
         lattice_text(as_built, model, style) + checks_text(model, style, all) +
         notes_text(warnings_of(model), style, "", "--notes", Subject::model) + next_run_text(model, style);
}

}  // namespace parcast::report
