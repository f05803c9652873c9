// SPDX-License-Identifier: Apache-2.0
#pragma once
// The command of one run, and the key by which its result is found again.

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "study/description.h"

namespace parcast::study {

/// Returns whether the path occurs in the word as a path of its own: "in.txt" in "in.txt", "--in=in.txt" and
/// "app < in.txt", not in "main.txt" or "in.txt.old".
bool names_path(std::string_view word, std::string_view path);
/// Replaces all these occurrences.
std::string with_path(std::string_view word, std::string_view path, std::string_view replacement);

/// A filled input file.
struct Input {
  std::filesystem::path path;  // where it is written before the run
  std::string content;
};

struct Command {
  std::vector<std::string> words;
  std::vector<Input> inputs;
};
/// Returns the command of a run with these values. Filled templates get their names in `folder`.
Result<Command> command_of(const Description& description, const std::vector<Template>& templates,
                           const Values& values, const std::filesystem::path& folder);

/// Digests of the files that commands name; each file is read once.
class FileDigests {
 public:
  /// Returns name and digest of every file that the words name: executables found through PATH, input files,
  /// also within a word ("sh -c './app < in'"). Left out are paths in `without`, and files that are a filled
  /// template: a launch line may copy its input to a fixed name, where that of another run lies before it.
  std::map<std::string, std::string> of(const std::vector<std::string>& words,
                                        const std::vector<Input>& without,
                                        const std::vector<Template>& templates);

 private:
  std::map<std::string, std::string> known_;
};

/// Returns the key of a run: a digest of its command, the content of its inputs, the files that it names, and
/// `host`, on which it runs. Runs of one key differ only in `repeat`.
std::string key_of(const Command& command, const std::map<std::string, std::string>& files,
                   const std::map<std::string, std::string>& host, int repeat);

}  // namespace parcast::study
