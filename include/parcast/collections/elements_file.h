/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/* Elements in a file, as they are in memory. Both throw Error, which names the file and the collection. */

#include <cstddef>
#include <span>
#include <string>

namespace parcast::collections::detail {

void write_elements(const std::string& path, std::span<const std::byte> elements,
                    const std::string& collection);
/* The file must have exactly that many bytes. */
void read_elements(const std::string& path, std::span<std::byte> elements, const std::string& collection);

} /* namespace parcast::collections::detail */
