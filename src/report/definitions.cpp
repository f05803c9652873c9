// SPDX-License-Identifier: Apache-2.0
#include "report/definitions.h"

#include "base/text.h"
#include "report/table.h"

namespace parcast::report {

using symbolic::Language;

Definitions::Definitions(Language language)
    : language_(language), text_(language == Language::cpp ? "#include <cmath>\n" : "") {}

void Definitions::comment(const std::string& text) {
  const char* mark = language_ == Language::latex                                  ? "% "
                     : language_ == Language::maple || language_ == Language::text ? "# "
                                                                                   : "// ";
  text_ += mark + visible(text) + "\n";
}

std::vector<std::string> Definitions::add(const std::string& name, const symbolic::Expression& value) {
  const symbolic::Definition definition = symbolic::define(name, value, language_);
  for (const auto& [from, to] : definition.renamed)
    if (renamed_.insert({from, to}).second) comment(to + " is " + from);
  text_ += definition.text;
  return definition.symbols;
}

}  // namespace parcast::report
