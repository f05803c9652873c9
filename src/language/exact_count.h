// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "model/model.h"

namespace parcast::program::written {

inline Count exact(const symbolic::Expression& expression) {
  Count out;
  out.expression = expression;
  out.origin = Origin::exact;
  return out;
}

}  // namespace parcast::program::written
