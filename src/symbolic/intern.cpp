// SPDX-License-Identifier: Apache-2.0
// The table of nodes: weak references by structural hash, divided into shards so that threads rarely contend.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>
#include <unordered_map>

#include "symbolic/build.h"
#include "symbolic/node.h"

namespace parcast::symbolic {

namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccdu;
  return hash ^ (hash >> 32);
}

std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char c : text) hash = (hash ^ c) * 0x100000001b3u;
  return hash;
}

std::uint64_t structural_hash(const Node& node) {
  std::uint64_t hash = mix(static_cast<std::uint64_t>(node.operation), static_cast<std::uint64_t>(node.kind));
  hash = mix(hash, node.level);
  hash = mix(hash, static_cast<std::uint64_t>(node.number.exact().numerator()));
  hash = mix(hash, static_cast<std::uint64_t>(node.number.exact().denominator()));
  if (node.number.is_real()) hash = mix(hash, std::bit_cast<std::uint64_t>(node.number.to_double()));
  hash = mix(hash, hash_text(node.name));
  for (const Expression& operand : node.operands) hash = mix(hash, node_of(operand).hash);
  return hash;
}

double degree(const Node& node) {
  double sum = 0;
  switch (node.operation) {
    case Operation::symbol:
      return 1;
    case Operation::product:
      for (const Expression& factor : node.operands) sum += node_of(factor).degree;
      return sum;
    case Operation::power:
      return node_of(node.operands[0]).degree * number_of(node.operands[1]).to_double();
    case Operation::sum:
      return node_of(node.operands[0]).degree;
    default:
      return 0;
  }
}

void derive_for_symbol(Node& node) {
  node.symbols = std::uint64_t{1} << (node.hash >> 58);
  if (node.level == 0) return;
  node.loose = std::uint64_t{1} << (node.level % 64);
  if (node.level >= kTemporary) node.temporary = node.level;
}

void derive(Node& node) {
  node.hash = structural_hash(node);
  node.degree = degree(node);
  node.has_real = node.number.is_real();
  if (node.operation == Operation::symbol) derive_for_symbol(node);
  for (const Expression& operand : node.operands) {
    const Node& inner = node_of(operand);
    node.symbols |= inner.symbols;
    node.loose |= inner.loose;
    node.height = std::max(node.height, inner.height);
    node.temporary = std::max(node.temporary, inner.temporary);
    node.has_real |= inner.has_real;
  }
  if (node.operation != Operation::series) return;
  const Node& index = node_of(node.operands[0]);
  node.height = std::max(node.height, index.level);
  node.loose = node_of(node.operands[1]).loose | node_of(node.operands[2]).loose |
               (node_of(node.operands[3]).loose & ~index.loose);
}

bool same_structure(const Node& a, const Node& b) {
  return a.operation == b.operation && a.kind == b.kind && a.level == b.level && a.number == b.number &&
         a.name == b.name && a.operands == b.operands;
}

struct Shard {
  std::mutex mutex;
  std::unordered_multimap<std::uint64_t, std::pair<const Node*, std::weak_ptr<const Node>>> nodes;
};

constexpr std::size_t kShards = 64;

// Never destroyed, so that expressions with static storage duration may outlive everything else.
std::array<Shard, kShards>& shards() {
  static auto* const table = new std::array<Shard, kShards>;
  return *table;
}

Shard& shard_of(std::uint64_t hash) {
  return shards()[hash % kShards];
}

// Runs when the last reference is released. Operands are released after the lock, since releasing them may
// call this function again.
void forget(const Node* node) {
  {
    Shard& shard = shard_of(node->hash);
    const std::lock_guard lock(shard.mutex);
    const auto [begin, end] = shard.nodes.equal_range(node->hash);
    const auto entry = std::find_if(begin, end, [&](const auto& e) { return e.second.first == node; });
    if (entry != end) shard.nodes.erase(entry);
  }
  delete node;
}

}  // namespace

Expression Factory::intern(Node node) {
  derive(node);
  Shard& shard = shard_of(node.hash);
  // References taken during the search are released after the lock, since releasing the last one calls
  // forget().
  std::vector<std::shared_ptr<const Node>> looked_at;
  const std::lock_guard lock(shard.mutex);
  const auto [begin, end] = shard.nodes.equal_range(node.hash);
  for (auto entry = begin; entry != end; ++entry) {
    std::shared_ptr<const Node> known = entry->second.second.lock();
    if (!known) continue;
    if (same_structure(*known, node)) return Expression(std::move(known));
    looked_at.push_back(std::move(known));
  }
  const std::uint64_t hash = node.hash;
  std::shared_ptr<const Node> fresh(new Node(std::move(node)), forget);
  shard.nodes.emplace(hash, std::pair(fresh.get(), std::weak_ptr(fresh)));
  return Expression(std::move(fresh));
}

Expression Factory::number(const Number& value) {
  if (value.is_real() && std::isnan(value.to_double())) return undefined();
  Node node;
  node.operation = value.is_real() ? Operation::real : Operation::constant;
  node.number = value;
  return intern(std::move(node));
}

Expression Factory::bound_symbol(std::uint32_t level) {
  Node node;
  node.operation = Operation::symbol;
  node.kind = SymbolKind::loop_index;
  node.level = level;
  node.name = "#" + std::to_string(level);
  return intern(std::move(node));
}

Expression Factory::node(Operation operation, std::vector<Expression> operands) {
  Node node;
  node.operation = operation;
  node.operands = std::move(operands);
  return intern(std::move(node));
}

std::uint64_t symbol_bit(const Expression& symbol) {
  return node_of(symbol).symbols;
}

std::size_t interned_node_count() {
  std::size_t count = 0;
  for (Shard& shard : shards()) {
    const std::lock_guard lock(shard.mutex);
    count += shard.nodes.size();
  }
  return count;
}

}  // namespace parcast::symbolic
