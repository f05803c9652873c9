// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "web/session.h"

namespace parcast::cli {

/// {"schema": "parcast.ui/1", "url", "folder", "store"}
std::string ui_to_json(const std::string& url, const web::Settings& settings);

}  // namespace parcast::cli
