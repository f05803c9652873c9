// SPDX-License-Identifier: Apache-2.0
#pragma once
// JSON Schemas (draft 2020-12) of every parcast.NAME/1 that verbs print or write. The files of this folder,
// NAME.json, are part of the program; definitions that several share are in common.json.
//
//   $ parcast schema prediction
//   {"$schema": ..., "title": "parcast.prediction/1", ..., "$defs": {"estimate": ...}}

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace parcast::schemas {

struct File {
  std::string_view name, text;
};
/// Returns the files without common.json, by name.
const std::vector<File>& files();
/// Returns common.json.
std::string_view common();

struct Document {
  std::string name, schema, description;  // "prediction", "parcast.prediction/1"
};
std::vector<Document> documents();

/// Returns the schema of a document, "prediction" or "parcast.prediction/1", with the definitions that it
/// refers to.
Result<std::string> schema_of(std::string_view name);
/// Returns the documents as parcast.schemas/1.
std::string documents_to_json(const std::vector<Document>& documents);

}  // namespace parcast::schemas
