// SPDX-License-Identifier: Apache-2.0
// Any bytes as a node-HOST.recs file: no crash, parts inside the file, memory bounded by its size. The
// mutator repairs the checksums of header, parts and index, so that mutations reach the code behind the
// checks.
//
//   build/fuzz/fuzz/container_fuzz -max_total_time=600 CORPUS SEEDS
//                                                    (SEEDS: node-HOST.recs of small recordings)
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "recording/container.h"
#include "recording/containers.h"

using namespace parcast;
using namespace parcast::recording;

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t largest);

namespace {

void demand(bool holds) {
  if (!holds) std::abort();
}

std::uint32_t check_of(const std::uint8_t* bytes, std::size_t words, std::uint64_t skip,
                       std::uint64_t place) {
  std::string copy(reinterpret_cast<const char*>(bytes), 8 * words);
  return parcast_check(copy.data(), words, skip, place);
}

template <class T>
void seal(std::uint8_t* at, std::uint64_t magic, std::uint64_t place) {
  std::memcpy(at, &magic, sizeof magic);
  const std::uint32_t check = check_of(at, sizeof(T) / 8, 1, place);
  std::memcpy(at + offsetof(T, check), &check, sizeof check);
}

void seal_index(std::uint8_t* data, std::size_t size) {
  parcast_index_trailer trailer;
  const std::size_t end = size - sizeof trailer;
  std::memcpy(&trailer, data + end, sizeof trailer);
  trailer.parts %= static_cast<std::uint32_t>(size / sizeof(parcast_index_entry)) + 1;
  if (trailer.parts * sizeof(parcast_index_entry) > end) return;
  trailer.magic = PARCAST_INDEX_MAGIC;
  trailer.at = end - trailer.parts * sizeof(parcast_index_entry);
  std::memcpy(data + end, &trailer, sizeof trailer);
  trailer.check = check_of(data + trailer.at, 4 * std::size_t{trailer.parts} + 3,
                           4 * std::uint64_t{trailer.parts} + 1, trailer.at);
  std::memcpy(data + end, &trailer, sizeof trailer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<Loss> losses;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto parts = parts_of(bytes, "input", losses);
  if (!parts) {
    demand(!parts.error().what.empty());
    return 0;
  }
  std::uint64_t all = 0;
  for (const ContainerPart& part : *parts) {
    demand(part.rank >= 0);
    demand(part.at <= size && part.length <= size - part.at && part.zeros <= PARCAST_MOST_ZEROS);
    all += unpacked(bytes.substr(part.at, part.length), part, "input", losses).size();
  }
  demand(all <= parts->size() * PARCAST_BLOCK_SIZE + (PARCAST_ZEROS_PER_BYTE + 1) * size);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t largest,
                                               unsigned seed) {
  const std::size_t mutated = LLVMFuzzerMutate(data, size, largest);
  if (mutated < sizeof(parcast_node_header) + sizeof(parcast_index_trailer) || seed % 8 == 0) return mutated;
  seal<parcast_node_header>(data, PARCAST_NODE_MAGIC, 0);
  for (std::size_t at = sizeof(parcast_node_header); at + sizeof(parcast_node_part) <= mutated; at += 8) {
    std::uint64_t magic;
    std::memcpy(&magic, data + at, sizeof magic);
    if (magic == PARCAST_PART_MAGIC) seal<parcast_node_part>(data + at, magic, at);
  }
  if (seed % 2) seal_index(data, mutated);
  return mutated;
}
