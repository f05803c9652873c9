// SPDX-License-Identifier: Apache-2.0
#include "build_model/peers.h"

#include <gtest/gtest.h>

#include <functional>
#include <list>

#include "base/checked.h"
#include "model/binding.h"

namespace parcast::program {
namespace {

using recording::kNoPeer;
using Amounts = std::vector<std::int64_t>;
using PartnerOf = std::function<std::int64_t(const Place&)>;

class Observed {
 public:
  void add(std::int32_t p, std::int32_t r, std::int32_t peer, std::int64_t times = 1) {
    for (PeerObservation& o : all_)
      if (o.place.p == p && o.place.r == r) {
        const_cast<CallTotals*>(o.totals)->peers[peer] += times;
        return;
      }
    totals_.emplace_back().peers[peer] = times;
    all_.push_back({&totals_.back(), place_at({}, p, r, grids_)});
  }
  Observed(std::vector<ProcessGrid> grids = {}) : grids_(std::move(grids)) {}
  // Every rank of these process counts. A rank outside 0..p-1 means no partner.
  Observed(const std::vector<std::int32_t>& processes, const PartnerOf& partner_of,
           std::vector<ProcessGrid> grids = {})
      : grids_(std::move(grids)) {
    for (const std::int32_t p : processes)
      for (std::int32_t r = 0; r < p; ++r) {
        const std::int64_t peer = partner_of(place_at({}, p, r, grids_));
        add(p, r, peer < 0 || peer >= p ? kNoPeer : static_cast<std::int32_t>(peer));
      }
  }
  Relation relation(bool collective = false) const { return find_relation(all_, grids_, collective); }
  std::list<CallTotals>& totals() { return totals_; }

