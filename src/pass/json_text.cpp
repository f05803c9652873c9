// SPDX-License-Identifier: Apache-2.0
#include "pass/json_text.h"

#include <algorithm>
#include <charconv>

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace parcast::pass {
namespace {

using namespace llvm;

// All other characters are written unchanged.
bool needs_escape(char character) {
  return static_cast<unsigned char>(character) < 0x20 || character == '"' || character == '\\';
}

void append_string(std::string& text, StringRef string) {
  text.push_back('"');
  for (std::size_t at = 0; at < string.size();) {
    const StringRef plain = string.substr(at).take_until(needs_escape);
    text.append(plain.data(), plain.size());
    at += plain.size();
    if (at == string.size()) break;
    constexpr const char* digits = "0123456789abcdef";
    const auto code = static_cast<unsigned char>(string[at++]);
    if (code >= 0x20)
      (text += '\\') += static_cast<char>(code);
    else
      ((text += "\\u00") += digits[code >> 4]) += digits[code & 15];
  }
  text.push_back('"');
}

void append_number(std::string& text, const json::Value& value) {
  const auto whole = value.getAsInteger();
  if (!whole) {
    raw_string_ostream(text) << value;
    return;
  }
  char digits[24];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, *whole).ptr);
}

void append_members(std::string& text, const json::Object& object, char before) {
  SmallVector<const json::Object::value_type*, 16> members;
  for (const auto& member : object) members.push_back(&member);
  std::ranges::sort(members, {}, [](const auto* member) { return StringRef(member->first); });
  for (const auto* member : members) {
    text.push_back(before);
    append_string(text, member->first);
    text.push_back(':');
    append_json(text, member->second);
    before = ',';
  }
}

void append_object(std::string& text, const json::Object& object) {
  append_members(text, object, '{');
  text += object.empty() ? "{}" : "}";
}

void append_array(std::string& text, const json::Array& array) {
  char before = '[';
  for (const json::Value& element : array) {
    text.push_back(before);
    append_json(text, element);
    before = ',';
  }
  text += array.empty() ? "[]" : "]";
}

}  // namespace

void append_members(std::string& text, const json::Object& object) {
  append_members(text, object, ',');
}

void append_json(std::string& text, const json::Value& value) {
  switch (value.kind()) {
    case json::Value::Null:
      text += "null";
      return;
    case json::Value::Boolean:
      text += *value.getAsBoolean() ? "true" : "false";
      return;
    case json::Value::Number:
      return append_number(text, value);
    case json::Value::String:
      return append_string(text, *value.getAsString());
    case json::Value::Array:
      return append_array(text, *value.getAsArray());
    case json::Value::Object:
      return append_object(text, *value.getAsObject());
  }
}

}  // namespace parcast::pass
