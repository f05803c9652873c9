// SPDX-License-Identifier: Apache-2.0
#include "study/commands.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "base/files.h"
#include "base/text.h"

namespace parcast::study {
namespace {

namespace fs = std::filesystem;

bool is_of_a_path(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-' || c == '/' || static_cast<unsigned char>(c) >= 0x80;
}

/// Returns the next place where the path is not part of a longer one; npos if there is none.
std::size_t find_path(std::string_view word, std::string_view path, std::size_t from) {
  for (std::size_t at = word.find(path, from); at != std::string_view::npos; at = word.find(path, at + 1)) {
    const std::size_t end = at + path.size();
    if ((at == 0 || !is_of_a_path(word[at - 1])) && (end == word.size() || !is_of_a_path(word[end])))
      return at;
  }
  return std::string_view::npos;
}

bool is_file(const fs::path& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem);
}

/// Returns the file that a word names, as a path or through PATH; empty if there is none.
fs::path file_named(const std::string& word) {
  if (word.empty() || word.size() > 4096) return {};
  if (is_file(word)) return word;
  if (word.find('/') != std::string::npos) return {};
  const char* path = std::getenv("PATH");
  for (const std::string& folder : split(path ? path : "", ':')) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / word;
    if (is_file(candidate) && ::access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return {};
}

/// Returns the words, and the parts of those that are lines of a shell.
std::vector<std::string> all_parts(const std::vector<std::string>& words) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    out.push_back(word);
    std::string part;
    for (const char c : word + " ") {
      if (is_of_a_path(c)) {
        part += c;
        continue;
      }
      if (!part.empty() && part != word) out.push_back(part);
      part.clear();
    }
  }
  return out;
}

bool is_filled_template(const fs::path& file, const std::vector<Template>& templates) {
  constexpr std::uintmax_t kLongest = 1 << 20;  // bytes
  std::error_code problem;
  if (templates.empty() || fs::file_size(file, problem) > kLongest || problem) return false;
  const auto content = read_file(file);
  return content && std::ranges::any_of(templates, [&](const Template& each) {
           return is_filled_from(each.content, *content);
         });
}

}  // namespace

bool names_path(std::string_view word, std::string_view path) {
  return !path.empty() && find_path(word, path, 0) != std::string_view::npos;
}

std::string with_path(std::string_view word, std::string_view path, std::string_view replacement) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at; !path.empty() && (at = find_path(word, path, done)) != std::string_view::npos;
       done = at + path.size()) {
    out += word.substr(done, at - done);
    out += replacement;
  }
  return out += word.substr(done);
}

Result<Command> command_of(const Description& description, const std::vector<Template>& templates,
                           const Values& values, const fs::path& folder) {
  Command command;
  std::vector<std::string> words = description.launch;
  for (const Template& each : templates) {
    const fs::path path = folder / fs::path(each.path).filename();
    PARCAST_ASSIGN(std::string content, filled(each.content, values, each.path));
    command.inputs.push_back({path, std::move(content)});
    for (std::string& word : words) word = with_path(word, each.path, path.string());
  }
  for (const std::string& word : words) {
    PARCAST_ASSIGN(std::string text, filled(word, values, "the launch line"));
    command.words.push_back(std::move(text));
  }
  return command;
}

std::map<std::string, std::string> FileDigests::of(const std::vector<std::string>& words,
                                                   const std::vector<Input>& without,
                                                   const std::vector<Template>& templates) {
  std::map<std::string, std::string> out;
  for (const std::string& part : all_parts(words)) {
    if (std::ranges::any_of(without, [&](const Input& input) { return input.path == part; })) continue;
    const fs::path file = file_named(part);
    if (file.empty() || is_filled_template(file, templates)) continue;
    auto known = known_.find(file.string());
    if (known == known_.end()) {
      const auto content = digest_of_file(file);
      known = known_.emplace(file.string(), content ? *content : "")
                  .first;  // one that cannot be read has no content
    }
    out[part] = known->second;
  }
  return out;
}

std::string key_of(const Command& command, const std::map<std::string, std::string>& files,
                   const std::map<std::string, std::string>& host, int repeat) {
  std::string all = "parcast run 1\n";
  const auto add = [&](std::string_view what, std::string_view text) {
    all += std::string(what) + " " + std::to_string(text.size()) + "\n" + std::string(text) + "\n";
  };
  for (const std::string& word : command.words) add("word", word);
  for (const Input& input : command.inputs) add("input", input.content);
  for (const auto& [name, content] : files) add("file " + name, content);
  for (const auto& [name, value] : host) add("host " + name, value);
  add("repeat", std::to_string(repeat));
  return digest(all);
}

}  // namespace parcast::study
