// SPDX-License-Identifier: Apache-2.0
#include "report/table.h"

#include <gtest/gtest.h>

namespace parcast::report {
namespace {

using Align = Column::Align;
using Shrink = Column::Shrink;

TEST(Table, ColumnsAreAsWideAsTheirContentAndLinesEndWithoutBlanks) {
  Table table({{"name"}, {"ms", Align::right}, {"note"}});
  table.add({"a", "1.5", ""});
  table.add({"longer", "10.25", "x"});
  EXPECT_EQ(table.text({}),
            "  name       ms  note\n"
            "  a         1.5\n"
            "  longer  10.25  x\n");
}

TEST(Table, CharactersCountNotBytes) {
  Table table({{"name"}, {"ms", Align::right}}, 0);
  table.add({"Zürich ± µ", "1"});
  table.add({"0123456789", "2"});
  EXPECT_EQ(table.text({}),
            "name        ms\n"
            "Zürich ± µ   1\n"
            "0123456789   2\n");
}

TEST(Table, TooWideALineTakesFromTheWidestColumnThatMayShrink) {
  Table table({{"region", Align::left, Shrink::cut_front},
               {"s", Align::right},
               {"executions", Align::left, Shrink::cut_end}});
  table.add({"main/solve/inner/halo", "123", "steps*(n/p + 1)"});
  EXPECT_EQ(table.text({false, 36}),
            "  region           s  executions\n"
            "  ...inner/halo  123  steps*(n/p ...\n");
  EXPECT_EQ(table.text({false, 200}),
            "  region                   s  executions\n"
            "  main/solve/inner/halo  123  steps*(n/p + 1)\n");
}

TEST(Table, CutsBetweenCharacters) {
  Table table({{"", Align::left, Shrink::cut_end}, {"", Align::left, Shrink::cut_front}}, 0);
  table.add({"ääääääääääää", "öööööööööööö"});
  EXPECT_EQ(table.text({false, 20}), "ääääää...  ...öööööö\n");
}

TEST(Table, WhatGoesBelowIsWholeUnderItsRowWhereItDoesNotFit) {
  Table table({{"loop"},
               {"executions", Align::left, Shrink::below},
               {"moves", Align::left, Shrink::below},
               {"share", Align::right}});
  table.add({"loop", "steps", "", "90%"});
  table.add({"  MPI_Send", "steps*(n/p + 1)", "8*n + 16 B", "7%"});
  EXPECT_EQ(table.text({false, 43}),
            "  loop        executions  moves       share\n"
            "  loop        steps                     90%\n"
            "    MPI_Send  ...         8*n + 16 B     7%\n"
            "        executions steps*(n/p + 1)\n");
  EXPECT_EQ(table.text({false, 41}),
            "  loop        executions  moves     share\n"
            "  loop        steps                   90%\n"
            "    MPI_Send  ...         ...          7%\n"
            "        executions steps*(n/p + 1); moves\n"
            "            8*n + 16 B\n");
  EXPECT_EQ(table.text({false, 60}),
            "  loop        executions       moves       share\n"
            "  loop        steps                          90%\n"
            "    MPI_Send  steps*(n/p + 1)  8*n + 16 B     7%\n");
}

TEST(Table, CellsCutInTheMiddleStayDifferent) {
  Table table({{"region", Column::Align::left, Column::Shrink::cut_middle}, {"seconds"}});
  const std::vector<std::string> names{"a_long_region_of_a_program: computing, lines 100-120",
                                       "a_long_region_of_a_program: computing, lines 100-130",
                                       "a_long_region_of_a_program: MPI_Send, lines 100-130", "short"};
  for (const std::string& name : names) table.add({name, "1"});
  for (const int width : {20, 30, 40, 50}) {
    std::set<std::string> lines;
    for (const std::string& line : {table.text({false, width})}) {
      std::size_t begin = 0;
      for (std::size_t end = line.find('\n'); end != std::string::npos;
           begin = end + 1, end = line.find('\n', begin)) {
        lines.insert(line.substr(begin, end - begin));
        EXPECT_LE(end - begin, static_cast<std::size_t>(width));
      }
    }
    EXPECT_EQ(lines.size(), names.size() + 1) << width;
  }
}

TEST(Table, NamesKeepTheirColumnsBeforeOtherCells) {
  Table table({{"region, lines of a_long_name.cpp", Column::Align::left, Column::Shrink::cut_middle},
               {"executions", Column::Align::left, Column::Shrink::cut_end}});
  table.add({"update: computing, lines 143-150", "steps - ceil(steps/20)"});
  EXPECT_EQ(table.text({false, 46}),
            "  region, lines of a_long_name.cpp  executions\n"
            "  update: computing, lines 143-150  steps -...\n");
  EXPECT_TRUE(table.text({false, 44}).starts_with("  region, lines of a_long_nam...  executions\n"));
}

TEST(Headline, IsWrappedAndBoldInItsFirstPartAlone) {
  EXPECT_EQ(headline({true, 20}, "12 ms", "compute 54 %, idle 46 %"),
            "  \033[1m12 ms\033[0m      compute\n    54 %, idle 46 %");
}

TEST(TitleLine, TheRightPartHasALineOfItsOwnWhereBothDoNotFit) {
  EXPECT_EQ(title_line("swe, on here", "equation", {false, 22}), "swe, on here  equation\n");
  EXPECT_EQ(title_line("swe, on here", "equation", {false, 20}), "swe, on here\n  equation\n");
}

TEST(Table, ColumnsThatMayNotShrinkStayWhole) {
  Table table({{"path"}});
  table.add({"/a/very/long/path/that/is/data"});
  EXPECT_EQ(table.text({false, 10}), "  path\n  /a/very/long/path/that/is/data\n");
}

TEST(Table, NamesCannotColourTheTerminal) {
  Table table({{"x"}});
  table.add({"\033]0;title\007"});
  EXPECT_EQ(table.text({true, 80}).find('\007'), std::string::npos);
  EXPECT_EQ(table.text({false, 80}).find('\033'), std::string::npos);
}

TEST(Wrapped, KeepsItsLeadingBlanksAndIndentsTheRest) {
  EXPECT_EQ(wrapped({false, 16}, "  ! one two three four", 4), "  ! one two\n    three four");
  EXPECT_EQ(wrapped({false, 16}, "  short", 4), "  short");
  EXPECT_EQ(wrapped({false, 14}, "within 12 or 23 %; more", 2), "within 12 or\n  23 %; more");
  EXPECT_EQ(wrapped({false, 5}, "unbreakable word", 2), "unbreakable\n  word");
  EXPECT_EQ(wrapped({false, 5}, "", 2), "");
}

TEST(Style, WithoutColourNothingIsAdded) {
  EXPECT_EQ(bold({false, 80}, "x"), "x");
  EXPECT_EQ(bold({true, 80}, "x"), "\033[1mx\033[0m");
}

}  // namespace
}  // namespace parcast::report
