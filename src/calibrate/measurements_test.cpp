// SPDX-License-Identifier: Apache-2.0
#include "calibrate/measurements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace parcast::calibrate {
namespace {

Measurements sample() {
  Measurements m;
  m.processes = 2;
  m.processor = "Some CPU @ 2 GHz";
  m.mpi_library = "Open MPI v4.1.4";
  m.environment = {{"kernel", "6.1.0"}, {"processor", "Some CPU @ 2 GHz"}};
  m.cores = 2, m.memory = 25e9;
  m.places = {{0, 0, 0}, {1, -1, 0}};
  m.caches = {{"L1", 32768, 1}};
  m.threads_per_core = 2, m.memories = 4;
  m.bound = {2, 1};
  m.points = {{"message-core", 2, 1024, 7.1e-7, 2e-9, 640, 7e-7, 7.4e-7, 3}};
  m.points[0].repeats = {7.1e-7, 6.98765432123e-7, 1e-3};
  m.kept_out = {{"allreduce", 2, 1352, 2.1e-6, 1e-8, 400, 2e-6, 2.2e-6, 1}};
  m.values = {{"core_speed", 2.1e9, 1e6, 12}};
  m.values[0].repeats = {2.1e9};
  m.sweep = {{1, 4096, 1.1e-9, 3e10}};
  m.left_out = {{"scan", 2, 65536}};
  m.rough = {"barrier", "scan"};
  m.notes = {"a sentence\nin two lines"};
  return m;
}

TEST(Measurements, ReadBackAsTheyWereWritten) {
  const std::string text = to_text(sample());
  const auto back = measurements_from(text, "file");
  ASSERT_TRUE(back) << to_string(back.error());
  EXPECT_EQ(to_text(*back), text);
  EXPECT_EQ(back->environment, sample().environment);
  EXPECT_EQ(back->places[1].socket, -1);
  EXPECT_EQ(back->points[0].seconds, 7.1e-7);
  EXPECT_EQ(back->points[0].high, 7.4e-7);
  EXPECT_EQ(back->points[0].outliers, 3);
  ASSERT_EQ(back->points.size(), 1u);
  EXPECT_THAT(back->points[0].repeats, testing::ElementsAre(7.1e-7, 6.98765432e-7, 1e-3)) << "nine digits";
  EXPECT_THAT(back->values[0].repeats, testing::ElementsAre(2.1e9));
  ASSERT_EQ(back->kept_out.size(), 1u);
  EXPECT_TRUE(back->kept_out[0].repeats.empty());
  EXPECT_EQ(back->kept_out[0].bytes, 1352);
  EXPECT_EQ(back->kept_out[0].outliers, 1);
  EXPECT_EQ(back->bound.processors, 1);
  EXPECT_EQ(back->threads_per_core, 2);
  EXPECT_EQ(back->left_out.at(0).table, "scan");
  EXPECT_EQ(back->rough, sample().rough);
  EXPECT_EQ(back->left_out.at(0).bytes, 65536);
  EXPECT_EQ(back->notes[0], "a sentence in two lines");
}

TEST(Measurements, ATextCutAnywhereIsRefused) {
  const std::string text = to_text(sample());
  for (std::size_t length = 0; length + 1 < text.size() - 1; ++length)
    EXPECT_FALSE(measurements_from(text.substr(0, length), "file")) << length;
}

TEST(Measurements, ADamagedLineIsNamed) {
  const auto back = measurements_from("parcast-measurements 3\nprocesses two\nend\n", "file");
  ASSERT_FALSE(back);
  EXPECT_EQ(back.error().where, "file:2");
  for (const std::string lines :
       {"value a 1 0 1\nrepeats 1 x\n", "value a 1 0 1\nrepeats 1 \n", "value a 1 0 1\nrough a\nrepeats 1\n",
        "value a 1 0 1\nrepeats 1\nrepeats 2\n"})
    EXPECT_FALSE(measurements_from("parcast-measurements 3\n" + lines + "end\n", "file"))
        << lines << "repeats that belong to nothing, or are no numbers";
}

}  // namespace
}  // namespace parcast::calibrate
