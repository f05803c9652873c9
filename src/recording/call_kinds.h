// SPDX-License-Identifier: Apache-2.0
#pragma once
// Questions about the class of a recorded call.

#include "recording/recording.h"

namespace parcast::recording {

constexpr bool sends(CallClass kind) {
  return kind == CallClass::send || kind == CallClass::start_send || kind == CallClass::send_receive;
}
constexpr bool receives(CallClass kind) {
  return kind == CallClass::receive || kind == CallClass::send_receive;
}
constexpr bool is_collective(CallClass kind) {
  return kind == CallClass::collective || kind == CallClass::start_collective;
}
constexpr bool communicates(CallClass kind) {
  return kind != CallClass::none && kind != CallClass::initialise && kind != CallClass::finalise &&
         kind != CallClass::region_begin && kind != CallClass::region_end;
}

}  // namespace parcast::recording
