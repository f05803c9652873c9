// SPDX-License-Identifier: Apache-2.0
#pragma once
// What `parcast store list` and `parcast store show` print.

#include <string>
#include <vector>

#include "report/style.h"
#include "store/entry.h"

namespace parcast::report {

std::string store_list_text(const std::vector<store::Entry>& entries, const Style& style);
/// Everything that is known of one entry, and its content.
std::string store_entry_text(const store::Entry& entry, const Style& style);

}  // namespace parcast::report
