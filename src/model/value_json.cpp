// SPDX-License-Identifier: Apache-2.0
#include "model/value_json.h"

namespace parcast::program {

using symbolic::Expression;

Result<Expression> read_expression(const Value& value, const Kinds& kinds) {
  PARCAST_ASSIGN(const std::string written, value.text());
  auto parsed = symbolic::parse(written, kinds);
  if (!parsed) return value.error("is not an expression: " + parsed.error().what);
  return std::move(*parsed);
}

Result<Origin> read_origin(const Value& value) {
  PARCAST_ASSIGN(const Value entry, value.at("origin"));
  PARCAST_ASSIGN(const std::string name, entry.text());
  const auto known = origin_from(name);
  if (!known) return entry.error("\"" + name + "\" is not known");
  return *known;
}

Result<Count> read_count(const Value& value, const Kinds& kinds) {
  Count count;
  PARCAST_ASSIGN(const Value written, value.at("expression"));
  PARCAST_ASSIGN(count.expression, read_expression(written, kinds));
  PARCAST_ASSIGN(count.origin, read_origin(value));
  if (value.has("alternatives")) {
    PARCAST_ASSIGN(const Value list, value.at("alternatives"));
    PARCAST_ASSIGN(count.alternatives,
                   list.list_of<Expression>([&](const Value& v) { return read_expression(v, kinds); }));
  }
  if (value.has("open")) {
    PARCAST_ASSIGN(const Value list, value.at("open"));
    PARCAST_ASSIGN(count.open, list.list_of<std::string>([](const Value& v) { return v.text(); }));
  }
  if (value.has("settling")) {
    PARCAST_ASSIGN(const Value list, value.at("settling"));
    PARCAST_ASSIGN(count.settling,
                   list.list_of<std::vector<double>>([&](const Value& v) -> Result<std::vector<double>> {
                     PARCAST_ASSIGN(auto tuple, v.list_of<double>([](const Value& x) { return x.number(); }));
                     if (tuple.size() != count.open.size())
                       return v.error("does not have a value for each open variable");
                     return tuple;
                   }));
  }
  if (value.has("relative_error")) {
    PARCAST_ASSIGN(const Value error, value.at("relative_error"));
    PARCAST_ASSIGN(count.relative_error, error.not_negative());
  }
  if (value.has("advice")) {
    PARCAST_ASSIGN(const Value advice, value.at("advice"));
    PARCAST_ASSIGN(count.advice, advice.text());
  }
  return count;
}

Json write_count(const Count& count) {
  Json json{{"expression", symbolic::to_text(count.expression)}, {"origin", to_string(count.origin)}};
  for (const Expression& a : count.alternatives) json["alternatives"].push_back(symbolic::to_text(a));
  if (!count.open.empty()) json["open"] = count.open;
  if (!count.settling.empty()) json["settling"] = count.settling;
  if (count.relative_error != 0) json["relative_error"] = count.relative_error;
  if (!count.advice.empty()) json["advice"] = count.advice;
  return json;
}

}  // namespace parcast::program
