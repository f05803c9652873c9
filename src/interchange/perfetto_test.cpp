// SPDX-License-Identifier: Apache-2.0
#include "interchange/perfetto.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "predict/simulate/simulate.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using trace::Item;
using trace::Kind;

/// Decodes the wire format of protocol buffers according to its specification.
struct Field {
  std::uint32_t number = 0;
  std::uint64_t value = 0;  // for a number
  std::string_view bytes;   // for a text or message
};
class Fields {
 public:
  explicit Fields(std::string_view bytes) {
    while (!bytes.empty()) {
      const std::uint64_t tag = varint(bytes);
      Field field{static_cast<std::uint32_t>(tag >> 3), 0, {}};
      if ((tag & 7) == 0) field.value = varint(bytes);
      if ((tag & 7) == 1) field.value = fixed(bytes);
      if ((tag & 7) == 2) {
        const std::uint64_t size = varint(bytes);
        EXPECT_LE(size, bytes.size());
        field.bytes = bytes.substr(0, size);
        bytes.remove_prefix(size);
      }
      EXPECT_LE(tag & 7, 2u);
      all.push_back(field);
    }
  }
  const Field* find(std::uint32_t number) const {
    for (const Field& field : all)
      if (field.number == number) return &field;
    return nullptr;
  }
  std::vector<Field> all;

 private:
  static std::uint64_t varint(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (int shift = 0; !bytes.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes.front());
      bytes.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    return value;
  }
  static std::uint64_t fixed(std::string_view& bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < 8; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    bytes.remove_prefix(8);
    return value;
  }
};

TEST(ProtoMessage, IsWrittenAsTheSpecificationSays) {
  ProtoMessage inner, message;
  inner.number(1, 150);
  message.message(3, inner);
  message.text(2, "testing");
  message.fixed(47, 0x0102030405060708);
  // The first two are the examples of the specification: 08 96 01, and 12 07 "testing".
  EXPECT_EQ(message.bytes(),
            std::string("\x1a\x03\x08\x96\x01\x12\x07testing\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01"));
}

struct Slice {
  std::string name;
  std::uint64_t from = 0, to = 0;
  std::size_t depth = 0;
  std::set<std::uint64_t> flows, ends;
};

TEST(Perfetto, SlicesNestAndFlowsGoFromSendToReceive) {
  trace::Trace trace;
  trace.program = "two";
  trace.ranks = 2;
  trace.places = {{"main/out", "", "a.c", 3, "MPI_Send"}, {"main", "", "a.c", 4, "MPI_Recv"}};
  trace.operations = {{.kind = Kind::send, .peer = 1, .tag = 7, .bytes = 8, .place = 0},
                      {.kind = Kind::receive, .peer = -1, .tag = 7, .bytes = 8, .place = 1}};
  trace.sequences = {{Item::compute(50'000), Item::operation(0), Item::compute(5000)}, {Item::operation(1)}};
  trace.sequence_of = {0, 1};
  simulate::Platform platform;
  platform.links = {{.latency = 1'000'000, .send_overhead = 10'000, .receive_overhead = 20'000}};
  std::string folder = (fs::temp_directory_path() / "parcast-perfetto-XXXXXX").string();
  ASSERT_TRUE(::mkdtemp(folder.data()));
  const fs::path to = fs::path(folder) / "two.perfetto-trace";
  {
    auto writer = PerfettoWriter::create(trace, platform, to);
    ASSERT_TRUE(writer) << to_string(writer.error());
    const std::array<simulate::Observer*, 1> observers{&*writer};
    ASSERT_TRUE(simulate::simulate(trace, platform, simulate::Trust::none, observers));
    writer->finish();
    EXPECT_FALSE(fs::exists(to));
    ASSERT_TRUE(writer->close());
  }
  std::ifstream file(to, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  fs::remove_all(folder);

  std::map<std::uint64_t, std::string> names;
  std::map<std::uint64_t, std::vector<Slice>> open, done;  // by track
  std::map<std::uint64_t, std::string> threads;
  for (const Field& entry : Fields(bytes).all) {
    ASSERT_EQ(entry.number, 1u);
    const Fields packet(entry.bytes);
    ASSERT_EQ(packet.find(10)->value, 1u);  // one sequence
    if (const Field* data = packet.find(12)) {
      const Fields name(Fields(data->bytes).find(2)->bytes);
      names[name.find(1)->value] = name.find(2)->bytes;
    }
    if (const Field* about = packet.find(60)) {
      const Fields track(about->bytes);
      if (const Field* thread = track.find(4))
        threads[track.find(1)->value] = Fields(thread->bytes).find(5)->bytes;
    }
    const Field* what = packet.find(11);
    if (!what) continue;
    const Fields event(what->bytes);
    const std::uint64_t track = event.find(11)->value, time = packet.find(8)->value;
    if (event.find(9)->value == 1) {
      Slice slice{names.at(event.find(10)->value), time, 0, open[track].size(), {}, {}};
      for (const Field& field : event.all)
        if (field.number == 47) slice.flows.insert(field.value);
      open[track].push_back(slice);
    } else {
      ASSERT_FALSE(open[track].empty());
      open[track].back().to = time;
      for (const Field& field : event.all)
        if (field.number == 48) open[track].back().ends.insert(field.value);
      done[track].push_back(open[track].back());
      open[track].pop_back();
    }
  }
  ASSERT_EQ(threads.size(), 2u);
  const auto& first = done.at(threads.begin()->first);
  const auto& second = done.at(threads.rbegin()->first);
  EXPECT_EQ(threads.begin()->second, "rank 0");
  const auto row = [](const Slice& slice) {
    return slice.name + " " + std::to_string(slice.from) + ".." + std::to_string(slice.to) + " in " +
           std::to_string(slice.depth);
  };
  ASSERT_EQ(first.size(), 5u);
  EXPECT_EQ(row(first[0]), "compute 0..50 in 2");
  EXPECT_EQ(row(first[1]), "MPI_Send 50..60 in 2");
  EXPECT_EQ(row(first[2]), "compute 60..65 in 2");
  EXPECT_EQ(row(first[3]), "out 0..65 in 1");
  EXPECT_EQ(row(first[4]), "main 0..65 in 0");
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(row(second[0]), "MPI_Recv 0..1080 in 1");
  EXPECT_EQ(first[1].flows.size(), 1u);
  EXPECT_EQ(first[1].flows, second[0].ends);
  EXPECT_TRUE(open[threads.begin()->first].empty());
}

}  // namespace
}  // namespace parcast::interchange
