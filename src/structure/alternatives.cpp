// SPDX-License-Identifier: Apache-2.0
#include "structure/alternatives.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "structure/each_step.h"
#include "structure/step_text.h"

namespace parcast::program {
namespace {

constexpr std::int32_t kMostCompared = 40;  // process counts up to which rules are compared
constexpr std::int32_t kMostAdvised = 128;  // largest process count of an advised recording
constexpr std::array<std::int32_t, 6> kCompared{7, 12, 16, 27,
                                                // Process counts at which partners are paired: grids of all
                                                // shapes.
                                                36, 64};
constexpr int kMostTrials = 10000;
constexpr std::int32_t kNobody = -1;

int grid_of(const Partner& partner) {
  return partner.kind == Partner::Kind::grid ? partner.dimensions : 0;
}

/// Returns the dimensions of grids that the program certainly has; 0, for rules without a grid, if there is
/// none.
std::set<int> known_grids(const Structure& structure, const std::vector<ProcessGrid>& grids) {
  std::set<int> known;
  for (const ProcessGrid& grid : grids)
    if (grid.is_certain()) known.insert(grid.dimensions);
  for_each_step(structure.steps, [&](const Step& step) {
    const int grid = grid_of(step.partner);
    const auto is_same = [&](const Rule& alternative) { return grid_of(alternative.second) == grid; };
    if (grid > 0 && std::ranges::all_of(step.alternatives, is_same)) known.insert(grid);
  });
  if (known.empty()) known.insert(0);
  return known;
}

void put_first(Step& step, std::size_t alternative) {
  const Rule rule{step.guard, step.partner};
  std::tie(step.guard, step.partner) = step.alternatives[alternative];
  step.alternatives[alternative] = rule;
}

// Partners that fit.

bool sends(const Step& step) {
  return step.operation == trace::Kind::send || step.operation == trace::Kind::start_send;
}
bool receives(const Step& step) {
  return step.operation == trace::Kind::receive || step.operation == trace::Kind::start_receive;
}

/// The partner of each rank at each of kCompared, one after the other.
using Partners = std::vector<std::int32_t>;

/// The sends and receives of one sequence of steps, with the rules of each.
class Fitting {
 public:
  Fitting(std::vector<Step>& steps, const std::vector<Guard>& around, const std::vector<Places>& places)
      : around_(around), places_(places) {
    for (Step& step : steps) {
      if (step.kind != Step::Kind::operation || (!sends(step) && !receives(step))) continue;
      Message& message = (sends(step) ? sent_ : received_).emplace_back(Message{&step, {}, 0});
      message.rules.push_back(partners({step.guard, step.partner}));
      for (const Rule& alternative : step.alternatives) message.rules.push_back(partners(alternative));
      has_alternatives_ = has_alternatives_ || !step.alternatives.empty();
    }
  }

  void run() {
    if (!has_alternatives_ || sent_.size() != received_.size() || !choose_sent(0)) return;
    for (const auto* messages : {&sent_, &received_})
      for (const Message& message : *messages)
        if (message.chosen > 0) put_first(*message.step, message.chosen - 1);
  }

 private:
  struct Message {
    Step* step;
    std::vector<Partners> rules;
    std::size_t chosen;
    const Partners& partners() const { return rules[chosen]; }
  };

  Partners partners(const Rule& rule) const {
    Partners out;
    for (const Places& places : places_)
      for (std::int32_t rank = 0; rank < places.processes(); ++rank) {
        const Place place = places.of(rank);
        const bool does = holds(rule.first, place) && std::ranges::all_of(around_, [&](const Guard& guard) {
                            return holds(guard, place);
                          });
        out.push_back(does ? partner_of(rule.second, place).value_or(kNobody) : kNobody);
      }
    return out;
  }

  /// Returns whether one rule receives exactly the messages that the other sends.
  bool fit(const Partners& to, const Partners& from) const {
    std::size_t base = 0;
    for (const Places& places : places_) {
      const auto ranks = static_cast<std::size_t>(places.processes());
      const auto answers = [&](const Partners& one, const Partners& other) {
        for (std::size_t rank = 0; rank < ranks; ++rank) {
          const std::int32_t partner = one[base + rank];
          if (partner != kNobody && (partner < 0 || other[base + static_cast<std::size_t>(partner)] !=
                                                        static_cast<std::int32_t>(rank)))
            return false;
        }
        return true;
      };
      if (!answers(to, from) || !answers(from, to)) return false;
      base += ranks;
    }
    return true;
  }

  /// Returns the last earlier message of the same call with the same rules if another call's message is
  /// between the two: the program then exchanges with the same partners again.
  const Message* same_before(std::size_t at) const {
    const Message& message = sent_[at];
    bool other_between = false;
    for (std::size_t i = at; i-- > 0;) {
      const bool is_same_call = sent_[i].step->place == message.step->place;
      if (is_same_call && other_between && sent_[i].rules == message.rules) return &sent_[i];
      other_between = other_between || !is_same_call;
    }
    return nullptr;
  }

  /// Chooses rules so that calls exchange with different partners, if possible.
  bool choose_sent(std::size_t at) {
    if (at == sent_.size()) return choose_received(0);
    Message& message = sent_[at];
    if (const Message* before = same_before(at)) {
      message.chosen = before->chosen;
      return ++trials_ <= kMostTrials && choose_sent(at + 1);
    }
    for (const bool taken : {false, true})
      for (message.chosen = 0; message.chosen < message.rules.size(); ++message.chosen) {
        const auto is_same = [&](const Message& other) { return other.partners() == message.partners(); };
        if (std::any_of(sent_.begin(), sent_.begin() + static_cast<std::ptrdiff_t>(at), is_same) != taken)
          continue;
        if (++trials_ > kMostTrials) return false;
        if (choose_sent(at + 1)) return true;
      }
    return false;
  }

