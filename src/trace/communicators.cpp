// SPDX-License-Identifier: Apache-2.0
#include "trace/communicators.h"

#include <algorithm>

namespace parcast::trace {
namespace {

constexpr std::uint32_t kUnused = UINT32_MAX;

}  // namespace

Communicators::Communicators(const recording::Recording& recording, Builder& builder)
    : table_(recording), builder_(builder), indices_(table_.all().size(), kUnused), private_(indices_) {
  indices_[0] = 0;
}

std::uint32_t Communicators::index(std::uint32_t communicator) {
  return in_trace(communicator, indices_[communicator]);
}
std::uint32_t Communicators::private_index(std::uint32_t communicator) {
  return in_trace(communicator, private_[communicator]);
}

std::uint32_t Communicators::in_trace(std::uint32_t communicator, std::uint32_t& index) {
  if (index != kUnused) return index;
  const SharedCommunicator& about = table_.all()[communicator];
  std::vector<std::int32_t> members = about.members;
  members.insert(members.end(), about.other.begin(), about.other.end());
  return index = builder_.communicator(std::move(members));
}

std::uint32_t Communicators::rooted_index(std::uint32_t communicator, std::int32_t root) {
  const auto [at, is_new] = rooted_.try_emplace({communicator, root}, 0);
  if (!is_new) return at->second;
  const SharedCommunicator& about = table_.all()[communicator];
  const bool in_first = std::ranges::find(about.members, root) != about.members.end();
  std::vector<std::int32_t> members{root};
  const WorldRanks& group = in_first ? about.other : about.members;
  members.insert(members.end(), group.begin(), group.end());
  return at->second = builder_.communicator(std::move(members));
}

std::size_t Communicators::size(std::uint32_t communicator) const {
  const SharedCommunicator& about = table_.all()[communicator];
  return about.members.size() + about.other.size();
}

std::int32_t Communicators::rank_in(std::uint32_t communicator, std::int32_t world_rank) const {
  return static_cast<std::int32_t>(table_.place(communicator, world_rank, world_rank).value_or(0));
}

}  // namespace parcast::trace
