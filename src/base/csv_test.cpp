// SPDX-License-Identifier: Apache-2.0
#include "base/csv.h"

#include <gmock/gmock.h>

#include <random>

namespace parcast {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Csv, FieldsAreTrimmedAndQuotesKeepTheirContent) {
  const auto csv = parse_csv("a, b ,c\n1,\" x, \"\"y\"\" \",\n", "f.csv");
  ASSERT_TRUE(csv);
  EXPECT_THAT(csv->columns, ElementsAre("a", "b", "c"));
  ASSERT_EQ(csv->rows.size(), 1u);
  EXPECT_THAT(csv->rows[0].fields, ElementsAre("1", " x, \"y\" ", ""));
}

TEST(Csv, RowsKnowTheirLineAcrossBlankLinesCommentsAndQuotedLineEnds) {
  const auto csv =
      parse_csv("\xEF\xBB\xBF# made by hand\r\n\r\na,b\r\n1,2\r\n\r\n\"x\ny\",3\r\n4,5", "f.csv");
  ASSERT_TRUE(csv);
  ASSERT_EQ(csv->rows.size(), 3u);
  EXPECT_EQ(csv->rows[0].line, 4);
  EXPECT_EQ(csv->rows[1].line, 6);
  EXPECT_EQ(csv->rows[1].fields[0], "x\ny");
  EXPECT_EQ(csv->rows[2].line, 8);
  EXPECT_EQ(csv->place(csv->rows[2]), "f.csv:8");
  EXPECT_EQ(csv->column("b"), 1u);
  EXPECT_FALSE(csv->column("c"));
}

TEST(Csv, ErrorsNameTheLine) {
  const auto message = [](std::string_view text) {
    const auto csv = parse_csv(text, "f.csv");
    return csv ? std::string("no error") : to_string(csv.error());
  };
  EXPECT_THAT(message("a,b\n1,2\n1,2,3\n"), HasSubstr("f.csv:3: error: the row has 3 fields, the header 2"));
  EXPECT_THAT(message("a,b\n1,\"2\n3,4\n"), HasSubstr("f.csv:2: error: a quote is opened and never closed"));
  EXPECT_THAT(message("a\n\"2\"3\n"), HasSubstr("f.csv:2: error: text follows a closing quote"));
  EXPECT_THAT(message("\n\na,a\n"), HasSubstr("f.csv:3: error: column a is named twice"));
  EXPECT_THAT(message("a,,b\n"), HasSubstr("f.csv:1: error: column 2 has no name"));
  EXPECT_THAT(message("# nothing\n"), HasSubstr("the file is empty"));
}

TEST(Csv, TheSeparatorIsTheOneThatTheHeaderHasMostOf) {
  EXPECT_EQ(csv_separator("a,b\n1;2;3\n"), ',');
  EXPECT_EQ(csv_separator("\xEF\xBB\xBF# a,b,c\n\na;\"b,c,d\";e\n"), ';');
  EXPECT_EQ(csv_separator("a b\tc,d\te"), '\t');
  EXPECT_EQ(csv_separator("alone"), ',');
  auto reader = CsvReader::open("a\tb\n 1 \t\n", "f", '\t');
  ASSERT_TRUE(reader);
  CsvRow row;
  ASSERT_TRUE(*reader->next(row));
  EXPECT_THAT(row.fields, ElementsAre("1", ""));
  EXPECT_FALSE(*reader->next(row));
}

TEST(Csv, FieldsAreWrittenSoThatTheyAreReadBack) {
  EXPECT_EQ(csv_field("plain"), "plain");
  EXPECT_EQ(csv_field("a \"b\""), "\"a \"\"b\"\"\"");
  for (const std::string text : {"a,b", "a;b", "a\tb", "\"", " a", "a\nb", "a\rb", "#a", ""}) {
    const auto csv = parse_csv("x,y\n" + csv_field(text) + ",1\n", "f");
    ASSERT_TRUE(csv) << text;
    ASSERT_EQ(csv->rows.size(), 1u) << text;
    EXPECT_EQ(csv->rows[0].fields[0], text);
  }
}

TEST(Csv, FormulasAreGuardedAndReadBackAsTheyWere) {
  EXPECT_EQ(csv_field("=1+1"), "'=1+1");
  EXPECT_EQ(csv_field("@sum(A1,B1)"), "\"'@sum(A1,B1)\"");
  EXPECT_EQ(csv_field("'=x"), "''=x");
  EXPECT_EQ(csv_field("-1.5e3"), "-1.5e3");
  EXPECT_EQ(csv_field("-"), "-");
  EXPECT_EQ(csv_field("'quoted'"), "'quoted'");
  for (const std::string text : {"=1+1", "+cmd|' /C calc'!A0", "-2+3", "@x", "'=x", "''@x", "\t=x", "\r=x",
                                 "=", "-", "'", "'a", "-5", "'-5", "--flag", "+5", "=\"x\""}) {
    const auto csv = parse_csv(csv_field(text) + ",y\n" + csv_field(text) + ",1\n", "f");
    ASSERT_TRUE(csv) << text;
    EXPECT_EQ(csv->columns[0], text);
    ASSERT_EQ(csv->rows.size(), 1u) << text;
    EXPECT_EQ(csv->rows[0].fields[0], text);
  }
}

TEST(Csv, ARepeatedHeaderIsNamed) {
  const auto csv = parse_csv("n,value\n1,2\n2,4\n n , value\n3,6\n", "f.csv");
  ASSERT_FALSE(csv);
  EXPECT_EQ(csv.error().where, "f.csv:4");
  EXPECT_EQ(csv.error().what, "line 4 repeats the header");
  EXPECT_TRUE(parse_csv("1,2\n1,2\n", "f.csv"));  // numbers as column names
}

TEST(Csv, AnyBytesGiveRowsAsWideAsTheHeaderOrAnError) {
  constexpr std::string_view kAlphabet = ",\"\n\r# \tab1\xC3";
  std::minstd_rand random(7);
  int parsed = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (std::size_t length = random() % 24; length > 0; --length)
      text += kAlphabet[random() % kAlphabet.size()];
    const auto csv = parse_csv(text, "f.csv");
    if (!csv) continue;
    ++parsed;
    for (const CsvRow& row : csv->rows) ASSERT_EQ(row.fields.size(), csv->columns.size()) << text;
  }
  EXPECT_GT(parsed, 1000);
}

}  // namespace
}  // namespace parcast
