// SPDX-License-Identifier: Apache-2.0
#include "patterns/testing/generated_segments.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "trace/builder.h"

namespace parcast::program {
namespace {

using recording::Pattern;
using trace::Kind;

/// One operation of a rank; a rank's operations follow each other.
struct Deed {
  enum class What { send, receive, send_receive, all_at_once, collective } what = What::send;
  std::vector<std::pair<std::int32_t, std::uint64_t>> to;  // receivers and bytes; receivers below 0: none
  std::vector<std::int32_t> from;
  Pattern pattern = Pattern::none;
  std::uint32_t communicator = 0;
  std::int32_t root = 0;
};
using Script = std::vector<std::vector<Deed>>;  // by rank

Deed send(std::int32_t to, std::uint64_t bytes) {
  return {Deed::What::send, {{to, bytes}}, {}};
}
Deed receive(std::int32_t from) {
  return {Deed::What::receive, {}, {from}};
}
Deed send_receive(std::int32_t to, std::uint64_t bytes, std::int32_t from) {
  return {Deed::What::send_receive, {{to, bytes}}, {from}};
}

class Author {
 public:
  explicit Author(std::uint64_t number) : random_(number * 2654435761U + 17) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }
  bool coin() { return below(2) == 0; }
  std::uint64_t size() { return std::uint64_t{8} << below(12); }

  /// Makes a trace of one region with `rounds` rounds of the script.
  trace::Trace trace_of(const Script& script, int rounds,
                        const std::vector<std::vector<std::int32_t>>& communicators) {
    trace::Builder builder("segment", static_cast<std::int32_t>(script.size()));
    std::vector<std::uint32_t> numbers{0};
    for (const auto& members : communicators) numbers.push_back(builder.communicator(members));
    const auto at = builder.place({"main/segment", "work", "work.c", 10, "MPI_Send"});
    for (std::size_t r = 0; r < script.size(); ++r) {
      trace::RankBuilder rank(builder, static_cast<std::int32_t>(r));
      for (int round = 0; round < rounds; ++round) {
        rank.add_compute(1000);
        for (const Deed& deed : script[r]) write(rank, deed, static_cast<std::int32_t>(r), at, numbers);
      }
      (void)rank.finish();
    }
    return builder.finish();
  }

 private:
  static void write(trace::RankBuilder& rank, const Deed& deed, std::int32_t own, std::uint32_t at,
                    const std::vector<std::uint32_t>& numbers) {
    const auto ranks = static_cast<std::int32_t>(1 << 30);
    const bool now = deed.what == Deed::What::send || deed.what == Deed::What::receive;
    if (deed.what == Deed::What::collective)
      return rank.add({.kind = Kind::collective,
                       .pattern = deed.pattern,
                       .communicator = numbers[deed.communicator],
                       .root = deed.root,
                       .bytes = deed.to[0].second,
                       .place = at});
    std::vector<std::uint64_t> open;
    for (const std::int32_t from : deed.from) {
      if (from < 0 || from >= ranks) continue;
      rank.add({.kind = now ? Kind::receive : Kind::start_receive, .peer = from - own, .place = at});
      if (!now) open.push_back(rank.begun());
    }
    for (const auto& [to, bytes] : deed.to) {
      if (to < 0 || to >= ranks) continue;
      rank.add({.kind = now ? Kind::send : Kind::start_send, .peer = to - own, .bytes = bytes, .place = at});
      if (!now) open.push_back(rank.begun());
    }
    if (!open.empty()) rank.add_wait(open, at);
  }

  std::mt19937_64 random_;
};

/// A segment under construction.
struct Draft {
  Script script;
  MessagePattern pattern = MessagePattern::none;
  std::string how;
  std::vector<std::vector<std::int32_t>> communicators;

