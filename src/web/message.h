// SPDX-License-Identifier: Apache-2.0
#pragma once
// A request to the server of `parcast ui` and its answer, without the library that carries them.

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "web/stream.h"

namespace parcast::web {

struct Request {
  std::string method;                          // "GET"
  std::string path;                            // "/TOKEN/api/library"
  std::map<std::string, std::string> query;    // decoded
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  /// Returns the value of a header, by its name in lower case; empty without it.
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

struct Response {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body;
  std::string policy = {};                   // Content-Security-Policy; empty: nothing may load or run
  std::shared_ptr<Stream> events = nullptr;  // instead of the body
};

/// Sends the answer, at once or later. Only the first call counts.
using Reply = std::function<void(Response)>;

/// {"error": {"what": ..., "where": ..., "hint": ...}}
Response error_response(int status, const Error& error);

}  // namespace parcast::web
