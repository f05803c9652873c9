// SPDX-License-Identifier: Apache-2.0
#include "source/facts/facts.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "source/facts/allocators.h"
#include "source/facts/evaluate.h"

namespace parcast::facts {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string record(const std::string& body, const std::string& id = "AB12") {
  return fmt::format("parcast-facts 1 {} {}\n{}\n", id, body.size(), body);
}

// for (i = 0; i < n; ++i) after a guard. Blocks: 0 entry, 1 preparation, 2 body, 3 end.
const std::string kLoop =
    R"({"source":"x.c","counters":3,"probes":1,"functions":[{"name":"f","at":["x.c",3],"shape":"7",
 "arcs":[[1,2],[3,4],[5,6],[7,8],[0,1],[2,3,0],[2,7,1],[4,5],[6,5,2],[6,7],[8,0]],
 "blocks":[{"at":[["x.c",3]],"operations":{"branch":1}},{"at":[],"operations":{}},
           {"at":[["y.h",9],["x.c",4]],"loop":0,"operations":{"load":2,"loaded_bytes":16}},{"at":[],"operations":{}}],
 "loops":[{"head":2,"at":[["x.c",4]],"rounds":2,"whole":true}],
 "branches":[[0,"sgt",0,3,1,3]],"by_data":[2],
 "calls":[{"block":2,"at":[["x.c",5]],"to":"g","arguments":[0,null],"gives":5}],
 "stores":[[1,6,0]],"returns":[0],"probes":[[0,0]],
 "nodes":[["argument",32,0],["int",32,-1],["add",32,0,1],["int",32,0],["global","v",8],["load",32,4],["behind",1,16]]}]})";

TEST(Facts, AreReadWithAllThatTheyTell) {
  const auto modules = read_facts(record(kLoop), "x.o");
  ASSERT_TRUE(modules) << to_string(modules.error());
  ASSERT_THAT(*modules, SizeIs(1));
  const Module& module = modules->front();
  EXPECT_EQ(module.id, 0xAB12u);
  EXPECT_EQ(module.source, "x.c");
  const Function& f = module.functions.at(0);
  EXPECT_EQ(f.name, "f");
  EXPECT_EQ(f.at.line, 3);
  EXPECT_THAT(f.blocks, SizeIs(4));
  EXPECT_EQ(f.blocks[2].at[0].file, "y.h");
  EXPECT_EQ(f.blocks[2].operations.at("loaded_bytes"), 16);
  EXPECT_EQ(f.loops.at(0).rounds, 2);
  EXPECT_TRUE(f.loops.at(0).whole);
  EXPECT_EQ(f.calls.at(0).to, "g");
  EXPECT_THAT(f.calls.at(0).arguments, ElementsAre(std::optional(0), std::nullopt));
  EXPECT_EQ(f.nodes[4].name, "v");
  EXPECT_EQ(f.nodes[4].number, 8);
  EXPECT_EQ(f.nodes[6].operation, Operation::behind);
  EXPECT_EQ(f.branches.at(0).predicate, "sgt");
  EXPECT_THAT(f.by_data, ElementsAre(2));
}

TEST(Facts, TellTypesThatAreThrownAndTaken) {
  std::string given = kLoop;
  given.insert(given.find(R"("operations":{"branch":1})"), R"("takes":["_ZTIi","",null],)");
  given.insert(given.find(R"("to":"g")"), R"("throws":["_ZTI4Mine","_ZTISt9exception"],)");
  const auto modules = read_facts(record(given), "x.o");
  ASSERT_TRUE(modules) << to_string(modules.error());
  const Function& f = modules->front().functions.at(0);
  EXPECT_EQ(f.blocks[0].takes, (Types{{"_ZTIi", ""}, true}));
  EXPECT_FALSE(f.blocks[1].takes);
  EXPECT_EQ(f.calls[0].throws, (Types{{"_ZTI4Mine", "_ZTISt9exception"}, false}));
}

