// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pictures that verbs write as files of their own, inside a page.

#include <string>

namespace parcast::report::html {

/// Returns a figure with the picture in the page's look: without its background and its styles, whose classes
/// the page has too. Empty for an empty picture.
std::string embedded(const std::string& name, const std::string& svg);

}  // namespace parcast::report::html
