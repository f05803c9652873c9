/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* A mistake in the use of collections. It ends all processors of the team; the program prints its sentence.
 */

#include <stdexcept>

namespace parcast::collections {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

} /* namespace parcast::collections */
