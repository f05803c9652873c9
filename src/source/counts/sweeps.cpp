// SPDX-License-Identifier: Apache-2.0
#include "source/counts/sweeps.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "source/counts/rounds.h"

namespace parcast::program {
namespace {

using symbolic::Expression;

class Sweeping {
 public:
  Sweeping(const CountedLoops& loops, std::vector<Sweep>& sweeps) : loops_(loops), sweeps_(sweeps) {}

  // Adds what one reference accesses in the enclosing loops, from the inside to the outside. If the next
  // round of a loop begins near the end of the span of bytes, the span is extended to all rounds. Otherwise
  // it is counted once per round.
  void add(const facts::Reference& reference) {
    const int inner = loops_.graph.context(reference.block);
    const Sighting* at = nullptr;
    for (std::size_t o = 0; o < loops_.sightings.size() && !at; ++o)
      if (loops_.graph.executions(o, reference.block) > 0) at = loops_.sightings[o];
    if (inner == kTop || !at) return;
    symbolic::Binding first = at->values;  // values in the first round of each loop
    for (int loop = inner; loop != kTop; loop = loops_.graph.around(loop)) first[round_name(loop)] = 0;
    const auto number = [&](const Expression& what) { return symbolic::evaluate(what, first); };
    const std::vector<SourceCount> offsets =
        reference.offset ? loops_.expressions_of(*reference.offset, inner) : std::vector<SourceCount>{};
    const bool known = !offsets.empty();
    const std::map<int, SourceCount> strides = known ? std::map<int, SourceCount>{} : strides_of(reference);
    CountTier tier = known             ? offsets.front().tier
                     : strides.empty() ? CountTier::measured
                                       : CountTier::symbolic;
    Expression low = known ? offsets.front().value + Expression(reference.low) : Expression(0);
    Expression high = known ? offsets.front().value + Expression(reference.high)
                            : Expression(reference.high - reference.low);
    Expression pieces = 1;
    bool changes = false;  // the base changes, in this loop or one inside it
    for (int loop = inner; loop != kTop; loop = loops_.graph.around(loop)) {
      changes = changes || loop == reference.changes;
      tier = std::max(tier, loops_.iterations[loop].tier);
      const auto in_round = [&](const Expression& what, const Expression& round) {
        return symbolic::substitute(what, {{round_name(loop), round}});
      };
      const Expression last = loops_.iterations[loop].value - Expression(1);
      // position of the next round is unknown
      bool unknown = changes || (!known && reference.offset && may_advance(*reference.offset, loop));
      if (const auto stride = strides.find(loop); stride != strides.end() && !changes) {
        tier = std::max(tier, stride->second.tier);
        const auto step = number(stride->second.value);
        if (!step) return;
        high =
            high + (*step > 0 ? Expression(1) : Expression(-1)) * stride->second.value * round_symbol(loop);
        unknown = false;
      } else if (!known && !reference.offset) {
        unknown = true;
      }
      const Expression low_first = in_round(low, 0), high_first = in_round(high, 0);
      const auto step = number(in_round(low, 1) - low_first), growth = number(in_round(high, 1) - high_first),
                 bytes = number(high_first - low_first);
      if (!step || !growth || !bytes) return;  // not an even advance after all
      constexpr double kLine = 64;             // most caches also load the bytes of gaps up to this size
      const bool stays = !unknown && *step == 0 && *growth == 0;
      const double distance = known ? std::abs(*step) : *growth;
      if (stays || unknown || distance > *bytes + kLine) {
        low = low_first;
        high = high_first;
        if (!stays) pieces = pieces * loops_.iterations[loop].value;
      } else {
        const Expression low_last = in_round(low, last), high_last = in_round(high, last);
        const auto least = number(low_last - low_first), most = number(high_last - high_first);
        if (!least || !most) return;
        low = *least < 0 ? low_last : low_first;
        high = *most > 0 ? high_last : high_first;
      }
      note(reference, loop, pieces * symbolic::expand(high - low), tier, first);
      // Outside of the loop, its rounds are replaced by their mean.
      if (const int outer = loops_.graph.around(loop); outer != kTop) pieces = mean_over(pieces, outer);
    }
  }

