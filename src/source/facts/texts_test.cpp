// SPDX-License-Identifier: Apache-2.0
// Numbers read from words of the command line. The programs have one or two blocks and are written as the
// compiler pass describes them. Nodes are numbered in their order in the text.
#include <gmock/gmock.h>

#include "source/facts/derivation.h"

namespace parcast::facts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<Module> program(const std::string& nodes, const std::string& stores, const std::string& calls,
                            const std::string& name = "main") {
  const std::string json =
      R"({"source":"x.c","counters":1,"probes":0,"functions":[
{"name":")" +
      name +
      R"(","shape":"1","arcs":[[1,2],[3,4],[0,1,0],[2,3],[4,0]],"blocks":[{"at":[],"operations":{}},{"at":[],"operations":{}}],"stores":[)" +
      stores + "],\n\"calls\":[" + calls + "],\n\"nodes\":[" + nodes + "]}]}";
  auto modules = read_facts("parcast-facts 1 AB " + std::to_string(json.size()) + "\n" + json + "\n", "x");
  EXPECT_TRUE(modules) << to_string(modules.error());
  return modules ? *std::move(modules) : std::vector<Module>{};
}
std::string call(const std::string& name, const std::string& arguments, int block = 0) {
  return R"({"block":)" + std::to_string(block) + R"(,"at":[],"to":")" + name + R"(","arguments":[)" +
         arguments + "]}";
}

struct Seen {
  std::vector<Input> inputs;
  bool sole = false;
};
Seen given(const std::vector<Module>& modules, NodeNumber node) {
  const auto found = LinkedProgram(modules).candidates({0, 0}, node);
  Seen all{{}, found.sole};
  for (const Formula& formula : found.formulas)
    for (const Input& input : inputs_of(formula)) all.inputs.push_back(input);
  return all;
}
Input word(int number, int part = 0) {
  return {InputKind::word, number, 0, part};
}

// argv[1], the format, n, m, and loads of both.
std::string scanning(const std::string& format) {
  return R"(["behind",1,8],["pointed",0,0],["text",")" + format +
         R"("],["local",3],["local",4],["load",32,3],["load",32,4],["somewhere"],["int",32,100])";
}

TEST(Scanning, ReadsNumbersOfAWord) {
  const auto one = program(scanning("%d"), "", call("__isoc99_sscanf", "1,2,3"));
  EXPECT_THAT(given(one, 5).inputs, ElementsAre(word(1)));
  EXPECT_TRUE(given(one, 5).sole);
  const auto two = program(scanning("%dx%d"), "", call("sscanf", "1,2,3,4"));
  EXPECT_THAT(given(two, 5).inputs, ElementsAre(word(1, 1)));
  EXPECT_THAT(given(two, 6).inputs, ElementsAre(word(1, 2)));
  EXPECT_TRUE(given(two, 6).sole);
}

TEST(Scanning, OfWhatIsNoNumberIsNotTold) {
  EXPECT_THAT(given(program(scanning("%x"), "", call("sscanf", "1,2,3")), 5).inputs, IsEmpty());
  EXPECT_THAT(given(program(scanning("%d"), "", call("sscanf", "7,2,3")), 5).inputs, IsEmpty());
}

TEST(Scanning, OfAPointerThatIsCopiedOverMayReadAnotherWord) {
  const std::string nodes =
      R"(["behind",1,8],["pointed",0,0],["text","%d"],["local",3],["local",4],["load",32,3],["pointed",4,0],["somewhere"],["int",64,8])";
  EXPECT_TRUE(given(program(nodes, "[0,4,1]", call("sscanf", "6,2,3")), 5).sole);
  EXPECT_FALSE(
      given(program(nodes, "[0,4,1]", call("memcpy", "4,7,8") + "," + call("sscanf", "6,2,3")), 5).sole);
}

TEST(Scanning, MayLeaveWhatStoodThere) {
  EXPECT_FALSE(given(program(scanning("%d"), "[0,3,8]", call("sscanf", "1,2,3")), 5).sole);
  for (const char* reads : {"fscanf", "scanf"})
    EXPECT_FALSE(
        given(program(scanning("%d"), "[0,3,8]", call(reads, reads[0] == 'f' ? "7,2,3" : "2,3")), 5).sole)
        << reads;
}

