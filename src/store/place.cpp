// SPDX-License-Identifier: Apache-2.0
#include "store/place.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"

namespace parcast::store {
namespace {

constexpr std::string_view kHidden = "***";

/// Keywords that the form "keyword=value keyword=value" of a libpq connection may begin with.
constexpr std::array<std::string_view, 12> kKeywords{
    "host",    "hostaddr", "port",    "dbname",          "user",    "password",
    "service", "passfile", "sslmode", "connect_timeout", "options", "application_name"};

bool has_keyword(std::string_view text) {
  const auto equals = text.find('=');
  if (equals == std::string_view::npos) return false;
  return std::find(kKeywords.begin(), kKeywords.end(), trim(text.substr(0, equals))) != kKeywords.end();
}

/// Hides the value after each "password=".
void hide_password_parameter(std::string& text) {
  constexpr std::string_view kName = "password";
  for (auto at = text.find(kName); at != std::string::npos; at = text.find(kName, at)) {
    at = text.find_first_not_of(' ', at + kName.size());
    if (at == std::string::npos || text[at] != '=') continue;
    at = std::min(text.find_first_not_of(' ', at + 1), text.size());
    const bool quoted = at < text.size() && text[at] == '\'';
    auto end = at + (quoted ? 1 : 0);
    while (end < text.size() && (quoted ? text[end] != '\'' : text[end] != ' ' && text[end] != '&'))
      end += text[end] == '\\' ? 2 : 1;
    end = std::min(end + (quoted ? 1 : 0), text.size());
    text.replace(at, end - at, kHidden);
  }
}

/// Hides the password in user:secret@host.
void hide_password_of_user(std::string& url) {
  const auto begin = url.find("://");
  if (begin == std::string::npos) return;
  const auto end = url.find_first_of("/?", begin + 3);
  const auto at = url.rfind('@', end);
  const auto colon = url.find(':', begin + 3);
  if (at == std::string::npos || at < begin || colon == std::string::npos || colon > at) return;
  url.replace(colon + 1, at - colon - 1, kHidden);
}

Place postgresql(const std::string& connection) {
  Place place{Backend::postgresql, connection, connection};
  hide_password_of_user(place.shown);
  hide_password_parameter(place.shown);
  return place;
}

}  // namespace

Result<Place> place_of(const std::string& url) {
  const auto colon = url.find("://");
  if (colon == std::string::npos)
    return has_keyword(url) ? postgresql(url) : Place{Backend::sqlite, url, url};
  const std::string scheme = url.substr(0, colon);
  if (scheme == "sqlite") return Place{Backend::sqlite, url.substr(colon + 3), url.substr(colon + 3)};
  if (scheme == "postgresql" || scheme == "postgres") return postgresql(url);
  const std::string near = did_you_mean(scheme, std::vector<std::string>{"sqlite", "postgresql", "postgres"});
  return Error{"a store is kept in SQLite or PostgreSQL, not in " + scheme, postgresql(url).shown,
               near.empty() ? "write a path, sqlite://PATH or postgresql://USER@HOST/DATABASE" : near};
}

}  // namespace parcast::store
