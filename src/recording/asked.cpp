// SPDX-License-Identifier: Apache-2.0
#include "recording/recording.h"

namespace parcast::recording {
namespace {

/// Returns source and tag as named by the event, for nonblocking receives and probes.
const Message* asked_in(const Call& call, const Event& event) {
  switch (call.kind) {
    case CallClass::start_receive:
      return &event.received;
    case CallClass::probe:
    case CallClass::poll:
      return &event.message;
    default:
      return nullptr;
  }
}

}  // namespace

bool asks_any_source(const Call& call, const Event& event) {
  const Message* asked = asked_in(call, event);
  return asked ? asked->peer == kAnySource : call.asked == Asked::any_source || call.asked == Asked::anything;
}

bool asks_any_tag(const Call& call, const Event& event) {
  const Message* asked = asked_in(call, event);
  if (asked) return asked->tag < 0 && (asked->peer >= 0 || asked->peer == kAnySource);
  return call.asked == Asked::any_tag || call.asked == Asked::anything;
}

}  // namespace parcast::recording