  bool choose_received(std::size_t at) {
    if (at == received_.size()) return true;
    Message& message = received_[at];
    for (message.chosen = 0; message.chosen < message.rules.size(); ++message.chosen)
      for (const Message& sent : sent_) {
        if (answered_.contains(&sent) || !fit(sent.partners(), message.partners())) continue;
        if (++trials_ > kMostTrials) return false;
        answered_.insert(&sent);
        if (choose_received(at + 1)) return true;
        answered_.erase(&sent);
      }
    return false;
  }

  const std::vector<Guard>& around_;
  const std::vector<Places>& places_;
  std::vector<Message> sent_, received_;
  std::set<const Message*> answered_;  // sent messages that have a receive
  bool has_alternatives_ = false;
  int trials_ = 0;
};

void fit_partners(std::vector<Step>& steps, const std::vector<Guard>& around,
                  const std::vector<Places>& places) {
  Fitting(steps, around, places).run();
  for (Step& step : steps) {
    if (step.body.empty()) continue;
    std::vector<Guard> inside = around;
    inside.push_back(step.guard);
    fit_partners(step.body, inside, places);
  }
}

/// For waits and collectives: puts a guard of a grid that the program has before one of another grid.
void prefer_guards_of(const std::set<int>& known, Step& step) {
  const auto is_known = [&](const Rule& rule) { return known.contains(rule.first.dimensions); };
  if (step.guard.dimensions == 0 || is_known({step.guard, step.partner})) return;
  const auto better = std::ranges::find_if(step.alternatives, is_known);
  if (better == step.alternatives.end()) return;
  put_first(step, static_cast<std::size_t>(better - step.alternatives.begin()));
  std::erase_if(step.alternatives, [&](const Rule& alternative) {
    return alternative.first.dimensions > 0 && !is_known(alternative);
  });
}

// Doubts.

std::string text_of(const Rule& rule) {
  if (rule.second.kind == Partner::Kind::none) return to_text(rule.first);
  return to_text(rule.second) + (rule.first.kind == Guard::Kind::all ? "" : " for " + to_text(rule.first));
}

}  // namespace

void drop_equal_alternatives(Structure& structure, const std::vector<ProcessGrid>& grids) {
  std::vector<Places> places;
  for (std::int32_t p = 2; p <= kMostCompared; ++p) places.emplace_back(p, grids);
  for_each_step_in_guards(structure.steps, [&](Step& step, const std::vector<Guard>& around) {
    const auto is_equal = [&](const Rule& alternative) {
      return std::ranges::none_of(places, [&](const Places& each) {
        return first_difference({step.guard, step.partner}, alternative, each, around).has_value();
      });
    };
    std::erase_if(step.alternatives, is_equal);
  });
}

void prefer_known_grids(Structure& structure, const std::vector<ProcessGrid>& grids) {
  const std::set<int> known = known_grids(structure, grids);
  bool preferred = false;
  for_each_step(structure.steps, [&](Step& step) {
    const auto is_known = [&](const Rule& rule) { return known.contains(grid_of(rule.second)); };
    if (step.alternatives.empty()) return;
    if (step.partner.kind == Partner::Kind::none) return prefer_guards_of(known, step);
    if (!is_known({step.guard, step.partner})) {
      const auto better = std::ranges::find_if(step.alternatives, is_known);
      if (better == step.alternatives.end()) return;
      put_first(step, static_cast<std::size_t>(better - step.alternatives.begin()));
    }
    if (known.contains(0)) return;  // a grid may still exist: doubts_at()
    preferred |= std::erase_if(step.alternatives, [&](const Rule& alternative) {
                   return grid_of(alternative.second) > 0 && !is_known(alternative);
                 }) > 0;
  });
  if (preferred)
    structure.assumptions.push_back(
        "where partners fit several process grids, they are taken along the one that is recorded or that "
        "other calls need");
}

void prefer_partners_that_fit(Structure& structure, const std::vector<ProcessGrid>& grids) {
  std::vector<Places> places;
  for (const std::int32_t p : kCompared) places.emplace_back(p, grids);
  fit_partners(structure.steps, {}, places);
}

std::vector<Doubt> doubts_at(const Model& model, const Point& point) {
  const Structure& structure = *model.structure;
  const std::vector<ProcessGrid>& grids = model.grids;
  const std::int32_t processes = point.processes;
  const Places here(processes, grids, ordered_parameters(model, point));
  std::map<std::int32_t, Places> smaller;
  std::vector<Doubt> doubts;
  for_each_step_in_guards(structure.steps, [&](const Step& step, const std::vector<Guard>& around) {
    const Rule taken{step.guard, step.partner};
    for (const Rule& alternative : step.alternatives) {
      const auto rank = first_difference(taken, alternative, here, around);
      if (!rank) continue;
      std::int32_t resolved = 2;
      for (; resolved < std::min(processes, kMostAdvised); ++resolved)
        if (first_difference(taken, alternative, smaller.try_emplace(resolved, resolved, grids).first->second,
                             around))
          break;
      if (resolved == kMostAdvised) resolved = processes;
      doubts.push_back({name_of_step(structure, step), text_of(taken), text_of(alternative),
                        taken.second.kind != Partner::Kind::none, *rank, resolved});
      return;
    }
  });
  return doubts;
}

std::string to_text(const Doubt& doubt) {
  return doubt.step + " is taken to be " + (doubt.messages ? "with " : "of ") + doubt.taken +
         ", the simplest rule that holds for all recordings; " + doubt.other +
         " holds for them as well, and a recording at p = " + std::to_string(doubt.resolved) +
         " would decide";
}

}  // namespace parcast::program
