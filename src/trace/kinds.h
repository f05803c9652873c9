// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "trace/trace.h"

namespace parcast::trace {

constexpr bool is_send(Kind kind) {
  return kind == Kind::send || kind == Kind::start_send;
}
constexpr bool is_receive(Kind kind) {
  return kind == Kind::receive || kind == Kind::start_receive;
}

}  // namespace parcast::trace
