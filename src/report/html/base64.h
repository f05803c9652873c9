// SPDX-License-Identifier: Apache-2.0
#pragma once
// Bytes as text of a page.

#include <string>
#include <string_view>

namespace parcast::report::html {

/// Returns the bytes in base 64 (RFC 4648, section 4), padded.
std::string base64(std::string_view bytes);

}  // namespace parcast::report::html
