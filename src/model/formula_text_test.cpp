// SPDX-License-Identifier: Apache-2.0
#include "model/formula_text.h"

#include <gtest/gtest.h>

#include "model/binding.h"

namespace parcast::program {
namespace {

std::string text(std::string_view formula, const std::vector<std::string>& parameters = {"N", "steps"}) {
  std::vector<Parameter> all;
  for (const std::string& name : parameters) all.push_back({name, {}});
  const auto read = symbolic::parse(formula, symbol_kinds(all));
  EXPECT_TRUE(read) << formula;
  return read ? formula_text(*read) : "";
}

TEST(FormulaText, NamesTheRankAndItsPlace) {
  EXPECT_EQ(text("8*(N*steps + 2*steps)*if(r >= 1, 1, 0)"), "8*steps*(N + 2) where rank >= 1");
  EXPECT_EQ(text("floor((N - c2_1 - 1)/g2_1) + 1"), "floor((N - y - 1)/py) + 1");
  EXPECT_EQ(text("steps*if(c3_2 >= 1, 1, 0)"), "steps where z >= 1");
  EXPECT_EQ(text("c1_0 + g1_0"), "p + rank");
}

TEST(FormulaText, NamesTheNumberOfDividedDimensions) {
  const std::string x = "if(g3_0 >= 2, 1, 0)", y = "if(g3_1 >= 2, 1, 0)", z = "if(g3_2 >= 2, 1, 0)";
  EXPECT_EQ(text("n*(3*" + x + " + 3*" + y + " + 3*" + z + " + 2)", {"n"}), "n*(3*dims + 2)");
  EXPECT_EQ(text("6*if(g2_0 >= 3, 1, 0) + 6*if(g2_1 >= 3, 1, 0)"), "6*dims3");
  EXPECT_EQ(text("2*" + x + " + 3*" + y + " + 3*" + z),
            "2*if(px >= 2, 1, 0) + 3*if(py >= 2, 1, 0) + 3*if(pz >= 2, 1, 0)");
  EXPECT_EQ(text(x + " + " + y + " + " + z + " + dims", {"dims"}),
            "dims + if(px >= 2, 1, 0) + if(py >= 2, 1, 0) + if(pz >= 2, 1, 0)");
}

TEST(FormulaText, NamesTheNumberOfNeighbours) {
  EXPECT_EQ(text("steps*(if(c2_0 >= 1, 1, 0) + if(g2_0 >= c2_0 + 2, 1, 0) + if(c2_1 >= 1, 1, 0) + "
                 "if(g2_1 >= c2_1 + 2, 1, 0))"),
            "neighbours*steps");
  EXPECT_EQ(text("if(c2_0 >= 1, 1, 0) + if(c2_1 >= 1, 1, 0)"), "if(x >= 1, 1, 0) + if(y >= 1, 1, 0)");
}

TEST(FormulaText, KeepsSymbolsWhereNamesWouldMeet) {
  EXPECT_EQ(text("x*c2_0", {"x"}), "c2_0*x");  // a parameter has the name of a place
  EXPECT_EQ(text("rank + r", {"rank"}), "r + rank");
  EXPECT_EQ(text("c2_0 + c3_0"), "c2_0 + c3_0");  // which of the grids would not be seen
  EXPECT_EQ(text("N*steps"), "N*steps");
}

}  // namespace
}  // namespace parcast::program
