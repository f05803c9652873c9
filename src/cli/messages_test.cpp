// SPDX-License-Identifier: Apache-2.0
#include "cli/messages.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace parcast::cli {
namespace {

/// Returns what a terminal of that width shows after print_message(text).
std::string shown(unsigned short columns, const std::string& text) {
  const winsize size{24, columns, 0, 0};
  int master = -1, slave = -1;
  EXPECT_EQ(::openpty(&master, &slave, nullptr, nullptr, &size), 0);
  std::fflush(stderr);
  const int kept = ::dup(STDERR_FILENO);
  ::dup2(slave, STDERR_FILENO);
  print_message(text);
  std::fflush(stderr);
  ::dup2(kept, STDERR_FILENO);
  ::close(kept);
  char bytes[4096];
  const ssize_t count = ::read(master, bytes, sizeof bytes);
  ::close(slave);
  ::close(master);
  std::string out(bytes, count > 0 ? static_cast<std::size_t>(count) : 0);
  std::erase(out, '\r');
  return out;
}

TEST(Messages, WarningsAreWrappedOnATerminal) {
  const std::string command =
      "  parcast record -n 2 -s N=1000 -o a.recording -- ./a.out 1000 " + std::string(30, 'x');
  const std::string text =
      "a.recording: warning: the run was disturbed: its ranks were 12 % off the processor\n";
  EXPECT_EQ(shown(60, text + command + "\n"),
            "a.recording: warning: the run was disturbed: its ranks were\n"
            "  12 % off the processor\n" +
                command + "\n");
}

TEST(Messages, AWideOrVeryNarrowTerminalChangesNothing) {
  const std::string text = "a: warning: " + std::string(30, 'a') + " " + std::string(30, 'b') + "\n";
  EXPECT_EQ(shown(100, text), text);
  EXPECT_EQ(shown(30, text), text);
}

TEST(Messages, ColumnsOfAPipeAreThoseOfTheEnvironment) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto columns_if = [&](const char* value) {
    ::setenv("COLUMNS", value, 1);
    const auto columns = columns_for_text(ends[1]);
    ::unsetenv("COLUMNS");
    return columns;
  };
  ::unsetenv("COLUMNS");
  EXPECT_EQ(columns_for_text(ends[1]), std::nullopt);
  EXPECT_EQ(columns_if("80"), 80);
  for (const char* not_used : {"", "eighty", "30", "-80", "80x", "100000"})
    EXPECT_EQ(columns_if(not_used), std::nullopt) << not_used;
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace parcast::cli
