// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who may ask. The server listens on this host only, but every page in the user's browser, and every user of
// this host, can send requests to it. A request is answered only if
//   - its Host is this host by name or number: a foreign name that is made to resolve to 127.0.0.1 is refused
//     (DNS rebinding);
//   - its path begins with the token, which only the user's terminal shows;
//   - its Origin and Sec-Fetch-Site, where the browser sends them, name a page of this server;
//   - if it changes anything, it has the header X-Parcast, which no page of another origin can send unasked.

#include <optional>
#include <string>
#include <string_view>

#include "web/message.h"

namespace parcast::web {

/// Returns 32 hexadecimal digits of the system's random numbers.
Result<std::string> new_token();

/// Returns whether a Host header names this host: 127.0.0.1, localhost or [::1], with any port (a tunnel may
/// have another one).
bool is_this_host(std::string_view host);

/// Returns the refusal of a request; nothing if it may be answered.
std::optional<Response> refusal(const Request& request, const std::string& token);

}  // namespace parcast::web
