// SPDX-License-Identifier: Apache-2.0
#pragma once
// For tests: values of expressions computed by other programs, which are a C++ compiler, Duktape and Giac.

#include <gtest/gtest.h>
#include <stdlib.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "symbolic/languages.h"

namespace parcast::symbolic {

inline std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return out;
  std::array<char, 4096> buffer{};
  for (std::size_t read = 0; (read = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    out.append(buffer.data(), read);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return out;
}

/// Returns the values of `calls`, evaluated after the definitions that they use.
inline std::vector<double> values_by(Language language, const std::string& definitions,
                                     const std::vector<std::string>& calls) {
  std::string folder = (std::filesystem::temp_directory_path() / "languagesXXXXXX").string();
  EXPECT_TRUE(mkdtemp(folder.data()));
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder + "/" + name) << text;
    return folder + "/" + name;
  };
  std::string asked;
  for (const std::string& call : calls) {
    if (language == Language::cpp) asked += "std::printf(\"%.17g\\n\", " + call + ");\n";
    if (language == Language::javascript) asked += "print(" + call + ");\n";
    if (language == Language::maple) asked += "evalf(" + call + ",20);\n";
  }
  std::string answers;
  if (language == Language::cpp) {
    const std::string source = write(
        "f.cpp", "#include <cmath>\n#include <cstdio>\n" + definitions + "int main() {\n" + asked + "}\n");
    answers = output_of("c++ -std=c++17 -O0 -o " + folder + "/f " + source + " && " + folder + "/f");
  } else if (language == Language::javascript) {
    answers = output_of("duk " + write("f.js", definitions + asked));
  } else {
    answers = output_of("cd " + folder + " && giac " +
                        write("f.mpl", "maple_mode(1);\nDigits := 20:\n" + definitions + asked) +
                        " < /dev/null 2> /dev/null");
  }
  std::filesystem::remove_all(folder);
  std::vector<double> values;
  std::istringstream lines(answers);
  for (std::string line; std::getline(lines, line);)
    // the other lines are remarks
    if (!line.empty() && !line.starts_with('"')) values.push_back(std::strtod(line.c_str(), nullptr));
  return values;
}

}  // namespace parcast::symbolic
