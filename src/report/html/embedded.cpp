// SPDX-License-Identifier: Apache-2.0
#include "report/html/embedded.h"

#include "report/html/markup.h"

namespace parcast::report::html {
namespace {

/// Removes the first text that begins with `from` and ends with `to`.
void cut(std::string& out, const std::string& from, const std::string& to) {
  const auto begin = out.find(from);
  const auto end = begin == std::string::npos ? begin : out.find(to, begin);
  if (end != std::string::npos) out.erase(begin, end + to.size() - begin);
}

}  // namespace

std::string embedded(const std::string& name, const std::string& svg) {
  const auto head = svg.find('>');
  if (head == std::string::npos) return "";
  std::string out = svg;
  out.insert(head + 1, "<title>" + text(name) + "</title>");
  out.insert(head, " class=\"plain\" role=\"img\" aria-label=\"" + text(name) + "\"");
  cut(out, "<style>", "</style>");
  cut(out, "<rect width=\"100%\" height=\"100%\"", "/>");
  return "<figure class=\"embedded\" data-chart=\"" + text(name) + "\"><figcaption><b>" + text(name) +
         "</b></figcaption>\n" + out + "</figure>\n";
}

}  // namespace parcast::report::html
