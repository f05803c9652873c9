// SPDX-License-Identifier: Apache-2.0
#include "structure/tokens.h"

#include <algorithm>
#include <set>
#include <span>

#include "base/text.h"
#include "structure/step_text.h"
#include "trace/folding.h"

namespace parcast::program {
namespace {

using trace::Item;
using trace::Kind;

constexpr std::size_t kMostUnfolded = 1 << 16;

/// Returns the folded operations without computing, which never repeats exactly.
trace::Sequence operations_folded(const trace::Sequence& sequence) {
  trace::Folding folding;
  for (trace::Walker walker(sequence); walker.next();)
    if (walker.item().what() == Item::What::operation) folding.add(Item::operation(walker.item().index()));
  return folding.finish();
}

class Maker {
 public:
  explicit Maker(Tokens& into) : into_(into) {}

  void add(const trace::Trace& trace) {
    trace_ = &trace;
    place_of_.clear();
    for (const trace::Place& place : trace.places) place_of_.push_back(place_index(place));
    key_of_.clear();
    for (const trace::Operation& operation : trace.operations) key_of_.push_back(key(operation));
    std::vector<std::vector<Token>> sequences;
    for (const trace::Sequence& sequence : trace.sequences)
      sequences.push_back(tokens(operations_folded(sequence)));
    into_.sequences.push_back(std::move(sequences));
    into_.key_of.push_back(key_of_);
  }

 private:
  std::vector<Token> tokens(std::span<const Item> items) {
    std::vector<Token> all;
    for (std::size_t i = 0; i < items.size(); ++i) {
      const Item item = items[i];
      if (item.what() == Item::What::operation) {
        const Token one{.key = key_of_[item.index()], .number = item.index()};
        all.push_back(item.times() == 1 ? one : loop(item.times(), {one}));
      } else {
        auto body = tokens(items.subspan(i + 1, item.words()));
        if (are_rounds(body, item.times()))
          for (std::uint32_t round = 0; round < item.times(); ++round)
            all.insert(all.end(), body.begin(), body.end());
        else
          all.push_back(loop(item.times(), std::move(body)));
        i += item.words();
      }
    }
    return all;
  }

  /// Returns whether the body makes different collectives of one call in turn (a root that moves). These are
  /// searched unfolded.
  bool are_rounds(const std::vector<Token>& body, std::uint32_t times) const {
    if (body.size() < 2 || body.size() * times > kMostUnfolded) return false;
    return std::ranges::all_of(body, [&](const Token& token) {
      return !token.is_loop() && token.key == body.front().key &&
             into_.keys[token.key].kind == Kind::collective;
    });
  }

  Token loop(std::uint32_t rounds, std::vector<Token> body) {
    std::set<std::uint32_t> keys;
    for (const Token& token : body) {
      if (token.is_loop())
        keys.insert(token.loop->keys.begin(), token.loop->keys.end());
      else
        keys.insert(token.key);
    }
    into_.loops.push_back({std::move(body), {keys.begin(), keys.end()}});
    return {.number = rounds, .loop = &into_.loops.back()};
  }

  std::uint32_t place_index(const trace::Place& place) {
    const auto key = std::tuple(place.region, place.function, place.file, place.line, place.call);
    const auto [at, is_new] = places_.emplace(key, static_cast<std::uint32_t>(into_.places.size()));
    if (is_new) into_.places.push_back(place);
    return at->second;
  }

  std::uint32_t key(const trace::Operation& operation) {
    StepKey key{operation.kind, operation.mode, operation.pattern, operation.uneven, false, trace::kNowhere};
    key.from_any = (trace::looks_for_envelope(operation.kind) || trace::is_of_lock(operation.kind)) &&
                   operation.peer == trace::kAny;
    if (operation.place != trace::kNowhere) key.place = place_of_[operation.place];
    const auto [at, is_new] = keys_.emplace(key.tuple(), static_cast<std::uint32_t>(into_.keys.size()));
    if (is_new) into_.keys.push_back(key);
    return at->second;
  }

  using PlaceKey = std::tuple<std::string, std::string, std::string, std::int32_t, std::string>;
  Tokens& into_;
  const trace::Trace* trace_ = nullptr;
  std::vector<std::uint32_t> place_of_, key_of_;
  std::map<PlaceKey, std::uint32_t> places_;
  std::map<decltype(StepKey().tuple()), std::uint32_t> keys_;
};

}  // namespace

std::string Tokens::describe(std::uint32_t key) const {
  const StepKey& of = keys[key];
  return describe_step(of.kind, of.pattern, of.place == trace::kNowhere ? nullptr : &places[of.place]);
}

std::string Tokens::describe_run(std::size_t run) const {
  std::string text = "p = " + std::to_string(runs[run].run.processes);
  for (std::size_t v = 0; v < parameters.size(); ++v)
    text += ", " + parameters[v] + " = " + format_exact(runs[run].run.parameters[v]);
  return text;
}

Result<void> TokenBudget::add(const trace::Trace& trace) {
  for (const trace::Sequence& sequence : trace.sequences) taken_ += operations_folded(sequence).size();
  if (taken_ <= most_) return {};
  return Error{"the order of operations hardly repeats itself: even folded it is longer than the " +
                   format_integer(static_cast<long long>(most_)) +
                   " operations and loops, of all recordings together, in which a rule is looked for",
               "", kOrderHint};
}

Result<Tokens> tokens_of(std::vector<TracedRun> runs, std::vector<std::string> parameters,
                         const std::vector<ProcessGrid>& grids) {
  std::erase_if(runs, [](const TracedRun& run) { return run.run.processes < 2; });
  if (runs.empty())
    return Error{"no run had two processes or more, so nothing is known of what they exchange", "",
                 "record at p = 2 or more, at three or more process counts"};
  std::stable_sort(runs.begin(), runs.end(), [](const TracedRun& a, const TracedRun& b) {
    return std::tie(a.run.processes, a.run.parameters) < std::tie(b.run.processes, b.run.parameters);
  });
  Tokens tokens;
  tokens.parameters = std::move(parameters);
  Maker maker(tokens);
  for (const TracedRun& run : runs) {
    maker.add(run.trace);
    tokens.places_of.emplace_back(run.run.processes, grids, run.run.parameters);
  }
  for (std::size_t run = 0; run < runs.size(); ++run)
    for (std::int32_t rank = 0; rank < runs[run].run.processes; ++rank) {
      const std::uint32_t sequence = runs[run].trace.sequence_of[static_cast<std::size_t>(rank)];
      tokens.ranks.push_back({run, tokens.places_of[run].of(rank), &tokens.sequences[run][sequence]});
    }
  tokens.runs = std::move(runs);
  return tokens;
}

void put_on_grids(Tokens& tokens, const std::vector<ProcessGrid>& grids) {
  tokens.places_of.clear();
  for (const TracedRun& run : tokens.runs)
    tokens.places_of.emplace_back(run.run.processes, grids, run.run.parameters);
  for (RankOfRun& rank : tokens.ranks)
    rank.place = tokens.places_of[rank.run].of(static_cast<std::int32_t>(rank.place.r));
}

}  // namespace parcast::program
