// SPDX-License-Identifier: Apache-2.0
#include "cli/compile.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/shell.h"
#include "base/text.h"
#include "cli/fortran_modules.h"
#include "cli/launch.h"
#include "cli/launcher.h"
#include "cli/messages.h"

namespace parcast::cli {
namespace {

namespace fs = std::filesystem;

/// The LLVM version that the pass is built for (src/pass/CMakeLists.txt).
const std::string kVersion = "19";
const std::string kPass = "parcast-pass.so";

struct Names {
  std::string language, variable, package;
  std::vector<std::string> of_the_version, of_any;  // names of the compiler, in the order of the search
};

const Names& names_of(Language language) {
  static const Names c{"C", "PARCAST_CC", "clang-19", {"clang-19"}, {"clang"}};
  static const Names cxx{"C++", "PARCAST_CXX", "clang-19", {"clang++-19"}, {"clang++"}};
  static const Names fortran{
      "Fortran", "PARCAST_FC", "flang-19", {"flang-19", "flang-new-19"}, {"flang", "flang-new"}};
  return language == Language::c ? c : language == Language::cxx ? cxx : fortran;
}

/// Returns e.g. "14.0.6" of "Debian clang version 14.0.6 ..."; empty if the program is no clang or flang. A
/// script may call this program again. The variable prevents a second query, which would recurse endlessly.
std::string version_of(const std::string& compiler) {
  constexpr const char* kAsking = "PARCAST_ASKS_VERSION";
  if (std::getenv(kAsking)) return "";
  ::setenv(kAsking, "1", 1);
  const std::string text = output_of({compiler, "--version"});
  ::unsetenv(kAsking);
  const std::string word = " version ";
  const std::size_t at = text.find(word);
  const std::string name = text.substr(0, std::min(at, text.size()));
  if (at == std::string::npos ||
      (name.find("clang") == std::string::npos && name.find("flang") == std::string::npos))
    return "";
  const std::size_t from = at + word.size();
  return text.substr(from, text.find_first_not_of("0123456789.", from) - from);
}

bool fits(const std::string& version) {
  return version.starts_with(kVersion + ".");
}

Result<std::string> named_compiler(const Names& names, const std::string& compiler) {
  const std::string set = names.variable + "=" + compiler;
  const std::string hint = "name a compiler of LLVM " + kVersion + " there, or leave it unset where " +
                           names.package + " is installed";
  if (!is_program(compiler)) return Error{names.variable + " names a compiler that cannot be run", set, hint};
  const std::string version = version_of(compiler);
  if (version.empty())
    return Error{
        names.variable +
            " names something that is neither clang nor flang: the compiler pass cannot be loaded into it",
        set, hint};
  if (!fits(version))
    return Error{
        names.variable + " names a compiler of version " + version + ": the compiler pass is for " + kVersion,
        set, hint};
  return compiler;
}

Result<std::string> compiler_of(const Names& names) {
  const char* variable = std::getenv(names.variable.c_str());
  const std::string named = variable ? variable : "";
  // a script that calls this program again then searches for the compiler itself
  ::unsetenv(names.variable.c_str());
  if (!named.empty()) return named_compiler(names, named);
  for (const std::string& name : names.of_the_version)
    if (is_program(name)) return name;
  for (const std::string& name : names.of_any)
    if (is_program(name) && fits(version_of(name))) return name;
  return Error{"no " + names.language + " compiler of LLVM " + kVersion + " was found: neither " +
                   names.of_the_version.front() + " nor a " + names.of_any.front() +
                   " of that version is on the PATH",
               "", "install " + names.package + ", or name the compiler in " + names.variable};
}

bool ends_with_one_of(const std::string& word, std::initializer_list<const char*> endings) {
  return std::any_of(endings.begin(), endings.end(),
                     [&](const char* ending) { return word.ends_with(ending); });
}

/// Assembler code gets no -g: debug information would describe the lines of the assembler file, or clash with
/// its own.
bool assembles(const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (ends_with_one_of(words[i], {".s", ".S", ".sx"})) return true;
    if (words[i].starts_with("-xassembler") ||
        (words[i] == "-x" && i + 1 < words.size() && words[i + 1].starts_with("assembler")))
      return true;
  }
  return false;
}

/// Returns whether the words contain any option for debug information, of its kind or its version.
bool speaks_of_debug_information(const std::vector<std::string>& words) {
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return word.starts_with("-g"); });
}

/// Returns whether the words stay unchanged: they run a part of the compiler, whose option must come first,
/// or they contain the pass already because one wrapper calls another.
bool needs_nothing(const std::vector<std::string>& words) {
  return (!words.empty() && words.front().starts_with("-cc1")) ||
         (!words.empty() && words.front() == "-fc1") ||
         std::any_of(words.begin(), words.end(), [](const std::string& word) {
           return word.starts_with("-fpass-plugin=") && word.ends_with(kPass);
         });
}

}  // namespace

Result<std::vector<std::string>> compile_command(Language language, const std::vector<std::string>& words) {
  const Names& names = names_of(language);
  PARCAST_ASSIGN(const std::string compiler, compiler_of(names));
  std::vector<std::string> command{compiler};
  if (!needs_nothing(words)) {
    const auto pass = find_library(kPass);
    if (!pass)
      return Error{"the compiler pass " + pass.error().what, pass.error().where,
                   "build with the headers of LLVM " + kVersion + " installed (llvm-" + kVersion +
                       "-dev), then install again"};
    command.push_back("-fpass-plugin=" + pass->string());
    // valgrind 3.19 fails on lines of DWARF version 5 as clang writes them; flang has no such option and
    // writes version 4. -gdwarf-4 requests more than lines, so it precedes the option that requests only
    // lines.
    if (!assembles(words) && !speaks_of_debug_information(words) && language != Language::fortran)
      command.push_back("-gdwarf-4");
    if (!assembles(words)) command.push_back("-gline-tables-only");
    if (language == Language::fortran) {
      PARCAST_ASSIGN(const auto modules, mpi_modules(compiler, words));
      if (modules) command.push_back("-I" + modules->string());
    } else {  // flang does not warn of unused arguments
      command.insert(command.begin() + 1, "--start-no-unused-arguments");
      command.push_back("--end-no-unused-arguments");
    }
  }
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

Error become(const std::vector<std::string>& command) {
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  ::execvp(words[0], words.data());
  return {std::string("the compiler could not be started: ") + std::strerror(errno), command.front(), ""};
}

int run_compiler(Language language, const std::vector<std::string>& words) {
  const bool show = !words.empty() && words.front() == "--show";
  const auto command = compile_command(language, {words.begin() + (show ? 1 : 0), words.end()});
  if (!command) return say_error(command.error()), kFailed;
  if (show) {
    std::vector<std::string> line;
    for (const std::string& word : *command) line.push_back(shell_quoted(word));
    return print_result(join(line, " ") + "\n"), kAnswered;
  }
  return say_error(become(*command)), kFailed;
}

}  // namespace parcast::cli