TEST(Parsing, ToAnotherBaseIsAnotherNumber) {
  const auto of = [](int base) {
    return given(program(R"(["behind",1,8],["pointed",0,0],["somewhere"],["int",32,)" + std::to_string(base) +
                             R"(],["call",64,"strtol",1,2,3])",
                         "", ""),
                 4)
        .inputs;
  };
  EXPECT_THAT(of(10), ElementsAre(word(1)));
  EXPECT_THAT(of(0), ElementsAre(word(1)));
  EXPECT_THAT(of(8), IsEmpty());
  EXPECT_THAT(of(16), IsEmpty());
}

// std::string s(argv[1]), inlined: a short text is stored inside the object, and its length is the word's.
// std::stoi(s) is strtol of its text.
constexpr const char* kString =
    R"(["behind",1,8],["pointed",0,0],["local",2],["at",2,8],["at",2,16],["somewhere"],["int",32,10],["call",64,"strlen",1],["pointed",2,0],["call",64,"strtol",8,5,6],["behind",1,16],["pointed",10,0],["call",64,"strlen",11],["local",13])";

TEST(Strings, HoldAWordThatTheyGetTheLengthOf) {
  const std::string constructed = "[0,2,4],[0,2,5],[0,3,7]";
  EXPECT_THAT(given(program(kString, constructed, ""), 9).inputs, ElementsAre(word(1)));
  EXPECT_TRUE(given(program(kString, constructed, ""), 9).sole);
  EXPECT_THAT(given(program(kString, constructed + ",[0,3,12]", ""), 9).inputs, IsEmpty())
      << "one word or the other";
  EXPECT_THAT(
      given(program(kString, constructed,
                    call("_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE9_M_appendEPKcm", "2,5,6")),
            9)
          .inputs,
      IsEmpty());
  EXPECT_THAT(given(program(kString, "[0,2,5],[0,3,7]", ""), 9).inputs, IsEmpty())
      << "no string: its text is not in it";
}

TEST(Strings, HoldAWordThatTheyAreConstructedFrom) {
  const std::string constructor = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEC2IS3_EEPKcRKS3_";
  EXPECT_THAT(given(program(kString, "", call(constructor, "2,1,5")), 9).inputs, ElementsAre(word(1)));
  EXPECT_THAT(
      given(program(kString, "", call(constructor, "2,1,5") + "," + call(constructor, "2,11,5")), 9).inputs,
      IsEmpty());
}

TEST(Streams, BeginWithTheNumberOfTheirString) {
  const std::string nodes = std::string(kString) + R"(,["local",14],["load",32,14])";  // stream 13, n 14
  const std::string constructed = "[0,2,4],[0,3,7]",
                    stream = call(
                        "_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1EONS_12basic_"
                        "stringIcS2_S3_EESt13_Ios_Openmode",
                        "13,2,6");
  const std::string read = "," + call("_ZNSirsERi", "13,14");
  EXPECT_THAT(given(program(nodes, constructed, stream + read), 15).inputs, ElementsAre(word(1)));
  EXPECT_TRUE(given(program(nodes, constructed, stream + read), 15).sole);
  EXPECT_THAT(given(program(nodes, constructed, stream + read + read), 15).inputs, IsEmpty())
      << "the first or the second";
  EXPECT_THAT(given(program(nodes, constructed, stream + "," + call("_ZNSi3getEv", "13") + read), 15).inputs,
              IsEmpty())
      << "a letter was taken before";
}

// A text 0 with a descriptor 1, n 2, m 3, and loads of both.
constexpr const char* kBuffer =
    R"x(["local",0],["local",1],["local",2],["local",3],["somewhere"],["int",32,1],["int",32,2],["int",64,32],["int",32,4],["load",32,2],["load",32,3],["global","_QQclX2869313029",0],["int",64,5],["global","_QQclX28693329",0],["int",64,3])x";
