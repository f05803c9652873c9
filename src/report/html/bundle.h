// SPDX-License-Identifier: Apache-2.0
#pragma once
// The style sheet and the program of a page, built from web/ (docs/decisions/0091-pages-of-one-file.md).

namespace parcast::report::html {

extern const char* const kPageStyle;
extern const char* const kPageScript;

}  // namespace parcast::report::html
