// SPDX-License-Identifier: Apache-2.0
#include "web/access.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace parcast::web {
namespace {

constexpr std::size_t kTokenBytes = 16;

Response forbidden(const std::string& what, const std::string& hint) {
  return error_response(403, {what, "", hint});
}

/// Takes the same time for every wrong token.
bool begins_with_token(std::string_view path, std::string_view token) {
  if (path.size() < token.size() + 2) return false;
  unsigned different = path[0] != '/' || path[token.size() + 1] != '/';
  for (std::size_t i = 0; i < token.size(); ++i)
    different |= static_cast<unsigned char>(path[i + 1]) ^ static_cast<unsigned char>(token[i]);
  return different == 0;
}

/// A link in a mail or in another page may open the first page; it changes nothing and computes nothing.
bool is_opened_by_link(const Request& request, const std::string& token) {
  return request.method == "GET" && request.header("sec-fetch-mode") == "navigate" &&
         request.path == "/" + token + "/";
}

bool is_from_elsewhere(const Request& request) {
  const std::string origin = request.header("origin");
  return !origin.empty() && origin != "http://" + request.header("host");
}

}  // namespace

Result<std::string> new_token() {
  std::array<unsigned char, kTokenBytes> bytes;
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    return Error{std::string("the system gives no random numbers: ") + std::strerror(errno), "", ""};
  constexpr const char* kDigits = "0123456789abcdef";
  std::string out;
  for (const unsigned char byte : bytes) out += {kDigits[byte >> 4], kDigits[byte & 15]};
  return out;
}

bool is_this_host(std::string_view host) {
  for (const std::string_view name : {"127.0.0.1", "localhost", "[::1]"}) {
    if (!host.starts_with(name)) continue;
    const std::string_view rest = host.substr(name.size());
    if (rest.empty()) return true;
    if (rest[0] == ':' && rest.size() > 1 && rest.size() <= 6 &&
        std::ranges::all_of(rest.substr(1), [](char c) { return c >= '0' && c <= '9'; }))
      return true;
  }
  return false;
}

std::optional<Response> refusal(const Request& request, const std::string& token) {
  if (!is_this_host(request.header("host")))
    return forbidden("the request is for another host", "open the address that parcast ui printed");
  if (!begins_with_token(request.path, token))
    return forbidden("the address has no valid token", "open the address that parcast ui printed, in full");
  if (is_from_elsewhere(request)) return forbidden("the request comes from another page", "");
  const std::string site = request.header("sec-fetch-site");
  if (!site.empty() && site != "same-origin" && site != "none" && !is_opened_by_link(request, token))
    return forbidden("the request comes from another page", "open the address that parcast ui printed");
  if (request.method == "GET") return std::nullopt;
  if (request.method != "POST")
    return error_response(405, {"the method " + request.method + " has no use here", "", ""});
  if (request.header("x-parcast") != "1" || !request.header("content-type").starts_with("application/json"))
    return forbidden("a change needs JSON and the header X-Parcast: 1", "");
  return std::nullopt;
}

}  // namespace parcast::web
