// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "model/place.h"
#include "model/structure_json.h"
#include "model/structure_words.h"

namespace parcast::program {
namespace {

constexpr std::int64_t kMostNumber = std::numeric_limits<std::int32_t>::max();
constexpr int kMostStepDepth = 100;

template <class T>
Result<T> word(const Value& value, const char* key, T otherwise, bool needed) {
  if (!needed && !value.has(key)) return otherwise;
  PARCAST_ASSIGN(const Value entry, value.at(key));
  PARCAST_ASSIGN(const std::string name, entry.text());
  const auto known = from_name<T>(name);
  if (!known) return entry.error("\"" + name + "\" is not known");
  return *known;
}

Result<std::int64_t> integer(const Value& value, const char* key, std::int64_t low, std::int64_t high,
                             bool needed = true) {
  if (!needed && !value.has(key)) return std::max<std::int64_t>(low, 0);
  PARCAST_ASSIGN(const Value entry, value.at(key));
  return entry.integer(low, high);
}

Result<std::string> text(const Value& value, const char* key) {
  PARCAST_ASSIGN(const Value entry, value.at(key));
  return entry.text();
}

Result<bool> flag(const Value& value, const char* key) {
  if (!value.has(key)) return false;
  PARCAST_ASSIGN(const Value entry, value.at(key));
  return entry.truth();
}

/// Reads one entry for each dimension.
Result<std::array<std::int8_t, 3>> shift_of(const Value& value, int dimensions) {
  PARCAST_ASSIGN(const Value list, value.at("shift"));
  PARCAST_ASSIGN(const auto shifts,
                 list.list_of<std::int64_t>([](const Value& v) { return v.integer(-100, 100); }));
  std::array<std::int8_t, 3> shift{};
  if (std::cmp_not_equal(shifts.size(), dimensions) || shifts.size() > shift.size())
    return list.error("does not have one entry per dimension");
  for (std::size_t k = 0; k < shifts.size(); ++k) shift[k] = static_cast<std::int8_t>(shifts[k]);
  return shift;
}

Result<Guard> guard(const Value& value) {
  Guard guard;
  PARCAST_ASSIGN(guard.kind, word(value, "kind", Guard::Kind::all, true));
  const bool neighboured = guard.kind == Guard::Kind::neighboured;
  PARCAST_ASSIGN(const std::int64_t dimensions,
                 integer(value, "dimensions", neighboured ? 1 : 0, kMostDimensions, neighboured));
  guard.dimensions = static_cast<int>(dimensions);
  if (neighboured) {
    PARCAST_ASSIGN(guard.shift, shift_of(value, guard.dimensions));
    return guard;
  }
  if (guard.kind == Guard::Kind::copied) {
    PARCAST_ASSIGN(const std::int64_t of, integer(value, "of", 1, kMostNumber));
    PARCAST_ASSIGN(const std::int64_t remainder, integer(value, "remainder", 0, of - 1));
    guard.of = static_cast<std::int32_t>(of), guard.remainder = static_cast<std::int32_t>(remainder);
    return guard;
  }
  PARCAST_ASSIGN(const std::int64_t dimension,
                 integer(value, "dimension", 0, std::max<std::int64_t>(0, dimensions - 1), false));
  guard.dimension = static_cast<int>(dimension);
  return guard;
}

Result<Partner> partner(const Value& value) {
  Partner partner;
  PARCAST_ASSIGN(partner.kind, word(value, "kind", Partner::Kind::none, true));
  if (value.has("amount")) {
    PARCAST_ASSIGN(partner.amount, integer(value, "amount", -kMostNumber, kMostNumber));
  }
  PARCAST_ASSIGN(partner.change, word(value, "change", Change::none, false));
  if (partner.kind != Partner::Kind::grid) return partner;
  PARCAST_ASSIGN(const std::int64_t dimensions, integer(value, "dimensions", 1, kMostDimensions));
  partner.dimensions = static_cast<int>(dimensions);
  PARCAST_ASSIGN(partner.shift, shift_of(value, partner.dimensions));
  PARCAST_ASSIGN(const std::int64_t periodic, integer(value, "periodic", 0, 7));
  partner.periodic = static_cast<std::uint8_t>(periodic);
  return partner;
}

Result<Members> members(const Value& value) {
  Members members;
  PARCAST_ASSIGN(members.kind, word(value, "kind", Members::Kind::all, true));
  const bool plane = members.kind == Members::Kind::plane;
  PARCAST_ASSIGN(const std::int64_t dimensions,
                 integer(value, "dimensions", plane ? 1 : 0, kMostDimensions, plane));
  members.dimensions = static_cast<int>(dimensions);
  PARCAST_ASSIGN(const std::int64_t kept, integer(value, "kept", 0, 7, plane));
  members.kept = static_cast<std::uint8_t>(kept);
  const bool counted = members.kind == Members::Kind::modulo || members.kind == Members::Kind::block;
  PARCAST_ASSIGN(members.amount, integer(value, "amount", counted ? 1 : 0, kMostNumber, counted));
  PARCAST_ASSIGN(const std::int64_t number, integer(value, "number", 0, kMostNumber, false));
  members.number = static_cast<std::uint32_t>(number);
  return members;
}

Result<trace::Place> place(const Value& value) {
  trace::Place place;
  PARCAST_ASSIGN(place.region, text(value, "region"));
  PARCAST_ASSIGN(place.function, text(value, "function"));
  PARCAST_ASSIGN(place.file, text(value, "file"));
  PARCAST_ASSIGN(place.call, text(value, "call"));
  PARCAST_ASSIGN(const std::int64_t line, integer(value, "line", -kMostNumber, kMostNumber));
  place.line = static_cast<std::int32_t>(line);
  return place;
}

class StructureReader {
 public:
  explicit StructureReader(const Kinds& kinds) : kinds_(kinds) {}

