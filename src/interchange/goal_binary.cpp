// SPDX-License-Identifier: Apache-2.0
// The binary form. All numbers are stored lowest byte first, without padding:
//
//   u64 4223; offsets count from here: u32 ranks, u8 highest cpu, u8 highest nic,
//   per rank u64 begin, u64 end of its part
//   a part: u32 operations, u32 roots, u32 number of each root (operations that depend on nothing),
//     operations of 39 bytes: u32 dependencies, i8 kind, u32 peer, u64 size, u32 tag, u8 cpu, u8 nic,
//       u32 number of operations that depend on its end, u32 begin of their numbers in the part's list,
//       u32 number of operations that depend on its start, u32 begin of their numbers,
//     the list: u32 numbers of operations
//
// (As txt2bin writes it and LogGOPSim reads it.)
#include <array>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "interchange/goal_files.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using GoalKind = GoalOperation::Kind;

constexpr std::uint64_t kMagicBytes = 8, kHeadBytes = 6, kRankBytes = 16, kOperationBytes = 39;

/// Takes numbers from bytes one after the other. The caller has checked that enough bytes are left.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : bytes_(bytes) {}
  std::uint64_t number(std::size_t size) {
    std::uint64_t out = 0;
    for (std::size_t i = size; i-- > 0;) out = out << 8 | static_cast<unsigned char>(bytes_[i]);
    bytes_.remove_prefix(size);
    return out;
  }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }

 private:
  std::string_view bytes_;
};

void put(std::string& out, std::uint64_t value, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) out.push_back(static_cast<char>(value >> (8 * i) & 0xff));
}

class BinaryReader {
 public:
  BinaryReader(const fs::path& path, GoalRanks& import, const Progress& progress)
      : path_(path), file_(path, std::ios::binary), import_(import), progress_(progress) {
    std::error_code problem;
    size_ = fs::file_size(path, problem);
    if (problem) size_ = 0;
  }

  Result<void> read() {
    if (size_ < kMagicBytes + kHeadBytes) return error(size_, "the file ends within its head");
    std::string head;
    PARCAST_TRY(fetch(0, kMagicBytes + kHeadBytes, head));
    Bytes bytes(head);
    if (bytes.number(8) != kGoalMagic) return error(0, "this is neither a binary schedule nor text");
    const std::uint32_t ranks = bytes.u32();
    if (ranks == 0 || ranks > kMostGoalRanks)
      return error(kMagicBytes, std::to_string(ranks) + " ranks cannot be");
    if ((size_ - kMagicBytes - kHeadBytes) / kRankBytes < ranks)
      return error(size_, "the file ends within the table of its " + std::to_string(ranks) + " ranks");
    import_.begin(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      PARCAST_TRY(read_rank(rank));
      if (progress_) progress_((rank + 1.0) / ranks, "rank " + std::to_string(rank));
    }
    return {};
  }

 private:
  Error error(std::uint64_t offset, const std::string& what) const {
    return {what, path_.string() + ": byte " + std::to_string(offset), "is the file whole?"};
  }

  Result<void> fetch(std::uint64_t offset, std::uint64_t size, std::string& out) {
    out.resize(size);
    file_.seekg(static_cast<std::streamoff>(offset));
    if (!file_.read(out.data(), static_cast<std::streamsize>(size)))
      return error(offset, "the file cannot be read here");
    return {};
  }

  Result<void> read_rank(std::uint32_t rank) {
    const std::uint64_t entry = kMagicBytes + kHeadBytes + kRankBytes * rank;
    std::string text;
    PARCAST_TRY(fetch(entry, kRankBytes, text));
    Bytes bytes(text);
    const std::uint64_t begin = bytes.number(8), end = bytes.number(8);
    if (begin > end || end > size_ - kMagicBytes || begin < kHeadBytes + kRankBytes * import_.ranks())
      return error(entry, "rank " + std::to_string(rank) + " has its operations from " +
                              std::to_string(begin) + " to " + std::to_string(end) +
                              " behind the first 8 bytes, of a file of " + std::to_string(size_) + " bytes");
    part_at_ = begin + kMagicBytes;
    PARCAST_TRY(fetch(part_at_, end - begin, part_));
    graph_ = {};
    PARCAST_TRY(read_part());
    return import_.add(rank, graph_, [&](std::uint32_t i) {
      return path_.string() + ": byte " + std::to_string(place_of(i));
    });
  }

  std::uint64_t place_of(std::uint64_t operation) const {
    return part_at_ + operations_at_ + operation * kOperationBytes;
  }