// C17 7.22.3, POSIX, the Itanium C++ ABI's names of operator new and operator new[]
TEST(Facts, AllocatorsHaveTheirSizeInTheseArguments) {
  EXPECT_THAT(size_arguments("malloc"), ElementsAre(0));
  EXPECT_THAT(size_arguments("calloc"), ElementsAre(0, 1));
  EXPECT_THAT(size_arguments("realloc"), ElementsAre(1));
  EXPECT_THAT(size_arguments("posix_memalign"), ElementsAre(2));
  EXPECT_THAT(size_arguments("_Znam"), ElementsAre(0));
  EXPECT_THAT(size_arguments("_ZnwmSt11align_val_t"), ElementsAre(0));
  EXPECT_TRUE(size_arguments("memcpy").empty());
  EXPECT_TRUE(size_arguments("free").empty());
}

TEST(Facts, WithoutAWordOnItDataMayDecideEverywhere) {
  std::string facts = kLoop;
  facts.erase(facts.find("\"by_data\":[2],"), 14);
  const auto modules = read_facts(record(facts), "x.o");
  ASSERT_TRUE(modules) << to_string(modules.error());
  EXPECT_THAT(modules->front().functions[0].by_data, ElementsAre(0, 1, 2, 3));
  facts = kLoop;
  facts.replace(facts.find("\"by_data\":[2]"), 13, "\"by_data\":[4]");
  EXPECT_FALSE(read_facts(record(facts), "x.o"));
}

TEST(Facts, BlocksFollowFromTheirCounters) {
  const auto modules = read_facts(record(kLoop), "x.o");
  ASSERT_TRUE(modules);
  // 10 calls: 7 pass the guard, 3 skip the loop; the back edge is taken 40 times
  EXPECT_THAT(block_executions(modules->front().functions[0], {7, 3, 40}), ElementsAre(10, 7, 47, 10));
}

TEST(Facts, WhatComesBackFromACallBelongsToTheBlockThatMadeIt) {
  // Block 0 ends in a call that may throw, and control returns from outside to block 1.
  const auto modules =
      read_facts(record(R"({"source":"x.c","counters":1,"probes":0,"functions":[{"name":"f","shape":"7",
 "arcs":[[1,2],[3,4],[0,1],[2,0],[0,3,0],[4,0]],"invoked":[[4,0]],
 "blocks":[{"at":[],"operations":{}},{"at":[],"operations":{}}]}]})"),
                 "x.o");
  ASSERT_TRUE(modules) << to_string(modules.error());
  EXPECT_THAT(modules->front().functions[0].invoked, ElementsAre(std::pair<const std::size_t, int>(4, 0)));
}

std::string with_reference(const std::string& row) {
  std::string facts = kLoop;
  return facts.replace(facts.find("\"returns\""), 9, "\"references\":[" + row + "],\"returns\"");
}

TEST(Facts, ReferencesTellWhatABlockReadsAndWritesOfAnArray) {
  const auto modules =
      read_facts(record(with_reference("[2,1,4,2,-8,16,24,8],[2,0,null,null,0,8,8,0,0]")), "x.o");
  ASSERT_TRUE(modules) << to_string(modules.error());
  const std::vector<Reference>& references = modules->front().functions[0].references;
  ASSERT_THAT(references, SizeIs(2));
  EXPECT_EQ(references[0].block, 2);
  EXPECT_EQ(references[0].base, 1);
  EXPECT_EQ(references[0].array, 4);
  EXPECT_EQ(references[0].offset, 2);
  EXPECT_EQ(references[0].low, -8);
  EXPECT_EQ(references[0].high, 16);
  EXPECT_EQ(references[0].loaded, 24);
  EXPECT_EQ(references[0].stored, 8);
  EXPECT_FALSE(references[1].array || references[1].offset);
  EXPECT_FALSE(references[0].changes);
  EXPECT_EQ(references[1].changes, 0);
  for (const char* row : {"[9,0,4,2,0,8,8,0]", "[2,0,9,2,0,8,8,0]", "[2,0,4,9,0,8,8,0]", "[2,0,4,2,1,8,8,0]",
                          "[2,0,4,2,0,8,-8,0]", "[2,0,4]", "[2,0,null,2,0,8,8,0,1]"})
    EXPECT_FALSE(read_facts(record(with_reference(row)), "x.o")) << row;
}

