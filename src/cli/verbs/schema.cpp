// SPDX-License-Identifier: Apache-2.0
#include "cli/output.h"
#include "cli/verbs.h"
#include "report/table.h"
#include "schemas/schemas.h"

namespace parcast::cli {
namespace {

std::string list_text(const report::Style& style) {
  report::Table table({{"name"}, {"printed by"}}, 0);
  for (const schemas::Document& each : schemas::documents())
    table.add({each.name, each.description.substr(0, each.description.find(". docs/"))});
  return table.text(style);
}

int run_schema(const Invocation& invocation) {
  auto look = style(invocation);
  if (!look) return say_error(look.error()), kUsage;
  if (invocation.inputs.empty())
    return print_result(invocation.json() ? schemas::documents_to_json(schemas::documents())
                                          : list_text(*look)),
           kAnswered;
  const auto schema = schemas::schema_of(invocation.inputs[0]);
  if (!schema) return say_error(schema.error()), kUsage;
  return print_result(*schema), kAnswered;
}

}  // namespace

const Verb& schema_verb() {
  static const Verb verb{.name = "schema",
                         .summary = "print the JSON Schema of what verbs print with --json",
                         .inputs = "[NAME]",
                         .most_inputs = 1,
                         .examples = {"parcast schema", "parcast schema prediction",
                                      "parcast schema prediction > prediction.schema.json"},
                         .notes = {"NAME is of parcast.NAME/1, the `schema` of a document; without it, all "
                                   "names are listed."},
                         .run = run_schema};
  return verb;
}

}  // namespace parcast::cli
