/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* An operation on a collection, as a region of the recording: the collection and what is called on it. */

#include "parcast/collections/team.h"

namespace parcast::collections {

class Operation {
 public:
  struct On {
    Team& team;
    const std::string& collection;
  };
  /* `method`: of the elements, for a region of its own. */
  template <class Method = std::nullptr_t>
  [[gnu::always_inline]] Operation(const On& on, const char* what, Method method = {}) : team_(on.team) {
    if constexpr (std::is_member_function_pointer_v<Method>) {
      const void* address;
      std::memcpy(&address, &method, sizeof address);
      team_.begin_region(on.collection.c_str());
      team_.begin_method(address, what);
      is_nested_ = true;
    } else {
      team_.begin_region(on.collection.c_str(), what);
    }
  }
  [[gnu::always_inline]] ~Operation() {
    team_.end_region();
    if (is_nested_) team_.end_region();
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

 private:
  Team& team_;
  bool is_nested_ = false;
};

} /* namespace parcast::collections */