  Result<Structure> read(const Value& value) {
    if (value.has("missing")) {
      PARCAST_ASSIGN(made_, missing(value));
      if (!value.has("copied")) return std::move(made_);
      PARCAST_ASSIGN(const std::int64_t copied, integer(value, "copied", 2, kMostNumber));
      made_.copied = static_cast<std::int32_t>(copied);
    }
    PARCAST_ASSIGN(const Value places, value.at("places"));
    PARCAST_ASSIGN(made_.places, places.list_of<trace::Place>(place));
    PARCAST_ASSIGN(const Value processes, value.at("processes"));
    PARCAST_ASSIGN(const auto counts,
                   processes.list_of<std::int64_t>([](const Value& v) { return v.integer(2, kMostNumber); }));
    if (counts.empty()) return processes.error("is empty");
    for (const std::int64_t p : counts) made_.processes.push_back(static_cast<std::int32_t>(p));
    PARCAST_ASSIGN(const Value assumptions, value.at("assumptions"));
    PARCAST_ASSIGN(made_.assumptions,
                   assumptions.list_of<std::string>([](const Value& v) { return v.text(); }));
    PARCAST_ASSIGN(const Value steps, value.at("steps"));
    PARCAST_ASSIGN(made_.steps, list(steps, 0));
    made_.step_count = next_;
    if (value.has("tail")) {
      PARCAST_ASSIGN(const Value tail, value.at("tail"));
      PARCAST_ASSIGN(made_.tail, computing(tail));
    }
    return std::move(made_);
  }

 private:
  static Result<Structure> missing(const Value& value) {
    Structure none;
    PARCAST_ASSIGN(const Value why, value.at("missing"));
    PARCAST_ASSIGN(none.missing.what, text(why, "what"));
    PARCAST_ASSIGN(none.missing.where, text(why, "where"));
    PARCAST_ASSIGN(none.missing.hint, text(why, "hint"));
    if (none.found()) return why.error("is empty");
    return none;
  }

  Result<std::vector<Step>> list(const Value& value, int depth) {
    if (depth > kMostStepDepth)
      return value.error("is nested more than " + std::to_string(kMostStepDepth) + " deep");
    return value.list_of<Step>([&](const Value& v) { return step(v, depth); });
  }