 private:
  // Returns how far an address advances per round of the enclosing loops, as far as this is known although
  // the address is not.
  std::map<int, SourceCount> strides_of(const facts::Reference& reference) const {
    std::map<int, SourceCount> strides;
    std::optional<facts::NodeNumber> at = reference.offset;
    while (at && loops_.graph.function().nodes[*at].operation == facts::Operation::recurrence &&
           loops_.graph.function().nodes[*at].operands.size() == 2) {
      const facts::Node& node = loops_.graph.function().nodes[*at];
      const int loop = static_cast<int>(node.number);
      for (SourceCount& given :
           loops_.expressions_of(node.operands[1], loops_.graph.context(reference.block)))
        if (!strides.contains(loop)) strides.emplace(loop, std::move(given));
      at = node.operands[0];
    }
    return strides;
  }
  // Returns whether a node may have different values in different rounds of the loop. Untold nodes may.
  bool may_advance(facts::NodeNumber number, int loop) const {
    std::set<facts::NodeNumber> open{number};  // operands have lower numbers than their node
    while (!open.empty()) {
      const facts::Node& node = loops_.graph.function().nodes[*open.rbegin()];
      if (node.operation == facts::Operation::unknown ||
          (node.operation == facts::Operation::recurrence && node.number == loop))
        return true;
      open.erase(std::prev(open.end()));
      open.insert(node.operands.begin(), node.operands.end());
    }
    return false;
  }

  void note(const facts::Reference& reference, int loop, const Expression& each, CountTier tier,
            const symbolic::Binding& first) {
    const SourceCount all =
        loops_.total(loops_.graph.around(loop), loops_.entry[loop] * SourceCount{each, tier});
    Sweep sweep{loops_.place,
                loop,
                loops_.graph.around(loop) == kTop,
                loops_.around.program.arrays(loops_.place, reference),
                each,
                all.value,
                all.tier};
    for (int outer = loops_.graph.around(loop); outer != kTop; outer = loops_.graph.around(outer)) {
      if (!depends(sweep.portion, round_symbol(outer))) continue;
      const Expression in_first = symbolic::substitute(sweep.portion, {{round_name(outer), Expression(0)}});
      const Expression in_last = symbolic::substitute(
          sweep.portion, {{round_name(outer), loops_.iterations[outer].value - Expression(1)}});
      const auto a = symbolic::evaluate(in_first, first), b = symbolic::evaluate(in_last, first);
      if (!a || !b) return;
      sweep.portion = *a >= *b ? in_first : in_last;
    }
    const auto size = symbolic::evaluate(sweep.portion, first);
    if (!size || !(*size > 0)) return;
    const auto same = std::ranges::find_if(
        sweeps_, [&](const Sweep& other) { return other.loop == loop && other.arrays == sweep.arrays; });
    if (same == sweeps_.end())
      sweeps_.push_back(std::move(sweep));
    else if (const auto before = symbolic::evaluate(same->portion, first); before && *before < *size)
      *same = std::move(sweep);
  }

  // Returns the mean over the rounds of an enclosing loop.
  Expression mean_over(const Expression& what, int loop) const {
    const Expression round = round_symbol(loop);
    if (!depends(what, round)) return what;
    return over_rounds(round, loops_.iterations[loop].value, what) / loops_.iterations[loop].value;
  }

  const CountedLoops& loops_;
  std::vector<Sweep>& sweeps_;
};

}  // namespace

void add_sweeps(const CountedLoops& loops, const facts::Reference& reference, std::vector<Sweep>& sweeps) {
  Sweeping(loops, sweeps).add(reference);
}

}  // namespace parcast::program
