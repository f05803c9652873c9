// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "recording/recording.h"

namespace parcast::interchange {

inline bool is_nothing(const recording::Message& message) {
  return message.peer == recording::kNoPeer && message.tag == 0 && message.bytes == 0;
}

}  // namespace parcast::interchange
