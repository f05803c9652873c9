// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tracks the open regions: finds the regions to leave and to enter between one path of regions and the next.

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace parcast::interchange {

class OpenRegions {
 public:
  /// Calls `leave` for each path that is left, innermost first, then `enter` for each path that is entered,
  /// outermost first.
  template <class Leave, class Enter>
  void go_to(const std::string& path, const Leave& leave, const Enter& enter) {
    while (!open_.empty() &&
           !(path == open_.back() || (path.starts_with(open_.back()) && path[open_.back().size()] == '/'))) {
      leave(open_.back());
      open_.pop_back();
    }
    while ((open_.empty() ? std::string_view() : std::string_view(open_.back())) != path) {
      const std::size_t from = open_.empty() ? 0 : open_.back().size() + 1;
      open_.push_back(path.substr(0, path.find('/', from)));
      enter(open_.back());
    }
  }
  static std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

 private:
  std::vector<std::string> open_;
};

}  // namespace parcast::interchange