std::string with_final(const std::string& final) {
  std::string facts = kLoop;
  return facts.insert(facts.rfind('}'), ",\"final\":" + final);
}

TEST(Facts, OfTheFinalCodeTellWidthsAndWhatIsDoneTogether) {
  const auto modules = read_facts(
      record(with_final(R"({"loops":[[0,0,4,2]],"blocks":[[0,2,{"load":[8,2],"branch":[8,1]}]]})")), "x.o");
  ASSERT_TRUE(modules) << to_string(modules.error());
  const Function& f = modules->front().functions[0];
  EXPECT_EQ(f.loops[0].width, 4);
  EXPECT_EQ(f.loops[0].interleave, 2);
  EXPECT_EQ(f.blocks[2].packed, (PackedOperations{{"load", {8, 2}}, {"branch", {8, 1}}}));
  EXPECT_TRUE(f.blocks[1].packed.empty());
  const auto half = read_facts(record(with_final(R"({"loops":[[0,0,1,null]]})")), "x.o");
  ASSERT_TRUE(half) << to_string(half.error());
  EXPECT_EQ(half->front().functions[0].loops[0].width, 1);
  EXPECT_FALSE(half->front().functions[0].loops[0].interleave);
  const auto before = read_facts(record(kLoop), "x.o");
  ASSERT_TRUE(before);
  EXPECT_FALSE(before->front().functions[0].loops[0].width);
}

TEST(Facts, OfFinalCodeThatCannotBeAreRefused) {
  for (const char* final : {R"({"loops":[[0,0,0,1]]})",
                            R"({"loops":[[0,0,-4,1]]})",
                            R"({"loops":[[0,0,4097,1]]})",
                            R"({"loops":[[0,0,18446744073709551615,1]]})",
                            R"({"loops":[[0,0,4,0]]})",
                            R"({"loops":[[0,0,4,9223372036854775807]]})",
                            R"({"loops":[[0,1,4,1]]})",
                            R"({"loops":[[1,0,4,1]]})",
                            R"({"loops":[[-1,0,4,1]]})",
                            R"({"loops":[[0,0,"4",1]]})",
                            R"({"loops":[[0,0,4]]})",
                            R"({"loops":7})",
                            R"([])",
                            R"({"blocks":[[0,4,{}]]})",
                            R"({"blocks":[[0,2,[[8,2]]]]})",
                            R"({"blocks":[[0,2,{"load":[0,1]}]]})",
                            R"({"blocks":[[0,2,{"load":[8,-1]}]]})",
                            R"({"blocks":[[0,2,{"load":[8]}]]})",
                            R"({"blocks":[[0,2,{"load":[2199023255552,1]}]]})",
                            R"({"blocks":[[0,2,{"load":8}]]})"})
    EXPECT_FALSE(read_facts(record(with_final(final)), "x.o")) << final;
}

TEST(Facts, LoopsThatThreadsShareOutHaveTheirSchedule) {
  std::string facts = kLoop;
  facts.replace(facts.find("\"whole\":true"), 12, R"("whole":true,"shared":"static chunked","chunks":true)");
  const auto modules = read_facts(record(facts), "x.o");
  ASSERT_TRUE(modules) << to_string(modules.error());
  EXPECT_EQ(modules->front().functions[0].loops[0].shared, "static chunked");
  EXPECT_TRUE(modules->front().functions[0].loops[0].chunks);
}

TEST(Facts, OneRecordIsReadOnceAndZerosBetweenRecordsAreNothing) {
  const auto modules =
      read_facts(record(kLoop) + std::string(3, '\0') + record(kLoop) + record(kLoop, "AB13"), "x");
  ASSERT_TRUE(modules);
  EXPECT_THAT(*modules, SizeIs(2));
}