  Result<void> read_part() {
    if (part_.size() < 8) return error(part_at_, "there is no room for a rank's head");
    Bytes head(part_);
    const std::uint64_t operations = head.u32(), roots = head.u32();
    operations_at_ = 8 + 4 * roots;
    list_at_ = operations_at_ + kOperationBytes * operations;
    if (list_at_ > part_.size())
      return error(part_at_, std::to_string(operations) + " operations and " + std::to_string(roots) +
                                 " roots do not fit into the " + std::to_string(part_.size()) +
                                 " bytes of a rank");
    list_size_ = (part_.size() - list_at_) / 4;
    graph_.operations.resize(operations);
    std::vector<std::uint32_t> named(operations), found(operations);
    for (std::uint32_t i = 0; i < operations; ++i) PARCAST_TRY(read_operation(i, named[i]));
    for (const GoalDependency& each : graph_.dependencies) ++found[each.later];
    for (std::uint32_t i = 0; i < operations; ++i)
      if (named[i] != found[i])
        return error(place_of(i), "an operation depends on " + std::to_string(named[i]) + " others, but " +
                                      std::to_string(found[i]) + " lead to it");
    return check_roots(roots, found);
  }

  /// Checks the list of roots. LogGOPSim starts with the roots, so an operation missing from the list would
  /// never run there.
  Result<void> check_roots(std::uint64_t roots, const std::vector<std::uint32_t>& dependencies) const {
    std::vector<bool> listed(dependencies.size());
    Bytes numbers(std::string_view(part_).substr(8, 4 * roots));
    for (std::uint64_t i = 0; i < roots; ++i) {
      const std::uint32_t root = numbers.u32();
      if (root >= listed.size() || dependencies[root] != 0 || listed[root])
        return error(part_at_ + 8 + 4 * i,
                     std::to_string(root) + " is no operation to begin with, or is listed twice");
      listed[root] = true;
    }
    for (std::size_t i = 0; i < listed.size(); ++i)
      if (!listed[i] && dependencies[i] == 0)
        return error(place_of(i), "an operation that depends on nothing is missing among the roots");
    return {};
  }

  Result<void> read_operation(std::uint32_t number, std::uint32_t& dependencies) {
    const std::uint64_t at = place_of(number);
    Bytes bytes(std::string_view(part_).substr(operations_at_ + number * kOperationBytes, kOperationBytes));
    GoalOperation& out = graph_.operations[number];
    dependencies = bytes.u32();
    const std::uint8_t kind = bytes.u8();
    if (kind < 1 || kind > 3)
      return error(at + 4, "an operation cannot be of kind " + std::to_string(kind) +
                               ": 1 sends, 2 receives, 3 calculates");
    out.kind = static_cast<GoalKind>(kind);
    out.peer = bytes.u32();
    out.size = bytes.number(8);
    out.tag = bytes.u32();
    out.cpu = bytes.u8();
    out.nic = bytes.u8();
    PARCAST_TRY(check_operation(out, at));
    for (const bool on_start : {false, true}) {
      const std::uint32_t count = bytes.u32(), first = bytes.u32();
      PARCAST_TRY(read_dependents(number, count, first, on_start));
    }
    return {};
  }

  Result<void> check_operation(const GoalOperation& it, std::uint64_t at) const {
    if (it.kind == GoalKind::calculate) {
      if (it.size > kLongestCalculation)
        return error(at + 9, "a calculation of " + std::to_string(it.size) +
                                 " nanoseconds is too long: at most " + std::to_string(kLongestCalculation));
      return {};
    }
    const bool receive = it.kind == GoalKind::receive;
    if (it.peer >= import_.ranks() && !(receive && it.peer == kGoalAny))
      return error(at + 5,
                   "rank " + std::to_string(it.peer) + " is none of " + std::to_string(import_.ranks()));
    if (it.tag > std::uint32_t{std::numeric_limits<std::int32_t>::max()} && !(receive && it.tag == kGoalAny))
      return error(at + 17, "tag " + std::to_string(it.tag) + " is too large: at most 2147483647");
    return {};
  }

  Result<void> read_dependents(std::uint32_t number, std::uint64_t count, std::uint64_t first,
                               bool on_start) {
    const std::uint64_t at = place_of(number);
    if (count == 0) return {};
    if (first + count > list_size_ || graph_.dependencies.size() + count > list_size_)
      return error(at, "the list of operations that depend on one is " + std::to_string(count) +
                           " entries from " + std::to_string(first) + " on, of a list of " +
                           std::to_string(list_size_));
    Bytes numbers(std::string_view(part_).substr(list_at_ + 4 * first, 4 * count));
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t later = numbers.u32();
      if (later >= graph_.operations.size())
        return error(part_at_ + list_at_ + 4 * (first + i), "there is no operation " + std::to_string(later));
      graph_.dependencies.push_back({later, number, on_start});
    }
    return {};
  }

  fs::path path_;
  std::ifstream file_;
  GoalRanks& import_;
  const Progress& progress_;
  std::uint64_t size_ = 0;
  std::string part_;  // bytes of the rank's part
  // part_at_ is an offset in the file, the others are offsets in the part
  std::uint64_t part_at_ = 0, operations_at_ = 0, list_at_ = 0, list_size_ = 0;
  GoalGraph graph_;
};

