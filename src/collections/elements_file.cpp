// SPDX-License-Identifier: Apache-2.0
#include "parcast/collections/elements_file.h"

#include <cstdio>
#include <memory>

#include "parcast/collections/error.h"

namespace parcast::collections::detail {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

bool is_at_end(std::FILE* file) {
  return std::fgetc(file) == EOF && std::feof(file);
}

}  // namespace

void write_elements(const std::string& path, std::span<const std::byte> elements,
                    const std::string& collection) {
  File file(std::fopen(path.c_str(), "wb"));
  const bool is_written = file && (elements.empty() || std::fwrite(elements.data(), 1, elements.size(),
                                                                   file.get()) == elements.size());
  const bool is_closed = file && std::fclose(file.release()) == 0;
  if (!is_written || !is_closed) throw Error(path + " cannot be written with the elements of " + collection);
}

void read_elements(const std::string& path, std::span<std::byte> elements, const std::string& collection) {
  const File file(std::fopen(path.c_str(), "rb"));
  const bool is_read = file && (elements.empty() || std::fread(elements.data(), 1, elements.size(),
                                                               file.get()) == elements.size());
  if (!is_read || !is_at_end(file.get()))
    throw Error(path + " does not hold the " + std::to_string(elements.size()) + " bytes of " + collection);
}

}  // namespace parcast::collections::detail
