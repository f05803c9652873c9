// SPDX-License-Identifier: Apache-2.0
#pragma once
// The addresses of the server, as a table. docs/formats/ui.md describes them.

#include <string_view>
#include <vector>

#include "web/message.h"

namespace parcast::web {

class Session;

struct Route {
  std::string_view method, path;  // after the token
  void (*answer)(Session&, const Request&, const Reply&) = nullptr;
};

const std::vector<Route>& routes();

}  // namespace parcast::web
