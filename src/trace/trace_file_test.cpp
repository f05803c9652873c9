// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/files.h"

namespace parcast::trace {
namespace {

Trace full() {
  Trace trace;
  trace.program = "halo";
  trace.ranks = 3;
  trace.operations = {{.kind = Kind::start_send,
                       .mode = Mode::synchronous,
                       .peer = 1,
                       .tag = -7,
                       .bytes = 1ull << 40,
                       .place = 0},
                      {.kind = Kind::receive, .peer = kAny, .tag = kAny, .bytes = 5},
                      {.kind = Kind::wait, .requests = 1},
                      {.kind = Kind::collective,
                       .pattern = recording::Pattern::scan,
                       .uneven = true,
                       .communicator = 1,
                       .root = 1,
                       .bytes = 9},
                      {.kind = Kind::start_write, .peer = -1, .bytes = 3},
                      {.kind = Kind::probe, .peer = kAny, .tag = kAny, .place = 0},
                      {.kind = Kind::lock_shared, .peer = kAny, .tag = 2},
                      {.kind = Kind::lock_exclusive, .peer = -2, .tag = 1, .communicator = 1},
                      {.kind = Kind::unlock, .peer = -2, .tag = 1, .communicator = 1}};
  trace.sequences = {{Item::loop(2, 4), Item::compute(kLongest), Item::operation(0, 3)},
                     {},
                     {Item::operation(3), Item::operation(1), Item::operation(2), Item::operation(4),
                      Item::operation(5), Item::operation(6), Item::operation(7), Item::operation(8)}};
  trace.sequence_of = {0, 1, 2};
  trace.communicators.push_back({{2, 0}});
  trace.request_sets = {{}, {1, 3}};
  trace.places = {{"main/solve", "exchange", "halo.c", 12, "MPI_Isend"}};
  trace.assumptions = {"one", "two"};
  return trace;
}

class TraceFile : public testing::Test {
 protected:
  TraceFile()
      : folder_(std::filesystem::temp_directory_path() / ("trace_file_" + std::to_string(::getpid()))),
        path_(folder_ / "a.trace") {
    std::filesystem::create_directories(folder_);
  }
  ~TraceFile() override { std::filesystem::remove_all(folder_); }
  std::string written(const Trace& trace) {
    EXPECT_TRUE(write_trace(trace, path_));
    return *read_file(path_);
  }
  std::filesystem::path folder_, path_;
};

TEST_F(TraceFile, ComesBackAsItWas) {
  const Trace trace = full();
  ASSERT_TRUE(write_trace(trace, path_));
  const auto read = read_trace(path_);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->program, trace.program);
  EXPECT_EQ(read->ranks, trace.ranks);
  EXPECT_EQ(read->operations, trace.operations);
  ASSERT_EQ(read->sequences.size(), trace.sequences.size());
  for (std::size_t i = 0; i < trace.sequences.size(); ++i) {
    ASSERT_EQ(read->sequences[i].size(), trace.sequences[i].size());
    for (std::size_t k = 0; k < trace.sequences[i].size(); ++k)
      EXPECT_EQ(read->sequences[i][k].word(), trace.sequences[i][k].word());
  }
  EXPECT_EQ(read->sequence_of, trace.sequence_of);
  ASSERT_EQ(read->communicators.size(), 2u);
  EXPECT_EQ(read->communicators[1].members, trace.communicators[1].members);
  EXPECT_EQ(read->request_sets, trace.request_sets);
  EXPECT_EQ(read->places, trace.places);
  EXPECT_EQ(read->assumptions, trace.assumptions);
  EXPECT_EQ(written(*read), written(trace));
}

/// A trace whose file is read in several pieces of 128 KiB, which may end anywhere in the data.
Trace of_many_pieces() {
  Trace trace = full();
  for (std::uint32_t k = 0; k < 70'000; ++k) trace.sequences[0].push_back(Item::compute(k));
  trace.request_sets[1].clear();
  for (std::uint32_t k = 1; k < 50'001; ++k) trace.request_sets[1].push_back(k);
  trace.program = std::string(200'003, 'p');
  while (trace.operations.size() < 5'000)
    trace.operations.push_back(
        {.kind = Kind::receive, .peer = kAny, .tag = kAny, .bytes = trace.operations.size()});
  return trace;
}

TEST_F(TraceFile, OfManyPiecesComesBackAsItWas) {
  const Trace trace = of_many_pieces();
  const std::string whole = written(trace);
  ASSERT_GT(whole.size(), 1'000'000u);
  const auto read = read_trace(path_);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->program, trace.program);
  EXPECT_EQ(read->operations, trace.operations);
  EXPECT_EQ(read->request_sets, trace.request_sets);
  EXPECT_EQ(written(*read), whole);
  const auto from_memory = read_trace(whole, "memory");
  ASSERT_TRUE(from_memory);
  EXPECT_EQ(written(*from_memory), whole);
}

TEST_F(TraceFile, OfManyPiecesIsRefusedWhereItIsDamaged) {
  const std::string whole = written(of_many_pieces());
  const auto refused = [&](const std::string& bytes, const std::string& because) {
    EXPECT_TRUE(write_file(path_, bytes));
    const auto read = read_trace(path_);
    ASSERT_FALSE(read) << because;
    EXPECT_NE(to_string(read.error()).find(because), std::string::npos) << to_string(read.error());
    EXPECT_NE(to_string(read.error()).find(path_.string()), std::string::npos);
  };
  for (std::size_t at = 40; at < whole.size(); at += 9973) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    refused(flipped, "its check does not hold");
  }
  for (const std::size_t size :
       {std::size_t{5}, std::size_t{31}, std::size_t{32}, std::size_t{131'072}, whole.size() - 1})
    refused(whole.substr(0, size), size < 8 ? "not a trace" : "cut short");
  refused(whole + "x", "damaged");
}

TEST_F(TraceFile, IsReadFromAPipeToo) {
  written(full());
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::thread writer([&] {
    const std::string bytes = *read_file(path_);
    std::ofstream(pipe, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  });
  const auto read = read_trace(pipe);
  writer.join();
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(read->program, "halo");
}

TEST_F(TraceFile, CutShortAnywhereItIsAnError) {
  const std::string whole = written(full());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(read_trace(std::string_view(whole).substr(0, size), "cut")) << size;
  EXPECT_FALSE(read_trace(whole + "x", "longer"));
}

TEST_F(TraceFile, AFlippedBitIsFound) {
  const std::string whole = written(full());
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      EXPECT_FALSE(read_trace(flipped, "flipped")) << at;
    }
}

TEST_F(TraceFile, ANewerVersionIsSaid) {
  std::string newer = written(full());
  newer[8] = 4;
  const auto read = read_trace(newer, "new.trace");
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().what.find("version 4"), std::string::npos);
}

TEST_F(TraceFile, EarlierVersionsAreRead) {
  const auto of_version = [&](const Trace& trace, char version) {
    std::string older = written(trace);
    older[8] = version;
    return read_trace(older, "old.trace");
  };
  Trace trace = full();
  EXPECT_FALSE(of_version(trace, 2));  // version 2 had no locks
  trace.operations.resize(5);
  trace.sequences[2].resize(4);
  EXPECT_TRUE(of_version(trace, 2));
  EXPECT_FALSE(of_version(trace, 1));  // version 1 had no accesses
  trace.operations.resize(4);
  trace.sequences[2].resize(3);
  EXPECT_TRUE(of_version(trace, 1));
}

TEST_F(TraceFile, WhatContradictsItselfIsNotTaken) {
  Trace trace = full();
  trace.sequences[1].push_back(Item::operation(99));
  const auto read = read_trace(written(trace), "bad.trace");
  ASSERT_FALSE(read);
  EXPECT_NE(to_string(read.error()).find("bad.trace"), std::string::npos);
  EXPECT_NE(to_string(read.error()).find("operation 99"), std::string::npos);
}

}  // namespace
}  // namespace parcast::trace
