// SPDX-License-Identifier: Apache-2.0
#pragma once
// A page as its parts, whatever it is about: a prediction, a recorded run, measured runs, a machine.

#include <string>
#include <utility>
#include <vector>

#include "report/html/live.h"

namespace parcast::report::html {

struct DocumentSection {
  std::string id, title;
  std::string body;  // HTML; empty: the section is left out
};

struct Document {
  std::string name, of;  // the heading, as text: "gauss" "on here"
  std::string question;  // the line below it
  std::vector<DocumentSection> sections;
  Live live;
  std::vector<std::pair<std::string, std::string>> data;  // JSON for the page's program, by id of its element
};

/// Returns the complete page.
std::string page(const Document& document);

}  // namespace parcast::report::html