  Result<Step> step(const Value& value, int depth) {
    Step step;
    step.id = next_++;
    PARCAST_ASSIGN(step.kind, word(value, "kind", Step::Kind::operation, true));
    if (value.has("guard")) {
      PARCAST_ASSIGN(const Value which, value.at("guard"));
      PARCAST_ASSIGN(step.guard, guard(which));
    }
    if (value.has("place")) {
      PARCAST_ASSIGN(const std::int64_t at,
                     integer(value, "place", 0, static_cast<std::int64_t>(made_.places.size()) - 1));
      step.place = static_cast<std::uint32_t>(at);
    }
    if (step.kind == Step::Kind::operation) {
      PARCAST_TRY(operation(value, step));
      return step;
    }
    if (step.kind == Step::Kind::every) {
      if (depth == 0) return value.error("is in no loop");
      PARCAST_TRY(period(value, step));
    } else {
      PARCAST_ASSIGN(const Value rounds, value.at("rounds"));
      PARCAST_ASSIGN(step.rounds, read_count(rounds, kinds_));
    }
    PARCAST_ASSIGN(const Value body, value.at("body"));
    PARCAST_ASSIGN(step.body, list(body, depth + 1));
    return step;
  }

  Result<void> period(const Value& value, Step& step) const {
    PARCAST_ASSIGN(const Value every, value.at("every"));
    if (const auto name = every.text()) {
      step.every_of = *name;
      if (!kinds_.contains(step.every_of)) return every.error("is no parameter of the model");
      PARCAST_ASSIGN(step.offset, integer(value, "offset", -kMostNumber, kMostNumber));
      return {};
    }
    PARCAST_ASSIGN(step.every, integer(value, "every", 1, kMostNumber));
    PARCAST_ASSIGN(step.offset, integer(value, "offset", 0, step.every - 1));
    return {};
  }

  Result<void> operation(const Value& value, Step& step) const {
    PARCAST_ASSIGN(step.operation, word(value, "operation", trace::Kind::send, true));
    PARCAST_ASSIGN(step.mode, word(value, "mode", trace::Mode::standard, false));
    PARCAST_ASSIGN(step.pattern, word(value, "pattern", recording::Pattern::none, false));
    PARCAST_ASSIGN(step.uneven, flag(value, "uneven"));
    const bool message = step.operation != trace::Kind::wait && step.operation != trace::Kind::collective;
    if (message) {
      PARCAST_ASSIGN(const Value whom, value.at("partner"));
      PARCAST_ASSIGN(step.partner, partner(whom));
    }
    if (value.has("rivals")) {
      PARCAST_ASSIGN(const Value alternatives, value.at("rivals"));
      PARCAST_ASSIGN(const auto all, alternatives.list());
      for (const Value& alternative : all) {
        PARCAST_ASSIGN(const Value who, alternative.at("guard"));
        PARCAST_ASSIGN(const Value whom, alternative.at("partner"));
        PARCAST_ASSIGN(const Guard of, guard(who));
        PARCAST_ASSIGN(const Partner with, partner(whom));
        step.alternatives.emplace_back(of, with);
      }
    }
    if (step.operation == trace::Kind::wait)
      PARCAST_TRY(wait(value, step));
    else
      PARCAST_TRY(transfer(value, step, message));
    if (!value.has("computing")) return {};
    PARCAST_ASSIGN(const Value times, value.at("computing"));
    PARCAST_ASSIGN(step.computing, computing(times));
    return {};
  }

  static Result<void> wait(const Value& value, Step& step) {
    PARCAST_ASSIGN(const Value awaited, value.at("awaited"));
    PARCAST_ASSIGN(step.awaited, awaited.list_of<Awaited>([](const Value& v) -> Result<Awaited> {
      Awaited each;
      PARCAST_ASSIGN(const std::int64_t id, integer(v, "step", 0, kMostNumber));
      each.step = static_cast<std::uint32_t>(id);
      PARCAST_ASSIGN(each.which, word(v, "which", Awaited::Which::all, true));
      return each;
    }));
    return {};
  }