/// Keeps one rank in memory: an operation's record names its dependents, which come later.
class BinaryWriter : public GoalWriter {
 public:
  BinaryWriter(UnfinishedFile& file, std::uint32_t ranks) : file_(file), ranks_(ranks) {
    std::string head;
    put(head, kGoalMagic, 8);
    put(head, ranks, 4);
    put(head, 0, 2);  // highest cpu 0, highest nic 0
    file_.write(head);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) file_.write(std::string(kRankBytes, '\0'));
  }

  void begin_rank(std::uint32_t) override { graph_ = {}; }
  void operation(const GoalOperation& it) override { graph_.operations.push_back(it); }
  void depends(std::uint64_t earlier, bool on_start) override {
    graph_.dependencies.push_back({static_cast<std::uint32_t>(graph_.operations.size() - 1),
                                   static_cast<std::uint32_t>(earlier), on_start});
  }

  Result<void> end_rank() override {
    const std::size_t most = std::numeric_limits<std::uint32_t>::max();
    if (graph_.operations.size() > most || graph_.dependencies.size() > most)
      return Error{"a rank has more operations than the binary form can count", "", "write text"};
    put(table_, file_.size() - kMagicBytes, 8);
    write_part();
    put(table_, file_.size() - kMagicBytes, 8);
    return {};
  }
  void finish() override { file_.overwrite(kMagicBytes + kHeadBytes, table_); }

 private:
  struct Counts {
    std::uint32_t dependencies = 0, first = 0;
    std::array<std::uint32_t, 2> dependents{};  // number of dependents on its end, on its start
  };

  void write_part() {
    std::vector<Counts> counts(graph_.operations.size());
    for (const GoalDependency& each : graph_.dependencies)
      ++counts[each.later].dependencies, ++counts[each.earlier].dependents[each.on_start ? 1 : 0];
    std::uint32_t first = 0;
    for (Counts& each : counts) each.first = first, first += each.dependents[0] + each.dependents[1];
    write_roots(counts);
    for (std::size_t i = 0; i < counts.size(); ++i) write_operation(graph_.operations[i], counts[i]);
    write_list(counts);
  }

  void write_roots(const std::vector<Counts>& counts) {
    std::string head, numbers;
    std::uint32_t roots = 0;
    for (std::size_t i = 0; i < counts.size(); ++i)
      if (counts[i].dependencies == 0) put(numbers, i, 4), ++roots;
    put(head, counts.size(), 4);
    put(head, roots, 4);
    file_.write(head + numbers);
  }

  void write_operation(const GoalOperation& it, const Counts& counts) {
    std::string out;
    put(out, counts.dependencies, 4);
    put(out, static_cast<std::uint64_t>(it.kind), 1);
    put(out, it.peer, 4);
    put(out, it.size, 8);
    put(out, it.tag, 4);
    put(out, it.cpu, 1);
    put(out, it.nic, 1);
    put(out, counts.dependents[0], 4);
    put(out, counts.first, 4);
    put(out, counts.dependents[1], 4);
    put(out, counts.first + counts.dependents[0], 4);
    file_.write(out);
  }

  void write_list(const std::vector<Counts>& counts) {
    std::vector<std::uint32_t> list(graph_.dependencies.size());
    std::vector<std::array<std::uint32_t, 2>> put_so_far(counts.size());
    for (const GoalDependency& each : graph_.dependencies) {
      const Counts& of = counts[each.earlier];
      const std::size_t which = each.on_start ? 1 : 0;
      list[of.first + (which == 1 ? of.dependents[0] : 0) + put_so_far[each.earlier][which]++] = each.later;
    }
    std::string out;
    for (const std::uint32_t each : list) put(out, each, 4);
    file_.write(out);
  }

  UnfinishedFile& file_;
  const std::uint32_t ranks_;
  GoalGraph graph_;
  std::string table_;
};

}  // namespace

Result<void> read_goal_binary(const fs::path& path, GoalRanks& import, const Progress& progress) {
  return BinaryReader(path, import, progress).read();
}

std::unique_ptr<GoalWriter> goal_binary_writer(UnfinishedFile& file, std::uint32_t ranks) {
  return std::make_unique<BinaryWriter>(file, ranks);
}

}  // namespace parcast::interchange