  std::int32_t p() const { return static_cast<std::int32_t>(script.size()); }
  std::vector<Deed>& rank(std::int32_t r) { return script[static_cast<std::size_t>(r)]; }
};

/// With few ranks several patterns are equal; the order of precedence decides which of them it is called.
MessagePattern one_way(std::int32_t p, MessagePattern otherwise) {
  return p == 2 ? MessagePattern::shift : otherwise;
}
MessagePattern both_ways(std::int32_t p, MessagePattern otherwise) {
  return p == 2 ? MessagePattern::exchange : otherwise;
}

/// Each rank sends to to(r) and receives from from(r); -1: no partner. It uses MPI_Sendrecv, or ranks with
/// odd number receive first.
void move_all(Draft& draft, Author& author, std::uint64_t bytes,
              const std::function<std::int32_t(std::int32_t)>& to,
              const std::function<std::int32_t(std::int32_t)>& from, bool odd_first) {
  (void)author;
  for (std::int32_t r = 0; r < draft.p(); ++r) {
    const std::int32_t next = to(r), before = from(r);
    if (!odd_first) {
      draft.rank(r).push_back(send_receive(next, bytes, before));
      continue;
    }
    if (r % 2 == 1 && before >= 0) draft.rank(r).push_back(receive(before));
    if (next >= 0) draft.rank(r).push_back(send(next, bytes));
    if (r % 2 == 0 && before >= 0) draft.rank(r).push_back(receive(before));
  }
}

/// r -> r + k on a line or a ring.
void write_line_shift(Draft& draft, Author& author) {
  const std::int32_t p = draft.p();
  const bool ring = author.coin(), odd_first = author.coin();
  std::int32_t k = 1 + author.below(std::max(1, ring ? p - 1 : p / 2));
  if (!ring && author.coin()) k = -k;
  const auto at = [&](std::int32_t r) { return ring ? (r % p + p) % p : r >= 0 && r < p ? r : -1; };
  move_all(
      draft, author, author.size(), [&](std::int32_t r) { return at(r + k); },
      [&](std::int32_t r) { return at(r - k); }, odd_first);
  draft.how = "shift by " + std::to_string(k) + (ring ? ", periodic" : "") +
              (odd_first ? ", odd ranks receive first" : "");
  draft.pattern = MessagePattern::shift;
  if (ring && 2 * k == p) draft.pattern = MessagePattern::exchange;
  // The only rank between the ends passes on what it received, as in a chain.
  if (p == 3 && !ring && std::abs(k) == 1 && odd_first)
    draft.pattern = k > 0 ? MessagePattern::broadcast : MessagePattern::combine;
}

/// Returns two or three extents of at least 2, whose product is at most 65.
std::vector<std::int32_t> some_extents(Author& author) {
  std::vector<std::int32_t> extents{2 + author.below(5), 2 + author.below(5)};
  if (author.below(3) == 0) {
    for (auto& extent : extents) extent = 2 + extent % 3;
    extents.push_back(2 + author.below(3));
  }
  return extents;
}

struct Place {
  std::array<std::int32_t, 3> at{};
};

std::int32_t ranks_of(const std::vector<std::int32_t>& extents) {
  std::int32_t p = 1;
  for (const std::int32_t extent : extents) p *= extent;
  return p;
}
Place place_of(std::int32_t rank, const std::vector<std::int32_t>& extents) {
  Place place;
  for (int d = static_cast<int>(extents.size()) - 1; d >= 0; --d)
    place.at[static_cast<std::size_t>(d)] = rank % extents[static_cast<std::size_t>(d)],
    rank /= extents[static_cast<std::size_t>(d)];
  return place;
}
std::int32_t rank_at(const Place& place, const std::vector<std::int32_t>& extents) {
  std::int32_t rank = 0;
  for (std::size_t d = 0; d < extents.size(); ++d) rank = rank * extents[d] + place.at[d];
  return rank;
}
std::int32_t moved(std::int32_t rank, const std::vector<std::int32_t>& extents, const std::array<int, 3>& by,
                   const std::array<bool, 3>& periodic) {
  Place place = place_of(rank, extents);
  for (std::size_t d = 0; d < extents.size(); ++d) {
    place.at[d] += by[d];
    if (place.at[d] >= 0 && place.at[d] < extents[d]) continue;
    if (!periodic[d]) return -1;
    place.at[d] = (place.at[d] + extents[d]) % extents[d];
  }
  const std::int32_t to = rank_at(place, extents);
  return to == rank ? -1 : to;
}
std::string text_of(const std::vector<std::int32_t>& extents) {
  std::string text;
  for (const std::int32_t extent : extents) text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

/// One step along one dimension of a grid, or along each of them.
void write_grid_shift(Draft& draft, Author& author) {
  std::vector<std::int32_t> extents = some_extents(author);
  draft.script.assign(static_cast<std::size_t>(ranks_of(extents)), {});
  const bool each = author.coin();
  const std::size_t only = static_cast<std::size_t>(author.below(static_cast<int>(extents.size())));
  std::array<bool, 3> periodic{};
  const bool ring = author.coin();
  const std::uint64_t bytes = author.size();
  bool two = false;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    if (!each && d != only) continue;
    periodic[d] = ring && !(each && extents[d] < 3);  // on a ring of two both directions are the same
    two = two || (periodic[d] && extents[d] == 2);
    std::array<int, 3> by{}, back{};
    by[d] = author.coin() ? 1 : -1, back[d] = -by[d];
    for (std::int32_t r = 0; r < draft.p(); ++r)
      draft.rank(r).push_back(
          send_receive(moved(r, extents, by, periodic), bytes, moved(r, extents, back, periodic)));
  }
  draft.how = "shift in " + text_of(extents) +
              (each ? " along each dimension" : " along " + std::to_string(only)) +
              (ring ? ", periodic" : "");
  draft.pattern = two ? MessagePattern::exchange : MessagePattern::shift;
}

void write_exchange(Draft& draft, Author& author) {
  const int rule = author.below(5);
  if (rule == 4) {
    const int side = 2 + author.below(7);
    draft.script.assign(static_cast<std::size_t>(side * side), {});
  }
  const std::int32_t p = draft.p();
  const auto side = static_cast<std::int32_t>(std::lround(std::sqrt(p)));
  const std::int32_t k = 1 + author.below(p - 1), half = p / 2, first = p > 3 ? author.below(2) : 0;
  const auto partner = [&](std::int32_t r) -> std::int32_t {
    switch (rule) {
      case 0:
        return (r ^ k) < p ? r ^ k : -1;
      case 1:
        return r < first ? -1 : (r - first) % 2 == 0 ? (r + 1 < p ? r + 1 : -1) : r - 1;
      case 2:
        return p - 1 - r == r ? -1 : p - 1 - r;
      case 3:
        return r < half ? r + half : r < 2 * half ? r - half : -1;
      default:
        return r / side == r % side ? -1 : r % side * side + r / side;
    }
  };
  const bool blocking = author.coin();
  const std::uint64_t bytes = author.size();
  for (std::int32_t r = 0; r < p; ++r) {
    const std::int32_t with = partner(r);
    if (with < 0) continue;
    if (!blocking)
      draft.rank(r).push_back(send_receive(with, bytes, with));
    else if (r < with)
      draft.rank(r).insert(draft.rank(r).end(), {send(with, bytes), receive(with)});
    else
      draft.rank(r).insert(draft.rank(r).end(), {receive(with), send(with, bytes)});
  }
  static constexpr const char* kRules[] = {"xor", "neighbours", "mirror", "half way", "diagonal"};
  draft.how = std::string("exchange, ") + kRules[rule];
  draft.pattern = MessagePattern::exchange;
}

enum class TreeKind { star, chain, binomial };

/// Returns the children in a tree of p ranks, counted from its root 0.
std::vector<std::int32_t> children_of(std::int32_t own, std::int32_t p, TreeKind kind) {
  std::vector<std::int32_t> out;
  if (kind == TreeKind::star && own == 0)
    for (std::int32_t r = 1; r < p; ++r) out.push_back(r);
  if (kind == TreeKind::chain && own + 1 < p) out.push_back(own + 1);
  if (kind == TreeKind::binomial) {
    std::int32_t mask = 1;
    while (mask < p && (own & mask) == 0) mask *= 2;
    for (mask /= 2; mask > 0; mask /= 2)
      if (own + mask < p) out.push_back(own + mask);
  }
  return out;
}
std::int32_t parent_of(std::int32_t own, std::int32_t p, TreeKind kind) {
  for (std::int32_t r = 0; r < p; ++r) {
    const auto children = children_of(r, p, kind);
    if (std::find(children.begin(), children.end(), own) != children.end()) return r;
  }
  return -1;
}

TreeKind some_tree(Author& author) {
  return static_cast<TreeKind>(author.below(3));
}
std::string word_of(TreeKind kind) {
  return kind == TreeKind::star ? "star" : kind == TreeKind::chain ? "chain" : "binomial tree";
}

void send_down(Draft& draft, std::int32_t root, TreeKind kind, std::uint64_t bytes, bool parts) {
  const std::int32_t p = draft.p();
  const auto rank_of = [&](std::int32_t own) { return (own + root) % p; };
  for (std::int32_t own = 0; own < p; ++own) {
    if (own > 0) draft.rank(rank_of(own)).push_back(receive(rank_of(parent_of(own, p, kind))));
    for (const std::int32_t child : children_of(own, p, kind))
      draft.rank(rank_of(own))
          .push_back(send(rank_of(child), parts ? bytes * static_cast<std::uint64_t>(child) : bytes));
  }
}

void send_up(Draft& draft, std::int32_t root, TreeKind kind, std::uint64_t bytes) {
  const std::int32_t p = draft.p();
  const auto rank_of = [&](std::int32_t own) { return (own + root) % p; };
  for (std::int32_t own = 0; own < p; ++own) {
    auto children = children_of(own, p, kind);
    std::reverse(children.begin(), children.end());
    for (const std::int32_t child : children) draft.rank(rank_of(own)).push_back(receive(rank_of(child)));
    if (own > 0) draft.rank(rank_of(own)).push_back(send(rank_of(parent_of(own, p, kind)), bytes));
  }
}

void write_collective(Draft& draft, Author& author, Pattern pattern, const std::string& name) {
  const std::uint64_t bytes = author.size();
  const std::int32_t root = author.below(draft.p());
  for (auto& rank : draft.script)
    rank.push_back({Deed::What::collective, {{-1, bytes}}, {}, pattern, 0, root});
  draft.how = "MPI " + name;
}

void write_broadcast(Draft& draft, Author& author) {
  draft.pattern = MessagePattern::broadcast;
  if (author.below(4) == 0) {
    const bool parts = author.coin();
    return write_collective(draft, author, parts ? Pattern::scatter : Pattern::broadcast,
                            parts ? "scatter" : "broadcast");
  }
  const TreeKind kind = some_tree(author);
  const std::int32_t root = author.below(draft.p());
  const bool parts = kind == TreeKind::star && author.below(4) == 0;
  send_down(draft, root, kind, author.size(), parts);
  draft.how = word_of(kind) + " from " + std::to_string(root) + (parts ? ", parts" : "");
  draft.pattern = one_way(draft.p(), draft.pattern);
}

void write_doubling(Draft& draft, std::uint64_t bytes) {
  const std::int32_t p = draft.p();
  std::int32_t power = 1;
  while (power * 2 <= p) power *= 2;
  const std::int32_t extra = p - power;
  for (std::int32_t r = 0; r < p; ++r) {
    auto& deeds = draft.rank(r);
    if (r < 2 * extra && r % 2 == 0) {
      deeds.insert(deeds.end(), {send(r + 1, bytes), receive(r + 1)});
      continue;
    }
    const std::int32_t own = r < 2 * extra ? r / 2 : r - extra;
    if (r < 2 * extra) deeds.push_back(receive(r - 1));
    for (std::int32_t mask = 1; mask < power; mask *= 2) {
      const std::int32_t other = own ^ mask, with = other < extra ? 2 * other + 1 : other + extra;
      deeds.push_back(send_receive(with, bytes, with));
    }
    if (r < 2 * extra) deeds.push_back(send(r - 1, bytes));
  }
}

void write_combine(Draft& draft, Author& author) {
  draft.pattern = MessagePattern::combine;
  const std::int32_t p = draft.p();
  const std::int32_t root = author.below(p);
  const TreeKind kind = some_tree(author);
  switch (author.below(5)) {
    case 0: {
      static constexpr std::pair<Pattern, const char*> kAll[] = {{Pattern::reduce, "reduce"},
                                                                 {Pattern::allreduce, "allreduce"},
                                                                 {Pattern::gather, "gather"},
                                                                 {Pattern::allgather, "allgather"},
                                                                 {Pattern::scan, "scan"}};
      const auto& [pattern, name] = kAll[author.below(5)];
      return write_collective(draft, author, pattern, name);
    }
    case 1:
      send_up(draft, root, kind, author.size());
      draft.how = word_of(kind) + " to " + std::to_string(root);
      draft.pattern = one_way(p, draft.pattern);
      return;
    case 2: {
      const std::uint64_t bytes = author.size();
      send_up(draft, root, kind, bytes);
      send_down(draft, root, kind, bytes, false);
      draft.how = word_of(kind) + " to " + std::to_string(root) + " and back";
      draft.pattern = both_ways(p, draft.pattern);
      return;
    }
    case 3:
      write_doubling(draft, author.size());
      draft.how = "recursive doubling";
      draft.pattern = both_ways(p, draft.pattern);
      return;
    default:
      break;
  }
  const std::uint64_t bytes = author.size();
  for (std::int32_t far = 1; far < p; far *= 2)
    for (std::int32_t r = 0; r < p; ++r)
      draft.rank(r).push_back(send_receive((r + far) % p, bytes, (r - far % p + p) % p));
  draft.how = "dissemination";
  draft.pattern = p == 3 ? MessagePattern::halo : both_ways(p, draft.pattern);
}

/// Adds a halo along a line or a ring.
void write_line_halo(Draft& draft, Author& author) {
  const std::int32_t p = draft.p();
  const bool ring = author.coin(), at_once = author.coin();
  const std::uint64_t bytes = author.size();
  for (std::int32_t r = 0; r < p; ++r) {
    const std::int32_t left = r > 0 ? r - 1 : ring ? p - 1 : -1, right = r + 1 < p ? r + 1 : ring ? 0 : -1;
    if (at_once)
      draft.rank(r).push_back({Deed::What::all_at_once, {{left, bytes}, {right, bytes}}, {left, right}});
    else
      draft.rank(r).insert(draft.rank(r).end(),
                           {send_receive(left, bytes, right), send_receive(right, bytes, left)});
  }
  draft.how = std::string("halo on a ") + (ring ? "ring" : "line") + (at_once ? ", nonblocking" : "");
  draft.pattern = both_ways(p, MessagePattern::halo);
}

void write_grid_halo(Draft& draft, Author& author) {
  const std::vector<std::int32_t> extents = some_extents(author);
  draft.script.assign(static_cast<std::size_t>(ranks_of(extents)), {});
  std::array<bool, 3> periodic{};
  for (std::size_t d = 0; d < extents.size(); ++d) periodic[d] = author.coin();
  const bool corners = author.below(3) == 0, at_once = corners || author.coin(),
             small_corners = author.below(4) > 0;
  const std::uint64_t bytes = 64 * author.size();
  const auto length = [&](const std::array<int, 3>& by) {
    int along = 0;
    for (const int each : by) along += std::abs(each);
    return along;
  };
  std::vector<std::array<int, 3>> all;
  for (std::size_t d = 0; d < extents.size(); ++d)
    for (const int step : {-1, 1}) {
      std::array<int, 3> by{};
      by[d] = step;
      all.push_back(by);
    }
  if (corners)
    for (int code = 0; code < 27; ++code)
      if (const std::array<int, 3> by{code / 9 - 1, code / 3 % 3 - 1, code % 3 - 1};
          length(by) > 1 && (extents.size() == 3 || by[2] == 0))
        all.push_back(by);
  std::map<std::pair<std::int32_t, std::int32_t>, int> pairs;  // number of messages of each pair
  for (std::int32_t r = 0; r < draft.p(); ++r) {
    Deed together{Deed::What::all_at_once, {}, {}};
    for (const auto& by : all) {
      const std::array<int, 3> back{-by[0], -by[1], -by[2]};
      const std::int32_t to = moved(r, extents, by, periodic), from = moved(r, extents, back, periodic);
      const std::uint64_t part = length(by) > 1 && small_corners ? 8 : bytes;
      if (to >= 0) ++pairs[{r, to}];
      together.to.emplace_back(to, part), together.from.push_back(from);
      if (!at_once) draft.rank(r).push_back(send_receive(to, part, from));
    }
    if (at_once) draft.rank(r).push_back(together);
  }
  const auto p = static_cast<std::size_t>(draft.p());
  draft.how =
      "halo in " + text_of(extents) + (corners ? ", with corners" : "") + (at_once ? ", nonblocking" : "");
  draft.pattern = MessagePattern::halo;
  const bool alike = std::all_of(pairs.begin(), pairs.end(),
                                 [&](const auto& pair) { return pair.second == pairs.begin()->second; });
  if (pairs.size() == p * (p - 1) && alike && corners && !small_corners)
    draft.pattern = MessagePattern::transpose;
}

/// Adds an all-to-all among the members of each group.
void write_transpose(Draft& draft, Author& author) {
  std::vector<std::vector<std::int32_t>> groups;
  const bool in_groups = author.coin();
  if (in_groups) {
    const std::vector<std::int32_t> extents{2 + author.below(7), 2 + author.below(7)};
    draft.script.assign(static_cast<std::size_t>(ranks_of(extents)), {});
    const bool rows = author.coin();
    groups.resize(static_cast<std::size_t>(rows ? extents[0] : extents[1]));
    for (std::int32_t r = 0; r < draft.p(); ++r)
      groups[static_cast<std::size_t>(rows ? r / extents[1] : r % extents[1])].push_back(r);
    draft.how = std::string("transpose in ") + (rows ? "rows" : "columns") + " of " + text_of(extents);
  } else {
    groups.emplace_back();
    for (std::int32_t r = 0; r < draft.p(); ++r) groups.back().push_back(r);
    draft.how = "transpose";
  }
  const auto q = static_cast<std::int32_t>(groups.front().size());
  const int way = author.below(3);
  const std::uint64_t bytes = author.size();
  draft.pattern = MessagePattern::transpose;
  for (const auto& group : groups) {
    if (way == 0) draft.communicators.push_back(group);
    for (std::int32_t own = 0; own < q; ++own) {
      auto& deeds = draft.rank(group[static_cast<std::size_t>(own)]);
      Deed together{Deed::What::all_at_once, {}, {}};
      for (std::int32_t k = 1; k < q; ++k) {
        const std::int32_t to = group[static_cast<std::size_t>((own + k) % q)],
                           from = group[static_cast<std::size_t>((own - k + q) % q)];
        if (way == 1) deeds.push_back(send_receive(to, bytes, from));
        together.to.emplace_back(to, bytes), together.from.push_back(from);
      }
      if (way == 0)
        deeds.push_back({Deed::What::collective,
                         {{-1, bytes}},
                         {},
                         Pattern::alltoall,
                         static_cast<std::uint32_t>(draft.communicators.size()),
                         0});
      if (way == 2) deeds.push_back(together);
    }
  }
  draft.how += way == 0 ? ", MPI" : way == 1 ? ", pair by pair" : ", nonblocking";
  if (way > 0)
    draft.pattern = q == 2   ? MessagePattern::exchange
                    : q == 3 ? MessagePattern::halo
                             : MessagePattern::transpose;
}

void write_pattern(Draft& draft, Author& author, MessagePattern pattern) {
  switch (pattern) {
    case MessagePattern::none:
      if (author.coin()) write_collective(draft, author, Pattern::barrier, "barrier");
      return;
    case MessagePattern::exchange:
      return write_exchange(draft, author);
    case MessagePattern::shift:
      return author.below(3) == 0 ? write_grid_shift(draft, author) : write_line_shift(draft, author);
    case MessagePattern::broadcast:
      return write_broadcast(draft, author);
    case MessagePattern::combine:
      return write_combine(draft, author);
    case MessagePattern::halo:
      return author.below(4) == 0 ? write_line_halo(draft, author) : write_grid_halo(draft, author);
    case MessagePattern::transpose:
      return write_transpose(draft, author);
    case MessagePattern::irregular:
      return;
  }
}

/// Adds messages between random ranks, or a pattern with other messages added.
void write_irregular(Draft& draft, Author& author) {
  const int kind = author.below(3);
  const std::uint64_t bytes = author.size();
  std::set<std::pair<std::int32_t, std::int32_t>> taken;
  if (kind > 0) {
    do {
      draft = {Script(static_cast<std::size_t>(8 + author.below(58))), MessagePattern::none, "", {}};
      write_pattern(draft, author, static_cast<MessagePattern>(1 + author.below(6)));
    } while (draft.p() < 8 || draft.how.find("MPI") != std::string::npos ||
             draft.how.find("parts") != std::string::npos);
    draft.how += kind == 1 ? ", and other messages" : ", one message twice";
    for (std::int32_t r = 0; r < draft.p(); ++r)
      for (const Deed& deed : draft.rank(r))
        for (const auto& [to, unused] : deed.to)
          if (to >= 0) taken.emplace(r, to);
  } else {
    draft.how = "at random";
  }
  draft.pattern = MessagePattern::irregular;
  const std::int32_t p = draft.p();
  const auto add = [&](std::int32_t from, std::int32_t to) {
    draft.rank(from).push_back(send(to, bytes));
    draft.rank(to).push_back(receive(from));
  };
  // no other pair is left
  if (kind == 2 || taken.size() == static_cast<std::size_t>(p) * static_cast<std::size_t>(p - 1)) {
    auto at = taken.begin();
    std::advance(at, author.below(static_cast<int>(taken.size())));
    return add(at->first, at->second);
  }
  for (int left = kind == 0 ? p + author.below(2 * p) : 2 + author.below(5), tries = 0;
       left > 0 && tries < 1000; ++tries) {
    const std::int32_t from = author.below(p), to = author.below(p);
    if (from == to || !taken.emplace(from, to).second) continue;
    add(from, to);
    --left;
  }
}

bool prime(int n) {
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return true;
}

}  // namespace

GeneratedSegment generated_segment(std::uint64_t number) {
  Author author(number);
  const auto pattern = static_cast<MessagePattern>(number % kMessagePatterns);
  int p = 2 + author.below(64);
  if (author.coin()) p = 2 + p % 9;  // patterns resemble each other most on few ranks
  while (number / kMessagePatterns % 3 == 0 && !prime(p)) p = 2 + author.below(64);
  if (pattern == MessagePattern::irregular) p = std::max(p, 8);
  Draft draft{Script(static_cast<std::size_t>(p)), pattern, "", {}};
  if (pattern == MessagePattern::irregular)
    write_irregular(draft, author);
  else
    write_pattern(draft, author, pattern);
  const int rounds = 1 + author.below(4);
  return {author.trace_of(draft.script, rounds, draft.communicators), draft.pattern,
          draft.how + ", " + std::to_string(draft.p()) + " ranks, " + std::to_string(rounds) + " rounds"};
}

}  // namespace parcast::program
