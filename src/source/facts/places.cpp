// SPDX-License-Identifier: Apache-2.0
// Where pointers lead: finds the places in memory that a node may refer to, and whether these are all.

#include <algorithm>
#include <iterator>

#include "source/facts/derivation.h"

namespace parcast::facts {
namespace {

constexpr int kOfPointers = 8;  // bytes

}  // namespace

// Finds the places of one node. Places of other nodes, passed by callers or loaded from memory, are requested
// by `ask`.
class LinkedProgram::Places {
 public:
  using Asked = std::function<const std::set<Memory>&(FunctionPlace, NodeNumber)>;
  Places(const LinkedProgram& program, const Asked& ask) : program_(program), ask_(ask) {}

  std::set<Memory> of(FunctionPlace function, NodeNumber number) {
    const Node& node = program_.at(function).nodes[number];
    switch (node.operation) {
      case Operation::behind:
        if (program_.at(function).name == "main" && node.bits == 1)
          found_.insert({Memory::Kind::words, {}, {}, 0, node.number});
        else if (const auto callers = program_.callers_.find(function); callers != program_.callers_.end())
          for (const CallPlace& caller : callers->second)
            if (const auto given = program_.passed(caller, node.bits))
              add(caller.function, *given, node.number);
        break;
      case Operation::pointed:
        for (const Memory& holder : ask_(function, node.operands[0])) {
          if (holder.kind == Memory::Kind::words && node.number == 0 && holder.offset % 8 == 0)
            found_.insert({Memory::Kind::word, {}, {}, 0, holder.offset / 8});
          if (const auto stores = program_.stores_.find(holder); stores != program_.stores_.end())
            for (const StorePlace& store : stores->second) add(store.function, store.value, node.number);
        }
        break;
      default:
        add(function, number, 0);
    }
    return std::move(found_);
  }

 private:
  // Adds the places of a node plus an offset in bytes.
  void add(FunctionPlace function, NodeNumber number, std::int64_t offset) {
    const Node* node = &program_.at(function).nodes[number];
    for (; node->operation == Operation::at; node = &program_.at(function).nodes[number])
      offset += node->number, number = node->operands[0];
    switch (node->operation) {
      case Operation::global:
        found_.insert({Memory::Kind::global, node->name, {}, 0, node->number + offset});
        return;
      case Operation::field:
        found_.insert({Memory::Kind::field, node->name, {}, 0, node->number + offset});
        return;
      case Operation::local:
        found_.insert({Memory::Kind::local, {}, function, number, offset});
        return;
      case Operation::behind:
      case Operation::pointed:
        for (Memory memory : ask_(function, number))
          if (memory.kind != Memory::Kind::word || offset == 0) {
            memory.offset += offset;
            found_.insert(std::move(memory));
          }
        return;
      default:
        return;
    }
  }

