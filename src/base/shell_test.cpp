// SPDX-License-Identifier: Apache-2.0
#include "base/shell.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>

namespace parcast {
namespace {

/// Returns the word as bash reads it.
std::string read_by_bash(const std::string& word) {
  const std::string script = "exec bash -c " + shell_quoted("printf %s " + word);
  FILE* pipe = ::popen(script.c_str(), "r");
  std::string out;
  std::array<char, 256> part;
  for (std::size_t n; pipe && (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    out.append(part.data(), n);
  if (pipe) ::pclose(pipe);
  return out;
}

TEST(Shell, PlainWordsStayAsTheyAre) {
  for (const char* word : {"x.otf2/traces.otf2", "/tmp/a-b_c.1", "n=4,5", "a@b:c%+"})
    EXPECT_EQ(shell_quoted(word), word);
}

TEST(Shell, BlanksQuotesAndSpecialCharactersAreQuoted) {
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted("$HOME;ls"), "'$HOME;ls'");
  EXPECT_EQ(shell_quoted("~"), "'~'");
}

TEST(Shell, ControlCharactersAreEscaped) {
  EXPECT_EQ(shell_quoted("a\nb"), "$'a\\012b'");
  EXPECT_EQ(shell_quoted("\x1b[2J'\\"), "$'\\033[2J\\'\\\\'");
}

TEST(Shell, BashReadsTheSameBytes) {
  for (const std::string word : {"plain", "a b", "it's", "$(ls) `id` \"x\" \\ * ? ~ # & | ; < > ( ) { } !",
                                 "a\nb\tc\x01'\\\x7f", "\xc3\xa4"})
    EXPECT_EQ(read_by_bash(shell_quoted(word)), word);
}

TEST(Shell, LinesAreSplitAtBlanksOutsideOfQuotes) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(shell_words("mpirun  -n {p}\t./app"), (Words{"mpirun", "-n", "{p}", "./app"}));
  EXPECT_EQ(shell_words("sh -c 'a \"b\" c' \"it's\" a\\ b ''"),
            (Words{"sh", "-c", "a \"b\" c", "it's", "a b", ""}));
  EXPECT_EQ(shell_words(" "), Words{});
  EXPECT_EQ(shell_words("sh 'open"), std::nullopt);
  const Words words{"a b", "it's", "", "$x", "plain"};
  EXPECT_EQ(shell_words(shell_line(words)), words);
}

}  // namespace
}  // namespace parcast
