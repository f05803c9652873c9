// SPDX-License-Identifier: Apache-2.0
#include "calibrate/fit_link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "machine/cost.h"
#include "statistics/random.h"

namespace parcast::calibrate {
namespace {

struct Truth {
  double latency = 1.2e-6, send = 3e-7, receive = 4e-7, gap = 8e-7, per_byte = 5e-10;
  double send_per_byte = 1e-10, receive_per_byte = 2e-10;
  double limit = 4040, handshake = 3e-6, large_per_byte = 2e-10;
};

std::vector<TablePoint> measure(const Truth& t, double noise, std::uint64_t seed) {
  statistics::Random random(seed);
  std::vector<TablePoint> out;
  const auto add = [&](const std::string& name, double bytes, double seconds) {
    const double seen = seconds * (1 + noise * random.normal());
    out.push_back({name, 2, bytes, seen, noise * seen, 100});
  };
  const double start = t.latency + t.send + t.receive;
  std::vector<double> sizes{0};
  for (double bytes = 8; bytes <= 1 << 22; bytes *= 2) sizes.push_back(bytes);
  for (const double m : sizes) {
    add("message-core", m,
        m <= t.limit ? start + m * t.per_byte : start + t.handshake + m * t.large_per_byte);
    if (m > t.limit) continue;
    add("send-core", m, t.send + m * t.send_per_byte);
    add("receive-core", m, t.receive + m * t.receive_per_byte);
    add("flood-core", m, t.gap + m * t.per_byte);
  }
  return out;
}

TEST(FitLink, RecoversEveryParameterOfLogGPS) {
  const Truth t;
  const auto fit = fit_link("core", measure(t, 0.002, 3), {{"eager_limit-core", t.limit, 0, 5}});
  ASSERT_TRUE(fit) << to_string(fit.error());
  const machine::Link& link = fit->link;
  const auto near = [](const machine::Parameter& parameter, double truth) {
    EXPECT_NEAR(parameter.value, truth, 0.03 * truth);
    EXPECT_NEAR(parameter.value, truth, 5 * parameter.standard_error + 1e-3 * truth);
  };
  near(link.latency, t.latency), near(link.send_overhead, t.send), near(link.receive_overhead, t.receive);
  near(link.gap, t.gap), near(link.gap_per_byte, t.per_byte);
  near(link.send_overhead_per_byte, t.send_per_byte),
      near(link.receive_overhead_per_byte, t.receive_per_byte);
  near(link.rendezvous_latency, t.handshake), near(link.rendezvous_gap_per_byte, t.large_per_byte);
  EXPECT_EQ(link.eager_limit.value, 4040);
  EXPECT_TRUE(fit->notes.empty()) << fit->notes[0];
}

TEST(FitLink, TheMachineGivesTheMeasuredCurveBack) {
  // Three laws below the eager limit, which do not lie on one straight line.
  std::vector<TablePoint> points;
  std::vector<double> sizes{0};
  for (double bytes = 8; bytes <= 1 << 20; bytes *= 2) sizes.push_back(bytes), sizes.push_back(bytes * 1.5);
  const auto law = [](double m) {
    return m <= 256     ? 2e-7 + m * 3e-10
           : m <= 4040  ? 3.5e-7 + m * 1e-10
           : m <= 65536 ? 4e-6 + m * 1.7e-10
                        : 6e-6 + m * 1.2e-10;
  };
  for (const double m : sizes) points.push_back({"message-core", 2, m, law(m), 0, 100});
  const auto fit = fit_link("core", points, {{"eager_limit-core", 4040, 0, 5}});
  ASSERT_TRUE(fit);
  machine::Machine machine;
  machine.links["core"] = fit->link;
  ASSERT_TRUE(check(machine));
  const auto m = symbolic::symbol("m", symbolic::SymbolKind::parameter);
  const auto cost = point_to_point(machine, "core", machine::Side::end_to_end, 1, m);
  for (const double bytes : sizes) {
    auto at = cost_binding(machine);
    at["m"] = bytes;
    const double seconds = evaluate(cost.startup + cost.transfer, at).value();
    EXPECT_NEAR(seconds, law(bytes), 0.03 * law(bytes)) << bytes;
  }
}

TEST(FitLink, OverlappingOverheadsAreSaidAndTheSumIsKept) {
  Truth t;
  t.latency = -2e-7;  // half a round trip is shorter than the two overheads
  const auto fit = fit_link("core", measure(t, 0.001, 4), {{"eager_limit-core", t.limit, 0, 5}});
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->link.latency.value, 0, 1e-15);
  EXPECT_NEAR(fit->link.send_overhead.value + fit->link.receive_overhead.value, 5e-7, 0.2e-7);
  EXPECT_THAT(fit->notes, ::testing::Contains(::testing::HasSubstr("overlap")));
}

// With a twentieth of a core, a computing process pays 20 times the processor time; half a round trip
// contains it once.
TEST(FitLink, OfAShareOfACoreTheLatencyIsWhatWaitingProcessesLeave) {
  Truth t;
  t.latency = 500e-6, t.send = 20e-6, t.receive = 10e-6, t.gap = 500e-6, t.per_byte = 80e-9;
  std::vector<TablePoint> points = measure(t, 0.001, 8);
  for (TablePoint& point : points)
    if (point.table == "send-core" || point.table == "receive-core")
      point.seconds *= 20, point.standard_error *= 20;
  const auto fit =
      fit_link("core", points, {{"eager_limit-core", t.limit, 0, 5}, {"core_share-core", 0.05, 0, 1}});
  ASSERT_TRUE(fit) << to_string(fit.error());
  EXPECT_NEAR(fit->link.send_overhead.value, 400e-6, 4e-6);
  EXPECT_NEAR(fit->link.receive_overhead.value, 200e-6, 2e-6);
  EXPECT_NEAR(fit->link.latency.value, 500e-6, 5e-6);
  ASSERT_EQ(fit->covariance.size(), 2u);
  const double error = fit->link.send_overhead.standard_error;
  EXPECT_NEAR(fit->covariance[0].value, -0.05 * error * error, 1e-6 * error * error);
  ASSERT_FALSE(fit->notes.empty());
  EXPECT_NE(fit->notes[0].find("5 % of a core"), std::string::npos) << fit->notes[0];

  // The send and receive of a ping-pong take 45 us of processor time. 25 us of it belong to the receive that
  // waits, and half a round trip contains them once.
  for (double bytes = 0; bytes <= 4000; bytes = bytes == 0 ? 8 : bytes * 2)
    points.push_back({"work-core", 2, bytes, 20 * 45e-6 + bytes * 4e-9, 1e-7, 100});
  const auto waiting =
      fit_link("core", points, {{"eager_limit-core", t.limit, 0, 5}, {"core_share-core", 0.05, 0, 1}});
  ASSERT_TRUE(waiting) << to_string(waiting.error());
  EXPECT_NEAR(waiting->link.receive_overhead.value, 500e-6, 5e-6);
  EXPECT_NEAR(waiting->link.send_overhead.value, 400e-6, 4e-6);
  EXPECT_NEAR(waiting->link.latency.value, 530e-6 - 45e-6, 5e-6);
}

TEST(FitLink, AGapBelowTheOverheadIsSaid) {
  Truth t;
  t.gap = 4e-7;
  const auto fit = fit_link("core", measure(t, 0.001, 5), {{"eager_limit-core", t.limit, 0, 5}});
  ASSERT_TRUE(fit);
  EXPECT_THAT(fit->notes, ::testing::Contains(::testing::HasSubstr("the gap is at most")));
}

TEST(FitLink, ASwitchWithoutEffectOnCostIsSaid) {
  Truth t;
  t.handshake = 0, t.large_per_byte = t.per_byte;
  const auto fit = fit_link("core", measure(t, 0.005, 6), {{"eager_limit-core", t.limit, 0, 5}});
  ASSERT_TRUE(fit);
  EXPECT_THAT(fit->notes, ::testing::Contains(::testing::HasSubstr("no start-up cost")));
}

TEST(FitLink, FewSizesGiveWideErrorsAndASentence) {
  // Any two sizes lie on a line, so only their own errors of 20 % are known. The line through (0, 10 us) and
  // (1000 B, 20 us) has a slope of 10 ns/B +- hypot(2 us, 4 us) / 1000 B, and a little more for the
  // resolution of a median.
  const std::vector<TablePoint> two{{"message-core", 2, 0, 10e-6, 2e-6, 3},
                                    {"message-core", 2, 1000, 20e-6, 4e-6, 3}};
  const auto fit = fit_link("core", two, {});
  ASSERT_TRUE(fit) << to_string(fit.error());
  EXPECT_NEAR(fit->link.latency.value, 10e-6, 1e-12);
  EXPECT_NEAR(fit->link.latency.standard_error, 2e-6, 0.01e-6);
  EXPECT_NEAR(fit->link.gap_per_byte.standard_error, 4.472e-9, 0.01e-9);
  EXPECT_THAT(
      fit->notes,
      ::testing::Contains(::testing::HasSubstr("only 2 sizes of messages were measured over the core link")));
}

TEST(FitLink, OfASingleSizeAByteIsNotMeasured) {
  const auto fit = fit_link("core", {{"message-core", 2, 0, 10e-6, 2e-6, 3}}, {});
  ASSERT_TRUE(fit) << to_string(fit.error());
  EXPECT_NEAR(fit->link.latency.value, 10e-6, 1e-12);
  EXPECT_NEAR(fit->link.latency.standard_error, 2e-6, 0.01e-6);
  EXPECT_EQ(fit->link.gap_per_byte.origin, Origin::assumed);
  EXPECT_THAT(fit->notes, ::testing::Contains(::testing::HasSubstr("a byte counts as free")));
}

TEST(FitLink, OverlapsAreKeptAsMeasured) {
  const auto fit = fit_link("core", measure({}, 0.001, 3),
                            {{"eager_overlap-core", -0.07, 0.1, 40},
                             {"rendezvous_overlap-core", 0.83, 0.02, 50},
                             {"rendezvous_overlap-network", 0.5, 0.1, 9}});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->link.eager_overlap.value, -0.07);
  EXPECT_EQ(fit->link.rendezvous_overlap.value, 0.83);
  EXPECT_EQ(fit->link.rendezvous_overlap.standard_error, 0.02);
  EXPECT_EQ(fit->link.rendezvous_overlap.samples, 50);
}

TEST(FitLink, WithoutALimitEveryMessageIsEager) {
  Truth t;
  t.limit = 1e9;
  const auto fit = fit_link("core", measure(t, 0.001, 7), {});
  ASSERT_TRUE(fit);
  EXPECT_EQ(fit->link.eager_limit.origin, Origin::unknown);
  EXPECT_FALSE(fit_link("network", measure(t, 0.001, 7), {}));
}

}  // namespace
}  // namespace parcast::calibrate