  const LinkedProgram& program_;
  const Asked& ask_;
  std::set<Memory> found_;
};

// Calls and pointers in memory may be circular. All nodes that a result depends on are therefore computed
// together, and each is repeated when a set that it uses has grown. A pointer that is increased by itself has
// infinitely many places; see cut().
std::set<LinkedProgram::Memory> LinkedProgram::memory_of(FunctionPlace function, NodeNumber number) const {
  using Asked = std::pair<FunctionPlace, NodeNumber>;
  const Asked first{function, number};
  if (const auto known = places_.find(first); known != places_.end()) return known->second;
  std::map<Asked, std::set<Memory>> open{{first, {}}};
  std::map<Asked, std::set<Asked>> rest_on;  // by the nodes that they use
  std::vector<Asked> left{first};
  while (!left.empty()) {
    const Asked asked = left.back();
    left.pop_back();
    const Places::Asked ask = [&](FunctionPlace of, NodeNumber node) -> const std::set<Memory>& {
      const Asked other{of, node};
      if (const auto known = places_.find(other); known != places_.end()) return known->second;
      rest_on[other].insert(asked);
      const auto [at, is_new] = open.try_emplace(other);
      if (is_new) left.push_back(other);
      return at->second;
    };
    std::set<Memory> found = Places(*this, ask).of(asked.first, asked.second);
    cut(found);
    std::set<Memory>& before = open[asked];
    if (found == before) continue;
    before = std::move(found);
    for (const Asked& other : rest_on[asked])
      if (std::ranges::find(left, other) == left.end()) left.push_back(other);
  }
  std::set<Memory> found = open[first];
  places_.merge(open);
  return found;
}

// Returns whether no unknown code may store another pointer there, or call the function with one.
bool LinkedProgram::leads_nowhere_else(FunctionPlace function, NodeNumber number) const {
  std::set<std::pair<FunctionPlace, NodeNumber>> asked;
  return leads_nowhere_else(function, number, asked);
}

bool LinkedProgram::leads_nowhere_else(FunctionPlace function, NodeNumber number,
                                       std::set<std::pair<FunctionPlace, NodeNumber>>& asked) const {
  const Node* node = &at(function).nodes[number];
  for (; node->operation == Operation::at; node = &at(function).nodes[number]) number = node->operands[0];
  if (!asked.insert({function, number}).second) return true;  // circular references are checked already
  switch (node->operation) {
    case Operation::global:
    case Operation::field:
    case Operation::local:
      return true;
    case Operation::integer:
      return node->number == 0;  // nothing is loaded from there
    case Operation::behind: {
      if (at(function).name == "main") return !main_again_;
      const auto callers = callers_.find(function);
      return callers != callers_.end() && !may_be_called_elsewhere(function) &&
             std::ranges::all_of(callers->second, [&](const CallPlace& caller) {
               const auto given = passed(caller, node->bits);
               return given && leads_nowhere_else(caller.function, *given, asked);
             });
    }
    case Operation::pointed:
      return leads_nowhere_else(function, node->operands[0], asked) &&
             std::ranges::all_of(memory_of(function, node->operands[0]), [&](const Memory& holder) {
               if (holder.kind == Memory::Kind::words) return true;  // see changes_words()
               if (also_stored_.contains(holder) || written_.contains(holder) || may_be_overwritten(holder) ||
                   overlaps(holder, kOfPointers, false))
                 return false;
               const auto stores = stores_.find(holder);
               // The initial value of a global is unknown.
               return holder.kind == Memory::Kind::local && stores != stores_.end() &&
                      std::ranges::all_of(stores->second, [&](const StorePlace& store) {
                        return leads_nowhere_else(store.function, store.value, asked);
                      });
             });
    default:
      return false;
  }
}

// A pointer that moves through an array, or along a list in one, may lead anywhere in that object. Only a few
// of its places are kept, and the contents of the object become uncertain.
void LinkedProgram::cut(std::set<Memory>& places) const {
  constexpr int kMostOfOne = 16;
  int of_one = 0;
  const Memory* first = nullptr;
  for (auto each = places.begin(); each != places.end();) {
    Memory same = *each;
    if (first) same.offset = first->offset;
    if (!first || same != *first) first = &*each, of_one = 0;
    if (++of_one <= kMostOfOne) {
      ++each;
      continue;
    }
    overwritten_from_.insert(*first);
    each = places.erase(each);
  }
}

int LinkedProgram::bytes_of(const Node& value) {
  return value.bits == 0 || value.operation >= Operation::global ? 8 : static_cast<int>((value.bits + 7) / 8);
}

// Returns whether a store that begins elsewhere may change a part of these bytes.
bool LinkedProgram::overlaps(const Memory& memory, int bytes, bool but_zeros) const {
  constexpr std::int64_t kWidestStore = 16;
  Memory at = memory;
  at.offset -= kWidestStore;
  const auto meets = [&](const Memory& other, int its) {
    return other.offset != memory.offset && other.offset < memory.offset + bytes &&
           memory.offset < other.offset + its;
  };
  const auto same_object = [&](Memory other) {
    other.offset = memory.offset;
    return other == memory;
  };
  for (auto each = stores_.lower_bound(at);
       each != stores_.end() && each->first.offset < memory.offset + bytes && same_object(each->first);
       ++each)
    for (const StorePlace& store : each->second)
      if (meets(each->first, bytes_of(this->at(store.function).nodes[store.value])) &&
          !(but_zeros && is_zero(store)))
        return true;
  for (auto each = also_stored_.lower_bound(at);
       each != also_stored_.end() && each->first.offset < memory.offset + bytes && same_object(each->first);
       ++each)
    if (meets(each->first, each->second)) return true;
  return false;
}

}  // namespace parcast::facts