TEST(Facts, DamageIsSaidWithTheRecord) {
  const auto said = [](const std::string& section) {
    const auto modules = read_facts(section, "a.out");
    return modules ? std::string("read") : modules.error().what;
  };
  EXPECT_EQ(said(""), "read");
  EXPECT_THAT(said(record(kLoop) + "junk"),
              HasSubstr("record 2 of the compiler's facts: it does not begin with the word parcast-facts"));
  EXPECT_THAT(said(record(kLoop).substr(0, 200)), HasSubstr("it is cut"));
  EXPECT_THAT(said("parcast-facts 2 1 2\n{}\n"), HasSubstr("newer"));
  EXPECT_THAT(said("parcast-facts 1 1 99999999999999999999\n{}\n"), HasSubstr("first line is damaged"));
  EXPECT_THAT(said("parcast-facts 1 1 2x\n{}\n"), HasSubstr("first line is damaged"));
  EXPECT_THAT(said(record("{}")), HasSubstr("source"));
  std::string later = kLoop;
  later.replace(later.find(R"(["add",32,0,1])"), 14, R"(["add",32,0,9])");
  EXPECT_THAT(said(record(later)), HasSubstr("f in x.c: node 9 is not there"));
  std::string beyond = kLoop;
  beyond.replace(beyond.find("[6,5,2]"), 7, "[6,5,3]");
  EXPECT_THAT(said(record(beyond)), HasSubstr("counter 3 of 3"));
  std::string no_loop = kLoop;
  no_loop.replace(no_loop.find("\"loop\":0"), 8, "\"loop\":7");
  EXPECT_THAT(said(record(no_loop)), HasSubstr("loop 7 is not there"));
  for (const auto& [key, types] : {std::pair(R"("operations":{"branch":1})", R"("takes":[5])"),
                                   {R"("to":"g")", R"("throws":"_ZTIi")"},
                                   {R"("to":"g")", R"("throws":null)"}}) {
    std::string thrown = kLoop;
    thrown.insert(thrown.find(key), std::string(types) + ",");
    EXPECT_THAT(said(record(thrown)), ::testing::AnyOf(HasSubstr("type must be"), HasSubstr("no list")))
        << types;
  }
  for (const char* blocks : {"", R"(,"blocks":[])"})
    EXPECT_THAT(
        said(record(
            R"({"source":"x.c","counters":0,"probes":0,"functions":[{"name":"f","shape":"1","arcs":[[0,0]])" +
            std::string(blocks) + "}]}")),
        HasSubstr("blocks"));
  std::string invoked = kLoop;
  invoked.replace(invoked.find("\"loops\""), 7, "\"invoked\":[[3,0]],\"loops\"");
  EXPECT_THAT(said(record(invoked)), HasSubstr("arc 3 is none between blocks"));
  std::string outside = kLoop;
  outside.replace(outside.find("[6,5,2]"), 7, "[6,9,2]");
  EXPECT_THAT(said(record(outside)), HasSubstr("a point that is not there"));
  std::string fraction = kLoop;
  fraction.replace(fraction.find("[6,5,2]"), 7, "[6,5e99,2]");
  EXPECT_THAT(said(record(fraction)), HasSubstr("not whole"));
  for (const char* node : {R"(["load",32])", R"(["icmp slt",32,0])", R"(["fmuladd",64,0,0])"})
    EXPECT_THAT(
        said(record(
            R"({"source":"x.c","counters":0,"probes":0,"functions":[{"name":"f","shape":"1","arcs":[[1,2]],"blocks":[{"at":[],"operations":{}}],"nodes":[["int",32,1],)" +
            std::string(node) + "]}]}")),
        HasSubstr("values"))
        << node;
  outside.replace(outside.find("[6,9,2]"), 7, "[6,2147483647,2]");
  EXPECT_THAT(said(record(outside)), HasSubstr("a point that is not there"));
}

Function of_nodes(const std::string& nodes) {
  const auto modules = read_facts(
      record(
          R"({"source":"x.c","counters":0,"probes":0,"functions":[{"name":"f","shape":"1","arcs":[[1,2]],"blocks":[{"at":[],"operations":{}}],"nodes":)" +
          nodes + "}]}"),
      "x");
  EXPECT_TRUE(modules) << to_string(modules.error());
  return modules ? modules->front().functions.at(0) : Function{};
}

