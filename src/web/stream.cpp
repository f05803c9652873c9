// SPDX-License-Identifier: Apache-2.0
#include "web/stream.h"

namespace parcast::web {
namespace {

constexpr std::size_t kMostPending = std::size_t{64} << 20;  // bytes; a page gets all experiments at once

void wake(const Stream& stream) {
  if (stream.wake) stream.wake();
}

}  // namespace

std::string event_text(std::string_view name, std::string_view json) {
  return "event: " + std::string(name) + "\ndata: " + std::string(json) + "\n\n";
}

std::shared_ptr<Stream> Broadcast::join(std::string first) {
  forget_closed();
  auto stream = std::make_shared<Stream>();
  stream->pending = std::move(first);
  streams_.push_back(stream);
  return stream;
}

void Broadcast::send(const std::string& text) {
  forget_closed();
  for (const auto& stream : streams_) {
    stream->pending += text;
    stream->is_closed = stream->pending.size() > kMostPending;
    wake(*stream);
  }
}

void Broadcast::close() {
  for (const auto& stream : streams_) {
    stream->is_closed = true;
    wake(*stream);
  }
  streams_.clear();
}

void Broadcast::forget_closed() {
  std::erase_if(streams_, [](const auto& stream) { return stream->is_closed; });
}

}  // namespace parcast::web