 private:
  std::vector<ProcessGrid> grids_;
  std::list<CallTotals> totals_;
  std::vector<PeerObservation> all_;
};

// Checks that the relation gives the same partners at process counts that were not observed.
void expect_partners(const Relation& relation, const PartnerOf& partner_of,
                     const std::vector<ProcessGrid>& grids = {}) {
  for (const std::int32_t p : {5, 16, 25, 36})
    for (std::int32_t r = 0; r < p; ++r) {
      const Place place = place_at({}, p, r, grids);
      const std::int64_t peer = partner_of(place);
      EXPECT_EQ(partner(relation, place, 0), peer < 0 || peer >= p ? kNoPeer : peer)
          << "rank " << r << " of " << p;
    }
}

const std::vector<std::int32_t> kProcesses{1, 2, 3, 4, 6, 8, 9};

TEST(Peers, TheNextRankOfALineIsAnOffset) {
  const PartnerOf next = [](const Place& at) { return at.r + 1; };
  const Relation relation = Observed(kProcesses, next).relation();
  EXPECT_EQ(relation.relation, PeerRelation::offset);
  EXPECT_EQ(relation.amounts, Amounts{1});
  expect_partners(relation, next);
}

TEST(Peers, TheNextRankOfARingWrapsAround) {
  for (const std::int64_t k : {1, -1, 2, -3}) {
    const PartnerOf next = [k](const Place& at) { return floor_modulo(at.r + k, at.p); };
    const Relation relation = Observed(kProcesses, next).relation();
    EXPECT_EQ(relation.relation, PeerRelation::offset_ring);
    EXPECT_EQ(relation.amounts, Amounts{k});
    expect_partners(relation, next);
  }
}

TEST(Peers, AHypercubesPartnerIsAnExclusiveOr) {
  const PartnerOf across = [](const Place& at) { return at.r ^ 2; };
  const Relation relation = Observed({1, 2, 3, 4, 8}, across).relation();
  EXPECT_EQ(relation.relation, PeerRelation::exclusive_or);
  EXPECT_EQ(relation.amounts, Amounts{2});
  expect_partners(relation, across);
}

PartnerOf shift(int dimension, int by, int dimensions, bool periodic) {
  return [=](const Place& at) -> std::int64_t {
    const auto d = static_cast<std::size_t>(dimensions), k = static_cast<std::size_t>(dimension);
    auto c = at.coordinates[d];
    c[k] += by;
    if (!periodic && (c[k] < 0 || c[k] >= at.extents[d][k])) return -1;
    c[k] = floor_modulo(c[k], at.extents[d][k]);
    std::int64_t rank = 0;
    for (std::size_t i = 0; i < d; ++i) rank = rank * at.extents[d][i] + c[i];
    return rank;
  };
}

TEST(Peers, ShiftsOnARecordedGridAreFoundInEveryDimensionAndDirection) {
  for (const int dimensions : {2, 3})
    for (int dimension = 0; dimension < dimensions; ++dimension)
      for (const int by : {1, -1})
        for (const bool periodic : {true, false}) {
          ProcessGrid grid{
              dimensions, true, {}, std::vector<bool>(static_cast<std::size_t>(dimensions), periodic)};
          const PartnerOf moved = shift(dimension, by, dimensions, periodic);
          const Relation relation = Observed({1, 2, 4, 6, 8, 12, 27}, moved, {grid}).relation();
          EXPECT_EQ(relation.relation, PeerRelation::grid_shift);
          EXPECT_EQ(relation.amounts, (Amounts{dimension, by, dimensions, periodic}));
          expect_partners(relation, moved, {grid});
        }
}

TEST(Peers, AGridThatNobodyRecordedIsStillFound) {
  const PartnerOf moved = shift(0, 1, 2, true);
  const Relation relation = Observed({4, 6, 8, 9, 12}, moved).relation();
  EXPECT_EQ(relation.relation, PeerRelation::grid_shift);
  expect_partners(relation, moved);
}

TEST(Peers, AllTalkingToOneRankIsARoot) {
  const Relation relation = Observed({2, 3, 5}, [](const Place&) { return 1; }).relation();
  EXPECT_EQ(relation.relation, PeerRelation::fixed);
  EXPECT_EQ(relation.amounts, Amounts{1});
}

TEST(Peers, TheRootOfACollectiveIsFixed) {
  const Relation relation = Observed({1, 2, 4}, [](const Place&) { return 0; }).relation(true);
  EXPECT_EQ(relation.relation, PeerRelation::fixed);
  EXPECT_EQ(relation.amounts, Amounts{0});
}

TEST(Peers, ARootThatAdvancesWithEachExecutionIsCyclic) {
  Observed observed;
  for (const std::int32_t p : {2, 3})
    for (std::int32_t r = 0; r < p; ++r)
      for (std::int32_t k = 0; k < 6; ++k) observed.add(p, r, (k + 1) % p);
  for (CallTotals& totals : observed.totals()) totals.first_root = 1;
  const Relation relation = observed.relation(true);
  ASSERT_EQ(relation.relation, PeerRelation::cyclic_root);
  EXPECT_EQ(relation.amounts, Amounts{1});
  const Place place = place_at({}, 5, 3, {});
  for (std::int64_t k = 0; k < 12; ++k) EXPECT_EQ(partner(relation, place, k), (k + 1) % 5);
}

TEST(Peers, ACallWithoutPartnersHasNoRelation) {
  EXPECT_EQ(Observed({1, 2, 4}, [](const Place&) { return -1; }).relation().relation, PeerRelation::none);
  EXPECT_EQ(find_relation({}, {}, false).relation, PeerRelation::none);
}

TEST(Peers, IrregularPartnersAreListedMostFrequentFirst) {
  Observed observed;
  for (std::int32_t r = 0; r < 4; ++r) {
    observed.add(5, r, (r + 1) % 5, 2);
    observed.add(5, r, (r + 3) % 5, r == 0 ? 9 : 1);
  }
  const Relation relation = observed.relation();
  EXPECT_EQ(relation.relation, PeerRelation::several);
  ASSERT_FALSE(relation.amounts.empty());
  EXPECT_EQ(relation.amounts[0], 3);  // 9 + 1 times: from rank 0 and from rank 1
  EXPECT_EQ(relation.amounts[1], 1);  // 8 times
  EXPECT_EQ(partner(relation, place_at({}, 5, 0, {}), 0), kNoPeer);
}

TEST(Peers, AWildcardIsNoRegularPartner) {
  Observed observed;
  for (std::int32_t r = 0; r < 3; ++r) observed.add(3, r, recording::kAnySource);
  EXPECT_EQ(observed.relation().relation, PeerRelation::several);
}

TEST(Peers, APartnerOutsideOfTheWorldIsNone) {
  const Place last = place_at({}, 4, 3, {});
  EXPECT_EQ(partner({PeerRelation::offset, {1}}, last, 0), kNoPeer);
  EXPECT_EQ(partner({PeerRelation::offset, {-4}}, last, 0), kNoPeer);
  EXPECT_EQ(partner({PeerRelation::offset_ring, {1}}, last, 0), 0);
  EXPECT_EQ(partner({PeerRelation::exclusive_or, {4}}, last, 0), kNoPeer);
  EXPECT_EQ(partner({PeerRelation::fixed, {7}}, last, 0), kNoPeer);
  EXPECT_EQ(partner({PeerRelation::fixed, {2}}, last, 0), 2);
}

}  // namespace
}  // namespace parcast::program
