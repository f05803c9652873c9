// SPDX-License-Identifier: Apache-2.0
#include "base/visible.h"

#include <gtest/gtest.h>

#include "base/result.h"

namespace parcast {
namespace {

TEST(Visible, ControlCharactersAreEscapedAndLettersStay) {
  EXPECT_EQ(visible("a\033[31mb"), "a\\x1b[31mb");
  EXPECT_EQ(visible("tab\there\n"), "tab\\x09here\\x0a");
  EXPECT_EQ(visible("\x7F"), "\\u007f");
  EXPECT_EQ(visible("\xC2\x9B"), "\\u009b");  // the one-character form of ESC [
  EXPECT_EQ(visible("größe €𝄞 名前"), "größe €𝄞 名前");
  EXPECT_EQ(visible(std::string_view("\0x", 2)), "\\x00x");
}

TEST(Visible, CharactersWithoutAShapeAreEscaped) {
  EXPECT_EQ(visible("gpj.\u202Eexe"), "gpj.\\u202eexe");  // right-to-left override
  // isolates and direction marks
  EXPECT_EQ(visible("\u2066a\u2069\u200F\u061C"), "\\u2066a\\u2069\\u200f\\u061c");
  EXPECT_EQ(visible("a\u200Bb\u200Dc\uFEFFd\u00ADe"), "a\\u200bb\\u200dc\\ufeffd\\u00ade");  // width 0
  EXPECT_EQ(visible("a\u2028b\u2029"), "a\\u2028b\\u2029");  // line separators
  EXPECT_EQ(visible("\U000E0041"), "\\udb40\\udc41");        // a tag
}

TEST(Visible, WhatIsNoUtf8IsEscapedByteByByte) {
  EXPECT_EQ(visible("\xC3"), "\\xc3");
  EXPECT_EQ(visible("\xC0\xAF\xED"), "\\xc0\\xaf\\xed");
  EXPECT_EQ(visible("\x80x"), "\\x80x");
  EXPECT_EQ(visible("\xE0\x80\xAF"), "\\xe0\\x80\\xaf");           // longer than the shortest form
  EXPECT_EQ(visible("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // half a surrogate pair
  EXPECT_EQ(visible("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond Unicode
}

TEST(Visible, OfALongTextTheBeginningAndTheEndAreShown) {
  const std::string name(1'000'000, 'x');
  EXPECT_EQ(visible("<" + name + ">", 8), "<xxxxx ... [999994 bytes left out] ... x>");
  EXPECT_LT(visible(name).size(), 2100u);
  EXPECT_EQ(visible("äöüßäöüß", 8), "äöü ... [8 bytes left out] ... ß");  // a character is never split
}

TEST(Visible, LinesKeepTheirEnds) {
  EXPECT_EQ(visible_lines("a\n\tb\r\033[2J"), "a\n\tb\\x0d\\x1b[2J");
  EXPECT_EQ(visible_lines(std::string(5000, '\n')).size(),
            2000 + std::string(" ... [3000 bytes left out] ... ").size());
}

TEST(Printable, KeepsItsOwnColoursAndNothingElse) {
  EXPECT_EQ(printable("\033[1ma\033[0m \033[2mb\033[0m \033[33m!\033[0m\n"),
            "\033[1ma\033[0m \033[2mb\033[0m \033[33m!\033[0m\n");
  EXPECT_EQ(printable("\033[2J\033]0;title\007\033[1;31m"), "\\x1b[2J\\x1b]0;title\\x07\\x1b[1;31m");
}

TEST(LineWithCaret, PointsAtTheColumn) {
  EXPECT_EQ(line_with_caret("  brodcast 1 B", 9, 3, "did you mean broadcast?"),
            "  9 |   brodcast 1 B\n      |   ^ did you mean broadcast?");
  EXPECT_EQ(line_with_caret("\tx = 1", 1000, 2, ""), "1000 | \tx = 1\n       | \t^");
  EXPECT_EQ(line_with_caret("a\033[2Jb", 1, 6, ""), "  1 | a\\x1b[2Jb\n      |         ^");
  EXPECT_EQ(line_with_caret("é?", 1, 3, ""), "  1 | é?\n      |  ^");
  EXPECT_EQ(line_with_caret("", 1, 1, ""), "  1 | \n      | ^");
}

TEST(LineWithCaret, ShowsOfALongLineThePartAroundTheColumn) {
  const std::string line = std::string(100'000, 'a') + "!" + std::string(100'000, 'b');
  EXPECT_EQ(line_with_caret(line, 7, 100'001, ""), "  7 | ..." + std::string(80, 'a') + "!" +
                                                       std::string(79, 'b') + "...\n      | " +
                                                       std::string(83, ' ') + "^");
}

TEST(ErrorText, HoldsNoControlCharacterAndIsOfBoundedLength) {
  const std::string name = "\033]0;owned\007\n\u202E" + std::string(1'000'000, 'n');
  const std::string text =
      to_string(Error{"there is no region " + name, name, "did you mean " + name + "?\n  | ^"});
  EXPECT_EQ(text.find('\033'), std::string::npos);
  EXPECT_EQ(text.find("\u202E"), std::string::npos);
  EXPECT_LT(text.size(), 20'000u);
  EXPECT_TRUE(text.ends_with("?\n  | ^"));
}

}  // namespace
}  // namespace parcast
