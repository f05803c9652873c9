// SPDX-License-Identifier: Apache-2.0
#pragma once
// Server-sent events to the open pages. All pages show the same experiments, so all receive the same events.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace parcast::web {

/// What one page has not read yet.
struct Stream {
  std::string pending;
  bool is_closed = false;      // the page left, or does not read
  std::function<void()> wake;  // called when there is more to send, or after closing
};

/// Returns "event: NAME\ndata: JSON\n\n"; `json` has no line breaks.
std::string event_text(std::string_view name, std::string_view json);

class Broadcast {
 public:
  /// Returns the stream of a new page, which begins with `first`.
  std::shared_ptr<Stream> join(std::string first);
  /// Sends text to all pages. Closes the stream of a page that reads too slowly.
  void send(const std::string& text);
  /// Closes all streams.
  void close();
  std::size_t pages() const { return streams_.size(); }

 private:
  void forget_closed();
  std::vector<std::shared_ptr<Stream>> streams_;
};

}  // namespace parcast::web