  Result<void> transfer(const Value& value, Step& step, bool message) const {
    if (value.has("members")) {
      PARCAST_ASSIGN(const Value of, value.at("members"));
      PARCAST_ASSIGN(step.members, members(of));
    }
    PARCAST_ASSIGN(const Value bytes, value.at("bytes"));
    PARCAST_ASSIGN(step.bytes.count, read_count(bytes, kinds_));
    PARCAST_ASSIGN(step.bytes.change, word(value, "bytes_change", Change::none, false));
    if (step.bytes.change == Change::up || step.bytes.change == Change::down) {
      PARCAST_ASSIGN(const Value slope, value.at("bytes_slope"));
      PARCAST_ASSIGN(step.bytes.slope, read_count(slope, kinds_));
    }
    if (!message) {
      PARCAST_ASSIGN(const Value root, value.at("root"));
      PARCAST_ASSIGN(step.root, read_count(root, kinds_));
      if (value.has("root_change")) {
        PARCAST_ASSIGN(const std::int64_t change, integer(value, "root_change", -1, 1));
        step.root_change = static_cast<std::int32_t>(change);
      }
      return {};
    }
    PARCAST_ASSIGN(const Value tag, value.at("tag"));
    PARCAST_ASSIGN(step.tag.kind, word(tag, "kind", Tag::Kind::number, true));
    PARCAST_ASSIGN(step.tag.amount, integer(tag, "amount", -kMostNumber, kMostNumber));
    return {};
  }

  Result<std::vector<Computing>> computing(const Value& value) const {
    return value.list_of<Computing>([&](const Value& v) -> Result<Computing> {
      Computing each;
      PARCAST_ASSIGN(const std::int64_t after, integer(v, "after", 0, kMostNumber));
      PARCAST_ASSIGN(const std::int64_t loops, integer(v, "loops", 0, kMostNumber));
      each.after = static_cast<std::uint32_t>(after);
      each.loops = static_cast<std::uint32_t>(loops);
      PARCAST_ASSIGN(const Value seconds, v.at("seconds"));
      PARCAST_ASSIGN(each.seconds, read_expression(seconds, kinds_));
      PARCAST_ASSIGN(each.origin, read_origin(v));
      if (v.has("parts")) {
        PARCAST_ASSIGN(const Value parts, v.at("parts"));
        PARCAST_ASSIGN(each.parts, computing_parts(parts, 0));
      }
      return each;
    });
  }

  Result<std::vector<ComputingPart>> computing_parts(const Value& value, int depth) const {
    if (depth > kMostStepDepth)
      return value.error("is nested more than " + std::to_string(kMostStepDepth) + " deep");
    return value.list_of<ComputingPart>([&](const Value& v) -> Result<ComputingPart> {
      ComputingPart part;
      PARCAST_ASSIGN(part.kind, word(v, "kind", ComputingPart::Kind::sequence, true));
      PARCAST_ASSIGN(part.label, text(v, "label"));
      PARCAST_ASSIGN(part.where, text(v, "where"));
      PARCAST_ASSIGN(const Value executions, v.at("executions"));
      PARCAST_ASSIGN(part.executions, read_expression(executions, kinds_));
      PARCAST_ASSIGN(const Value seconds, v.at("seconds"));
      PARCAST_ASSIGN(part.seconds, read_expression(seconds, kinds_));
      if (v.has("parts")) {
        PARCAST_ASSIGN(const Value parts, v.at("parts"));
        PARCAST_ASSIGN(part.parts, computing_parts(parts, depth + 1));
      }
      return part;
    });
  }

  const Kinds& kinds_;
  Structure made_;
  std::uint32_t next_ = 0;
};

}  // namespace

Result<Structure> read_structure(const Value& value, const Kinds& kinds) {
  return StructureReader(kinds).read(value);
}

}  // namespace parcast::program
