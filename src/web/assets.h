// SPDX-License-Identifier: Apache-2.0
#pragma once
// The page of `parcast ui`, built from web/ (docs/decisions/0097-the-page-runs-verbs.md).

namespace parcast::web {

extern const char* const kUiPage;
extern const char* const kUiStyle;
extern const char* const kUiScript;

}  // namespace parcast::web
