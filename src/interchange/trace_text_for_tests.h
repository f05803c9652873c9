// SPDX-License-Identifier: Apache-2.0
#pragma once
// Helpers for tests: the operations of a rank as readable words, comparison of traces, and a temporary folder
// for files.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace parcast::interchange {

/// Returns "compute 1000" (picoseconds), "start_send 1 tag 7 8192b" (to world rank 1), "wait 1 2",
/// "collective 3 root 0 8b", ...
inline std::vector<std::string> words_of(const trace::Trace& trace, std::int32_t rank) {
  static const char* const kKinds[] = {"send",          "receive", "start_send",
                                       "start_receive", "wait",    "collective"};
  std::vector<std::string> out;
  for (trace::Walker walker(trace.sequences[trace.sequence_of[static_cast<std::size_t>(rank)]]);
       walker.next();) {
    if (walker.item().what() == trace::Item::What::compute) {
      out.push_back("compute " + std::to_string(walker.item().time()));
      continue;
    }
    const trace::Operation& it = trace.operations[walker.item().index()];
    std::string text = kKinds[static_cast<int>(it.kind)];
    const auto or_any = [](std::int32_t value, std::int32_t shown) {
      return value == trace::kAny ? std::string("any") : std::to_string(shown);
    };
    if (it.kind == trace::Kind::wait)
      for (const std::uint32_t ago : trace.request_sets[it.requests]) text += " " + std::to_string(ago);
    else if (it.kind == trace::Kind::collective)
      text += " " + std::to_string(static_cast<int>(it.pattern)) + " root " + std::to_string(it.root) + " " +
              std::to_string(it.bytes) + "b";
    else
      text += " " + or_any(it.peer, rank + it.peer) + " tag " + or_any(it.tag, it.tag) + " " +
              std::to_string(it.bytes) + "b";
    out.push_back(text);
  }
  return out;
}

/// Compares everything except the assumptions.
inline bool equal(const trace::Trace& a, const trace::Trace& b) {
  const auto same_words = [](const trace::Sequence& x, const trace::Sequence& y) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                      [](trace::Item i, trace::Item j) { return i.word() == j.word(); });
  };
  const auto same_members = [](const trace::Communicator& x, const trace::Communicator& y) {
    return x.members == y.members;
  };
  return a.program == b.program && a.ranks == b.ranks && a.operations == b.operations &&
         a.sequence_of == b.sequence_of && a.request_sets == b.request_sets && a.places == b.places &&
         std::equal(a.sequences.begin(), a.sequences.end(), b.sequences.begin(), b.sequences.end(),
                    same_words) &&
         std::equal(a.communicators.begin(), a.communicators.end(), b.communicators.begin(),
                    b.communicators.end(), same_members);
}

class Scratch {
 public:
  Scratch() {
    std::string name = (std::filesystem::temp_directory_path() / "parcast-interchange-XXXXXX").string();
    path_ = ::mkdtemp(name.data()) ? name : "";
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  std::filesystem::path put(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }
  static std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t entries() const {
    const std::filesystem::directory_iterator all(path_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

 private:
  std::filesystem::path path_;
};

}  // namespace parcast::interchange
