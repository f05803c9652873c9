// SPDX-License-Identifier: Apache-2.0
#pragma once
// NAME.model.json: the program model as a readable file (docs/formats/model.md).

#include <filesystem>
#include <string>

#include "model/model.h"

namespace parcast::program {

inline constexpr const char* kModelSchema = "parcast.model/1";

std::string to_json(const Model& model);
/// Parses a model; `where` names the text in errors. Checks the version of the schema, every reference and
/// every expression.
Result<Model> model_from_json(std::string_view text, const std::string& where);
Result<Model> read_model(const std::filesystem::path& path);
Result<void> write_model(const std::filesystem::path& path, const Model& model);

}  // namespace parcast::program
