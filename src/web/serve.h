// SPDX-License-Identifier: Apache-2.0
#pragma once
// `parcast ui`: a page on this host over the verbs.
//
//   browser --request--> server (limits) --access (Host, token, Origin)--> routes --> session
//      ^                                                                                |  starts `parcast
//      predict`,
//      +------------- events: points, progress -------- experiments <--- tasks <--------+  `report`, `show`
//      as commands

#include <atomic>
#include <functional>
#include <string>

#include "web/server.h"
#include "web/session.h"

namespace parcast::web {

/// Serves until `is_over`. Calls `ready` once with the address and the session's private folder.
Result<void> serve(Settings settings, const ServerOptions& options,
                   const std::function<void(const std::string& url, const Session& session)>& ready,
                   const std::atomic<bool>& is_over);

}  // namespace parcast::web
