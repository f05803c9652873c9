// SPDX-License-Identifier: Apache-2.0
// Invalid programs, each with its error message and the column of the caret.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "language/written.h"

namespace parcast::program::written {
namespace {

struct Mistake {
  const char* name;
  std::string text;   // after "program x\n"
  std::string where;  // line:column
  std::string what;
  std::string hint;  // part of the hint
};

class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreRefusedWhereTheyStand) {
  const Mistake& mistake = GetParam();
  const auto model = model_of_text("program x\n" + mistake.text, "x.program");
  ASSERT_FALSE(model.ok());
  const Error& error = model.error();
  EXPECT_EQ(error.what, mistake.what);
  EXPECT_EQ(error.where, "x.program" + (mistake.where.empty() ? "" : ":" + mistake.where));
  EXPECT_THAT(error.hint, testing::HasSubstr(mistake.hint));
  if (mistake.where.empty()) return;
  // The caret is below the column.
  const int column = std::stoi(mistake.where.substr(mistake.where.find(':') + 1));
  const std::size_t second = error.hint.find('\n') + 1;
  EXPECT_EQ(error.hint.find('^', second) - second, static_cast<std::size_t>(column) + 7);
}

INSTANTIATE_TEST_SUITE_P(
    All, Mistakes,
    testing::ValuesIn(std::vector<Mistake>{
        {"UnknownStatement", "brodcast 8 B from 0\n", "2:1", "\"brodcast\" is no statement",
         "did you mean broadcast?"},
        {"NoStatement", "", "", "the program does nothing", "compute 3 us"},
        {"NumberAsStatement", "8 B\n", "2:1", "a statement begins with a word", ""},
        {"UnknownName", "parameter rows = 10\ncompute 3*row us\n", "3:11", "nothing is called row here",
         "did you mean rows?"},
        {"UnknownFunction", "compute flor(3.5) us\n", "2:9", "there is no function flor",
         "did you mean floor?"},
        {"OpenBracket", "compute 3*(p + 1 us\n", "2:11", "this bracket is not closed", ""},
        {"NoOperand", "compute 3* us\n", "2:12", "nothing is called us here", ""},
        {"EndOfExpression", "repeat\n", "2:7", "the line ends where a number or a name should", ""},
        {"TextInExpression", "repeat (\"a\")\n", "2:9",
         "there is a text where a number or a name is expected", ""},
        {"OpenText", "compute 3 us \"inner\n", "2:14", "this text has no end", "close it with"},
        {"StrangeSign", "compute 3 us ?\n", "2:14", "this sign has no meaning here", ""},
        {"Tab", "repeat 3\n\tbarrier\n", "3:1", "blocks are indented by spaces, and this is a tab", ""},
        {"InfiniteNumber", "compute 1e999 s\n", "2:9", "1e999 is larger than 1e30", ""},
        {"IndentedFirst", "  barrier\n", "2:3", "this line is indented, and no block begins above it", ""},
        {"IndentedWithoutBlock", "barrier\n  barrier\n", "3:3",
         "this line is indented by 2, and the block it is in by 0", ""},
        {"IndentedLess", "repeat 3\n    barrier\n  barrier\n", "4:3",
         "this line is indented less than the block above it, and more than what that block belongs to", ""},
        {"NoBlock", "repeat 3\nbarrier\n", "2:1", "\"repeat\" has no block", "indent"},
        {"TwiceNamed", "program y\nbarrier\n", "2:1", "the program is named twice", ""},
        {"ParameterWithoutValue", "parameter N\nbarrier\n", "2:12",
         "a parameter needs a value that it may have", "parameter N = 1000"},
        {"ParameterOfAnotherMeaning", "parameter p = 3\nbarrier\n", "2:11", "p has a meaning of its own", ""},
        {"ParameterTwice", "parameter N = 3\nlet N = 4\nbarrier\n", "3:5", "N is declared in line 2 already",
         ""},
        {"ParameterNoNumber", "parameter N = p\nbarrier\n", "2:15", "the values of a parameter are numbers",
         ""},
        {"HeadAfterStatements", "barrier\nparameter N = 3\n", "3:1",
         "\"parameter\" comes before the first statement", ""},
        {"GridOfFour", "grid 4\nbarrier\n", "2:6", "a process grid has 1, 2 or 3 dimensions", ""},
        {"GridTwice", "grid 2\ngrid 2\nbarrier\n", "3:6", "the process grid is declared twice", ""},
        {"GridDimension", "grid 2 periodic 2\nbarrier\n", "2:17", "the grid has no dimension 2",
         "numbered from 0"},
        {"GridAndHost", "host program\ngrid 2\nbarrier\n", "3:6",
         "a process grid holds all ranks, and the host is none of the nodes", ""},
        {"Distribution", "data A (8, 8) of 8 B distributed (BLOK, WHOLE)\nbarrier\n", "2:35",
         "BLOK is no distribution", "did you mean BLOCK?"},
        {"DistributedTooLittle", "data A (8, 8) of 8 B distributed (BLOCK)\nbarrier\n", "2:22",
         "A has 2 dimensions, and 1 are distributed", "WHOLE"},
        {"DistributedWithoutGrid", "data A (8, 8) of 8 B distributed (BLOCK, BLOCK)\nbarrier\n", "2:22",
         "2 dimensions are distributed over a process grid of none", "grid 2"},
        {"NoUnitOfComputing", "compute 3\n", "2:10", "an amount of computing needs a unit", "known are ns"},
        {"UnknownUnitOfComputing", "compute 3 double_ad\n", "2:11", "double_ad is no unit of computing",
         "did you mean double_add?"},
        {"ErrorWithoutUnit", "compute 3 us +- 4\n", "2:18", "a standard error needs % or a unit of time", ""},
        {"TooMuch", "compute 3 us 4\n", "2:14", "\"4\" is too much here", "ends before"},
        {"SizeWithoutUnit", "allreduce 8\n", "2:11", "a size needs a unit", "8*n B"},
        {"SizeWithAnotherUnit", "allreduce 8 kib\n", "2:13", "kib is no unit of data", "did you mean"},
        {"SizeTwiceWithUnit", "data A (8) of 8 B\nallreduce A.bytes B\n", "3:19",
         "the size is in bytes already", "leave out the unit"},
        {"SendWithoutTo", "send 8 B r + 1\n", "2:10", "\"r\" is there where \"to\" and the receiver should",
         ""},
        {"SendToAny", "send 8 B to any\n", "2:13", "a message is not sent to any rank", ""},
        {"PartnerWithoutRule", "send 8 B to 2*r\n", "2:13",
         "this partner follows no rule that a structure has", "known are a rank"},
        {"PartnerItself", "send 8 B to r\n", "2:13", "a rank exchanges nothing with itself", ""},
        {"ModuloAnother", "send 8 B to (r + 1) mod 3\n", "2:25", "ranks go round modulo p", ""},
        {"ShiftWithoutGrid", "send 8 B to (0, +1)\n", "2:13",
         "a shift by 2 numbers needs a process grid of 2 dimensions", "grid 2"},
        {"ShiftByNothing", "grid 2\nsend 8 B to (0, 0)\n", "3:13",
         "a shift by nothing leads to the rank itself", ""},
        {"ExchangeWithANeighbour", "exchange 8 B with r + 1\n", "2:19",
         "who is that rank's partner is another rank", "shift SIZE"},
        {"ExchangeWithOne", "exchange 8 B with 0\n", "2:19",
         "each rank would exchange with this one, and it with none of them", ""},
        {"ExclusiveWithN", "parameter N = 3\nexchange 8 B with r xor N\n", "3:25",
         "a partner is r xor a whole number, or r xor 2^k for the index k of the innermost loop", ""},
        {"NegativeTag", "send 8 B to r + 1 tag -1\n", "2:23", "tags are not negative", ""},
        {"StartWhat", "start barrier\n", "2:7", "what is started is a send or a receive", ""},
        {"WaitForWhat", "wait\n", "2:5", "the line ends where \"all\" should", ""},
        {"NoHost", "broadcast 8 B from host\n", "2:20", "there is no host", "host program"},
        {"NoNodes", "allreduce 8 B among nodes\n", "2:21", "there are nodes where there is a host",
         "host program"},
        {"NoRows", "allreduce 8 B among rows\n", "2:21",
         "rows and columns need a process grid of two dimensions", "grid 2"},
        {"NoGroup", "allreduce 8 B among row\n", "2:21", "\"row\" is no group of ranks",
         "did you mean rows?"},
        {"HostAmongNodes", "host program\nreduce 8 B to host among nodes\n", "3:15",
         "the host is none of the nodes", "node 0"},
        {"RootThatChanges", "broadcast 8 B from r\n", "2:20", "a root is the number of a rank", ""},
        {"OneEqualsSign", "if r = 0\n  barrier\n", "2:6", "\"=\" gives a name its value", "=="},
        {"NoCondition", "if r\n  barrier\n", "2:4", "this is no condition", "r == 0"},
        {"Probability", "if probability 2\n  compute 3 us\n", "2:16", "a probability is a number from 0 to 1",
         ""},
        {"ElseAlone", "barrier\nelse\n  barrier\n", "3:1", "there is no \"if\" before this \"else\"", ""},
        {"ElseOfChance", "if probability 0.5\n  compute 3 us\nelse\n  compute 1 us\n", "4:1",
         "\"if probability\" has no \"else\"", ""},
        {"ChanceOnce", "if probability 0.5\n  barrier\n", "2:1",
         "communication by chance must be in a repeat, which gives its number of rounds", "repeat N"},
        {"TwoChances", "repeat 8\n  if probability 0.5\n    barrier\n  if probability 0.25\n    barrier\n",
         "5:3", "a loop has one probability of what communicates, and line 3 has another", "two loops"},
        {"UndefinedCall", "define solve\n  barrier\ncall solv\n", "4:1", "nothing is defined as solv",
         "did you mean solve?"},
        {"Circle", "define a\n  call b\ndefine b\n  call a\ncall a\n", "5:3",
         "the calls go round in a circle: a calls b calls a", "repeat"},
        {"DefinedTwice", "define a\n  barrier\ndefine a\n  barrier\ncall a\n", "4:8",
         "a is defined in line 2 already", ""},
        {"DefinedInside", "repeat 3\n  define a\n    barrier\n", "3:3",
         "definitions begin at the left margin", ""},
        {"IndexTaken", "parameter N = 3\nfor N = 1..3\n  barrier\n", "3:5", "N is declared in line 2 already",
         ""},
        {"IndexOutside", "for i = 1..3\n  compute i us\ncompute i us\n", "4:9", "nothing is called i here",
         ""},
        {"RangeWithoutEnd", "for i = 1\n  barrier\n", "2:10", "the line ends where the range's \"..\" should",
         ""},
        {"ParallelWhat", "parallel i = 1..3\n  compute 3 us\n", "2:10", "\"i\" is there where \"do\" should",
         ""},
        {"OverNodes", "parallel do i = 1..3 over nodes\n  compute 3 us\n", "2:27",
         "there are nodes where there is a host", "host program"},
        {"OverDimension", "parallel do i = 1..3 over dimension 0\n  compute 3 us\n", "2:37",
         "there is no dimension 0", "grid 2"},
        {"TriangularCommunication", "for i = 1..9\n  for j = 1..i\n    barrier\n", "3:3",
         "how often this goes round changes with the index of the loop in line 2, and there is communication "
         "in it",
         ""},
        {"QuadraticSize", "for i = 1..9\n  allreduce i^2 B\n", "3:3",
         "the size changes with the index of a loop by no rule that a structure has", "a + b k"},
        {"SizeByAnOuterIndex", "for i = 1..9\n  repeat 3\n    allreduce i B\n", "4:5",
         "the size changes with the index of a loop by no rule that a structure has", "innermost"},
        {"ConditionByAnIndex", "for i = 1..9\n  if r > i\n    send 8 B to 0\n", "3:3",
         "which ranks communicate changes with the index of the loop in line 2", ""},
        {"ComputingBetweenSomeRounds",
         "rounds k = 0..log2(p)-1\n  exchange 8 B with r xor 2^k\n  compute 1 us\n", "2:1",
         "in some rounds of this loop ranks have no partner, and what they compute in between cannot be "
         "distinguished then",
         ""},
        {"PowersWithoutASum", "parameter N = 8\nrounds k = 0..N\n  allreduce 2^k B\n", "4:3",
         "powers of two have no sum here that can be written down", "log2"},
    }),
    [](const auto& each) { return each.param.name; });

TEST(Mistakes, AProgramHasAName) {
  const auto model = model_of_text("parameter N = 3\nbarrier\n", "x.program");
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(to_string(model.error()),
            "x.program:1:1: error: the program has no name yet\n    1 | parameter N = 3\n      | ^ begin "
            "with: program NAME");
  EXPECT_EQ(to_string(model_of_text("", "x.program").error()),
            "x.program: error: the file holds no program\n  it begins with: program NAME");
}

}  // namespace
}  // namespace parcast::program::written
