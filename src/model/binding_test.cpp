// SPDX-License-Identifier: Apache-2.0
#include "model/binding.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "model/place.h"

namespace parcast::program {
namespace {

using Extents = std::vector<std::int32_t>;

Count count_of(const char* expression, Origin origin = Origin::exact) {
  const std::vector<Parameter> parameters{{"n", {}}, {"steps", {}}};
  Count count;
  count.expression = symbolic::parse(expression, symbol_kinds(parameters)).value();
  count.origin = origin;
  return count;
}

// Returns a model of halo exchange steps on a grid, an allreduce, and a region, which is not a call.
Model halo() {
  Model model;
  model.program = "halo";
  model.parameters = {{"n", {16, 32, 64}}, {"steps", {10, 20, 40}}};
  model.processes = {1, 2, 4, 8};
  Node root;
  root.id = 0;
  root.executions = count_of("1");
  root.children = {1, 2, 3};
  Node region;
  region.id = 1;
  region.parent = 0;
  region.kind = NodeKind::call;
  region.label = "parcast_region_begin";
  region.call_class = recording::CallClass::region_begin;
  region.executions = count_of("1");
  for (Count* zero : {&region.messages, &region.bytes, &region.collective_bytes}) *zero = count_of("0");
  Node exchange = region;
  exchange.id = 2;
  exchange.label = "MPI_Sendrecv";
  exchange.call_class = recording::CallClass::send_receive;
  exchange.executions = count_of("2*steps");
  exchange.messages = count_of("2*steps");
  exchange.bytes = count_of("16*steps*floor((n + g2_1 - 1 - c2_1)/g2_1)");
  Node reduce = region;
  reduce.id = 3;
  reduce.label = "MPI_Allreduce";
  reduce.call_class = recording::CallClass::collective;
  reduce.executions = count_of("steps");
  reduce.collective_bytes = count_of("8*steps");
  model.nodes = {root, region, exchange, reduce};
  return model;
}

TEST(Binding, ExtentsOfAGridAreThoseOfDimsCreate) {
  EXPECT_EQ(balanced_dimensions(1, 2), (Extents{1, 1}));
  EXPECT_EQ(balanced_dimensions(7, 2), (Extents{7, 1}));
  EXPECT_EQ(balanced_dimensions(12, 2), (Extents{4, 3}));
  EXPECT_EQ(balanced_dimensions(48, 2), (Extents{8, 6}));
  EXPECT_EQ(balanced_dimensions(36, 2), (Extents{6, 6}));
  EXPECT_EQ(balanced_dimensions(8, 3), (Extents{2, 2, 2}));
  EXPECT_EQ(balanced_dimensions(24, 3), (Extents{4, 3, 2}));
  EXPECT_EQ(balanced_dimensions(60, 3), (Extents{5, 4, 3}));
}

TEST(Binding, ExtentsMultiplyToTheProcessCountAndDescend) {
  for (std::int32_t p = 1; p <= 600; ++p)
    for (int d = 1; d <= 3; ++d) {
      const Extents extents = balanced_dimensions(p, d);
      ASSERT_EQ(extents.size(), static_cast<std::size_t>(d));
      std::int32_t product = 1;
      for (const std::int32_t e : extents) product *= e;
      ASSERT_EQ(product, p);
      ASSERT_TRUE(std::is_sorted(extents.rbegin(), extents.rend()));
    }
}

TEST(Binding, CoordinatesCountTheLastDimensionFastest) {
  for (std::int32_t r = 0; r < 24; ++r) {
    const Place place = place_at({}, 24, r, {});
    const auto& c = place.coordinates[3];
    EXPECT_EQ((c[0] * 3 + c[1]) * 2 + c[2], r);  // 4 x 3 x 2
    EXPECT_LT(c[1], 3);
    EXPECT_LT(c[2], 2);
  }
}

TEST(Binding, ARecordedGridIsTakenAsItWas) {
  const ProcessGrid grid{2, false, {{12, {2, 6}}}, {true, false}};
  EXPECT_EQ(extents_at({grid}, 2, 12), (Extents{2, 6}));
  EXPECT_EQ(extents_at({grid}, 2, 6), (Extents{3, 2}));
  EXPECT_EQ(place_at({}, 12, 7, {grid}).coordinates[2][0], 1);
  EXPECT_EQ(place_at({}, 12, 7, {grid}).coordinates[2][1], 1);
}

TEST(Binding, EverySymbolHasItsValue) {
  const auto binding = bind(halo(), {{{"n", 50}, {"steps", 7}}, 12}, 7);
  ASSERT_TRUE(binding);
  const symbolic::Binding expected{{"n", 50},    {"steps", 7}, {"p", 12},   {"r", 7},
                                   {"g1_0", 12}, {"c1_0", 7},  {"g2_0", 4}, {"g2_1", 3},
                                   {"c2_0", 2},  {"c2_1", 1},  {"g3_0", 3}, {"g3_1", 2},
                                   {"g3_2", 2},  {"c3_0", 1},  {"c3_1", 1}, {"c3_2", 1}};
  EXPECT_EQ(*binding, expected);
}

TEST(Binding, AQuestionOutsideOfTheModelIsRefusedWithItsReason) {
  const Model model = halo();
  const Point good{{{"n", 50}, {"steps", 7}}, 4};
  EXPECT_TRUE(bind(model, good, 3));
  EXPECT_THAT(bind(model, good, 4).error().what, ::testing::HasSubstr("rank 4 is not one of 4 processes"));
  EXPECT_THAT(bind(model, good, -1).error().what, ::testing::HasSubstr("rank -1"));
  EXPECT_THAT(bind(model, {good.parameters, 0}, 0).error().what, ::testing::HasSubstr("process count is 0"));
  const auto missing = bind(model, {{{"n", 50}}, 4}, 0);
  ASSERT_FALSE(missing);
  EXPECT_THAT(missing.error().what, ::testing::HasSubstr("steps has no value"));
  EXPECT_EQ(missing.error().where, "halo");
  EXPECT_THAT(predict_counts(model, {good.parameters, -3}).error().what,
              ::testing::HasSubstr("process count is -3"));
}

TEST(Binding, AnAmbiguousCountSpansItsCandidates) {
  Count count = count_of("n*p", Origin::ambiguous);
  count.alternatives = {count_of("n*p^2").expression, count_of("n + n*log2(p)").expression};
  const auto value = value_of(count, {{"n", 10}, {"p", 4}});
  ASSERT_TRUE(value);
  EXPECT_EQ(value->value, 40);
  EXPECT_EQ(value->low, 30);
  EXPECT_EQ(value->high, 160);
  EXPECT_EQ(value->origin, Origin::ambiguous);
}

TEST(Binding, AFittedCountSpansItsErrorAndIsNeverNegative) {
  Count count = count_of("100", Origin::fitted);
  count.relative_error = 0.25;
  auto value = value_of(count, {});
  ASSERT_TRUE(value);
  EXPECT_EQ(value->low, 75);
  EXPECT_EQ(value->high, 125);
  count.relative_error = 3;
  value = value_of(count, {});
  ASSERT_TRUE(value);
  EXPECT_EQ(value->low, 0);
}

TEST(Binding, AQuotientIsExactWhereDoublesAreNot) {
  // 7 * (1 / 7 * 49) and the like: floor(n / p) must keep the whole number.
  const Count count = count_of("floor(n/p)");
  for (double n = 1; n <= 500; ++n)
    for (double p = 1; p <= 50; ++p) {
      const auto value = value_of(count, {{"n", n}, {"p", p}});
      ASSERT_TRUE(value);
      ASSERT_EQ(value->value, static_cast<double>(static_cast<int>(n) / static_cast<int>(p)));
    }
}

TEST(Binding, ACountWithoutAValueIsAnError) {
  EXPECT_FALSE(value_of(count_of("n/(p - 4)"), {{"n", 10}, {"p", 4}}));
  EXPECT_FALSE(value_of(count_of("n"), {{"p", 4}}));
}

TEST(Binding, PredictedTotalsAreSumsOverCallsWithoutRegionMarks) {
  // 4 processes form a 2 x 2 grid; 33 columns are 17 and 16.
  const auto all = predict_counts(halo(), {{{"n", 33}, {"steps", 10}}, 4});
  ASSERT_TRUE(all);
  ASSERT_EQ(all->size(), 4u);
  for (std::int32_t r = 0; r < 4; ++r) {
    const PredictedCounts& counts = (*all)[static_cast<std::size_t>(r)];
    EXPECT_EQ(counts.rank, r);
    ASSERT_EQ(counts.calls.size(), 2u);
    EXPECT_EQ(counts.calls.at("MPI_Sendrecv").value, 20);
    EXPECT_EQ(counts.calls.at("MPI_Allreduce").value, 10);
    EXPECT_EQ(counts.messages_sent.value, 20);
    EXPECT_EQ(counts.bytes_sent.value, 16 * 10 * (r % 2 == 0 ? 17 : 16));
    EXPECT_EQ(counts.collective_bytes.value, 80);
    EXPECT_EQ(counts.bytes_sent.origin, Origin::exact);
  }
}

TEST(Binding, ASumIsAsSureAsItsLeastSurePart) {
  Model model = halo();
  model.nodes[3].collective_bytes.origin = Origin::fitted;
  model.unfollowed["MPI_Put"] = count_of("n", Origin::ambiguous);
  const auto all = predict_counts(model, {{{"n", 33}, {"steps", 10}}, 4});
  ASSERT_TRUE(all);
  EXPECT_EQ(all->front().collective_bytes.origin, Origin::fitted);
  EXPECT_EQ(all->front().calls.at("MPI_Put").value, 33);
  EXPECT_EQ(all->front().calls.at("MPI_Put").origin, Origin::ambiguous);
  EXPECT_EQ(all->front().calls.at("MPI_Allreduce").origin, Origin::exact);
}

}  // namespace
}  // namespace parcast::program