std::optional<std::int64_t> last_of(const std::string& nodes, std::vector<std::int64_t> arguments = {},
                                    std::uint64_t round = 0) {
  const Function function = of_nodes(nodes);
  const Surroundings surroundings{
      [&](NodeNumber node) -> std::optional<Value> {
        const std::size_t number = static_cast<std::size_t>(function.nodes[node].number);
        if (function.nodes[node].operation != Operation::argument || number >= arguments.size())
          return std::nullopt;
        return Value{false, arguments[number], 0};
      },
      [&](int) { return std::optional(round); }};
  const auto value = evaluate(function, static_cast<NodeNumber>(function.nodes.size()) - 1, surroundings);
  return value ? std::optional(value->whole) : std::nullopt;
}

TEST(Evaluation, IsTheProgramsArithmetic) {
  EXPECT_EQ(last_of(R"([["argument",8,0],["int",8,1],["add",8,0,1]])", {127}), -128);  // wraps
  EXPECT_EQ(last_of(R"([["argument",8,0],["zext",32,0]])", {-1}), 255);
  EXPECT_EQ(last_of(R"([["argument",8,0],["sext",32,0]])", {-1}), -1);
  EXPECT_EQ(last_of(R"([["argument",32,0],["argument",32,1],["udiv",32,0,1]])", {-1, 2}), 2147483647);
  EXPECT_EQ(last_of(R"([["argument",32,0],["argument",32,1],["sdiv",32,0,1]])", {-7, 2}),
            -3);  // towards zero
  EXPECT_EQ(last_of(R"([["argument",32,0],["argument",32,1],["srem",32,0,1]])", {-7, 2}), -1);
  EXPECT_EQ(last_of(R"([["argument",32,0],["argument",32,1],["sdiv",32,0,1]])", {1, 0}), std::nullopt);
  EXPECT_EQ(last_of(R"([["argument",32,0],["argument",32,1],["smax",32,0,1]])", {-5, 3}), 3);
  EXPECT_EQ(last_of(R"([["argument",32,0],["argument",32,1],["umax",32,0,1]])", {-5, 3}), -5);
  EXPECT_EQ(last_of(R"([["argument",32,0],["argument",32,1],["icmp slt",32,0,1],["zext",32,2]])", {-5, 3}),
            1);
  EXPECT_EQ(last_of(R"([["argument",32,0],["int",32,40],["shl",32,0,1]])", {1}), std::nullopt);
  EXPECT_EQ(last_of(R"([["argument",32,0]])"), std::nullopt);
}

TEST(Evaluation, TakesOnlyTheSideOfASelection) {
  const std::string nodes =
      R"([["argument",32,0],["argument",32,1],["int",32,0],["icmp eq",32,1,2],["sdiv",32,0,1],["select",32,3,2,4]])";
  EXPECT_EQ(last_of(nodes, {7, 0}), 0);
  EXPECT_EQ(last_of(nodes, {7, 2}), 3);
}

TEST(Evaluation, TruncatesQuotientsOfFloatingPointNumbers) {
  // floor(n * 3.615 / 5.7875) as in a molecular dynamics program that counts its boxes: 20 lattice cells are
  // 12 boxes (72.3 / 5.7875 = 12.49...)
  const std::string nodes =
      R"([["argument",32,0],["sitofp",64,0],["float",64,"400CEB851EB851EC"],["fmul",64,1,2],["float",64,"4017266666666666"],["fdiv",64,3,4],["floor",64,5],["fptosi",32,6]])";
  EXPECT_EQ(last_of(nodes, {20}), 12);
  EXPECT_EQ(last_of(nodes, {16}), 9);  // 57.84 / 5.7875 = 9.99...
}

TEST(Evaluation, RecurrencesAreSumsOfBinomials) {
  const std::string nodes = R"([["int",64,5],["int",64,3],["int",64,2],["recurrence",64,0,0,1,2]])";
  EXPECT_EQ(last_of(nodes, {}, 0), 5);
  EXPECT_EQ(last_of(nodes, {}, 1), 8);
  EXPECT_EQ(last_of(nodes, {}, 4), 5 + 3 * 4 + 2 * 6);
}

}  // namespace
}  // namespace parcast::facts
