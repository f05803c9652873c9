// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared by the readers and writers of a model's parts: a value in the document with its path, and counts.

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/count.h"

namespace parcast::program {

using Json = nlohmann::ordered_json;
using Kinds = std::map<std::string, symbolic::SymbolKind, std::less<>>;

/// A value in the document and its path: nodes[3].executions. Errors name the path.
class Value {
 public:
  Value(const Json& json, std::string path, const std::string& where)
      : json_(json), path_(std::move(path)), where_(where) {}

  Error error(const std::string& what) const {
    return {(path_.empty() ? "the model" : path_) + " " + what, where_,
            "make the model again from its recordings"};
  }
  bool has(const char* key) const { return json_.is_object() && json_.contains(key); }
  Result<Value> at(const char* key) const {
    if (!json_.is_object()) return error("is not an object");
    const auto found = json_.find(key);
    if (found == json_.end()) return error(std::string("has no \"") + key + "\"");
    return Value(*found, path_.empty() ? key : path_ + "." + key, where_);
  }
  Result<std::vector<Value>> list() const {
    if (!json_.is_array()) return error("is not a list");
    std::vector<Value> values;
    for (std::size_t i = 0; i < json_.size(); ++i)
      values.emplace_back(json_[i], path_ + "[" + std::to_string(i) + "]", where_);
    return values;
  }
  Result<std::vector<std::pair<std::string, Value>>> entries() const {
    if (!json_.is_object()) return error("is not an object");
    std::vector<std::pair<std::string, Value>> values;
    for (const auto& [key, value] : json_.items())
      values.emplace_back(key, Value(value, path_ + "." + key, where_));
    return values;
  }
  Result<std::string> text() const {
    if (!json_.is_string()) return error("is not a text");
    return json_.get<std::string>();
  }
  Result<double> number() const {
    if (!json_.is_number()) return error("is not a number");
    const double value = json_.get<double>();
    if (!std::isfinite(value)) return error("is not a finite number");
    return value;
  }
  Result<double> not_negative() const {
    PARCAST_ASSIGN(const double value, number());
    if (value < 0) return error("is negative");
    return value;
  }
  Result<std::int64_t> integer(std::int64_t low, std::int64_t high) const {
    if (!json_.is_number_integer()) return error("is not a whole number");
    if (json_.is_number_unsigned() &&
        json_.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return error("is out of range");
    const auto value = json_.get<std::int64_t>();
    if (value < low || value > high) return error("is out of range");
    return value;
  }
  Result<bool> truth() const {
    if (!json_.is_boolean()) return error("is neither true nor false");
    return json_.get<bool>();
  }
  template <class T, class Read>
  Result<std::vector<T>> list_of(Read read) const {
    PARCAST_ASSIGN(const auto values, list());
    std::vector<T> out;
    for (const Value& value : values) {
      PARCAST_ASSIGN(T entry, read(value));
      out.push_back(std::move(entry));
    }
    return out;
  }

 private:
  const Json& json_;
  std::string path_;
  const std::string& where_;
};

Result<symbolic::Expression> read_expression(const Value& value, const Kinds& kinds);
/// Returns the value's "origin".
Result<Origin> read_origin(const Value& value);
Result<Count> read_count(const Value& value, const Kinds& kinds);
Json write_count(const Count& count);

}  // namespace parcast::program