std::string gets(int word, int block = 0) {
  return call("_FortranAGetCommandArgument", (word == 1 ? "5" : "6") + std::string(",1,4,4,4,5"), block) +
         ",";
}
std::string reads(int into, int block = 0, const std::string& length = "7") {
  return call("_FortranAioBeginInternalListInput", "0," + length + ",4,7,4,5", block) + "," +
         call("_FortranAioInputInteger", "4," + std::to_string(into) + ",8", block) + "," +
         call("_FortranAioEndIoStatement", "4", block);
}
const std::string kDescribed = "[0,1,0]";

TEST(InternalFiles, HoldTheWordThatTheyWereGivenLast) {
  const auto both = program(kBuffer, kDescribed, gets(1) + reads(2) + "," + gets(2) + reads(3), "_QQmain");
  EXPECT_THAT(given(both, 9).inputs, ElementsAre(word(1)));
  EXPECT_THAT(given(both, 10).inputs, ElementsAre(word(2)));
  EXPECT_TRUE(given(both, 10).sole);
  EXPECT_THAT(given(program(kBuffer, kDescribed, gets(1) + reads(2, 1), "_QQmain"), 9).inputs,
              ElementsAre(word(1)));
  EXPECT_THAT(given(program(kBuffer, kDescribed, gets(1) + gets(2) + reads(2, 1), "_QQmain"), 9).inputs,
              IsEmpty())
      << "one or the other";
  EXPECT_THAT(given(program(kBuffer, kDescribed, gets(1) + reads(2, 0, "14"), "_QQmain"), 9).inputs,
              IsEmpty())
      << "only 3 of its letters";
}

TEST(InternalFiles, OfWhichALetterIsChangedMayHoldAnotherNumber) {
  const std::string nodes = std::string(kBuffer) + R"(,["at",0,3],["int",8,49])";
  const std::string reading = gets(1) + reads(2);
  EXPECT_TRUE(given(program(nodes, kDescribed, reading, "_QQmain"), 9).sole);
  EXPECT_FALSE(given(program(nodes, kDescribed + ",[0,15,16]", reading, "_QQmain"), 9).sole);
  EXPECT_FALSE(
      given(program(nodes, kDescribed, reading + "," + call("memmove", "0,4,12"), "_QQmain"), 9).sole);
  EXPECT_TRUE(given(program(nodes, kDescribed + ",[0,3,16]", reading, "_QQmain"), 9).sole) << "of another";
  EXPECT_FALSE(
      given(program(nodes, kDescribed, reading + "," + call("memmove", "15,4,12"), "_QQmain"), 9).sole)
      << "some of its letters";
  EXPECT_FALSE(
      given(program(nodes, kDescribed,
                    reading + "," + call("_FortranAioBeginInternalFormattedOutput", "0,7,11,12,4,4,7,4,5"),
                    "_QQmain"),
            9)
          .sole);
  auto computed = program(nodes, kDescribed, reading, "_QQmain");
  computed[0].functions[0].overwrites.push_back({1, 0});
  EXPECT_FALSE(given(computed, 9).sole) << "one of which the number is computed";
}

TEST(InternalFiles, AreReadByAFormatThatTakesAllDigits) {
  const auto by = [](const std::string& format) {
    return given(
               program(kBuffer, kDescribed,
                       gets(1) +
                           call("_FortranAioBeginInternalFormattedInput", "0,7," + format + ",12,4,4,7,4,5") +
                           "," + call("_FortranAioInputInteger", "4,2,8"),
                       "_QQmain"),
               9)
        .inputs;
  };
  EXPECT_THAT(by("11"), ElementsAre(word(1)));  // (i10)
  EXPECT_THAT(by("13"), IsEmpty());             // (i3)
}

TEST(InternalFiles, OtherFilesAreNotTold) {
  const auto modules = program(kBuffer, kDescribed + ",[0,2,6]",
                               gets(1) + call("_FortranAioBeginExternalListInput", "5,4,5") + "," +
                                   call("_FortranAioInputInteger", "4,2,8"),
                               "_QQmain");
  EXPECT_FALSE(given(modules, 9).sole) << "2, or what stands in the file";
}

}  // namespace
}  // namespace parcast::facts
