// SPDX-License-Identifier: Apache-2.0
#include "trace/trace_file.h"

#define XXH_INLINE_ALL
#include <sys/mman.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>

#include "base/files.h"

namespace parcast::trace {
namespace {

static_assert(std::endian::native == std::endian::little,
              "files are little-endian, as are all machines this runs on");

constexpr std::string_view kMagic = "PCTRACE\n";
constexpr std::uint32_t kVersion = 3;  // version written: 1 had no accesses, 2 no probes and locks

class TraceWriter {
 public:
  template <class T>
  void number(T value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(const std::string& text) {
    number<std::uint64_t>(text.size());
    bytes_ += text;
  }
  template <class T>
  void numbers(const std::vector<T>& values) {
    number<std::uint64_t>(values.size());
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  std::string& bytes() { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values from the front of a body, in memory or piece by piece from a file. After the first value that
/// is missing, all further ones are empty, and ok() is false.
class Reader {
 public:
  explicit Reader(std::string_view body) : window_(body) { begin(); }
  Reader(InputFile& file, std::uint64_t size) : file_(&file), left_(size), buffer_(kPiece, '\0') { begin(); }

  template <class T>
  T number() {
    T value{};
    if (const char* from = take(sizeof value)) std::memcpy(&value, from, sizeof value);
    return value;
  }
  /// Returns the number of elements of at least `size` bytes that follow; never more than the rest of the
  /// body can hold.
  std::size_t count(std::size_t size) {
    const auto count = number<std::uint64_t>();
    if (count > (window_.size() + left_) / size) ok_ = false;
    return ok_ ? static_cast<std::size_t>(count) : 0;
  }
  std::string text() {
    std::string out;
    take_in_pieces<char>(count(1), [&](const char* from, std::size_t size) { out.append(from, size); });
    return out;
  }
  /// Copies long lists through a small buffer, so that the memory of the result is first touched when it is
  /// filled.
  template <class T>
  std::vector<T> numbers() {
    std::vector<T> values;
    const std::size_t all = count(sizeof(T));
    values.reserve(all);
    populate(values.data(), all * sizeof(T));
    std::array<T, 512> few;
    take_in_pieces<T>(all, [&](const char* from, std::size_t size) {
      for (std::size_t done = 0; done < size;) {
        const std::size_t next = std::min(few.size(), size - done);
        std::memcpy(few.data(), from + done * sizeof(T), next * sizeof(T));
        values.insert(values.end(), few.begin(), few.begin() + next);
        done += next;
      }
    });
    return values;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return window_.empty() && left_ == 0; }
  /// Returns the hash of the complete body, even when some of it was not taken. Returns nothing when the file
  /// ends early, and an error when it cannot be read.
  Result<std::optional<std::uint64_t>> check() {
    while (left_ > 0 && !failure_ && !short_) window_ = {}, fill();
    if (failure_) return *failure_;
    if (short_) return std::optional<std::uint64_t>();
    return std::optional<std::uint64_t>(XXH3_64bits_digest(&hash_));
  }

 private:
  static constexpr std::size_t kPiece = 1 << 17;

  /// Maps the pages of memory that will be filled. Page faults one by one would cost more than reading the
  /// data.
  static void populate(void* memory, std::size_t size) {
    constexpr std::size_t kPage = 4096;
    std::size_t room = size;
    // has no effect on kernels without this option
    if (size >= 16 * kPage && std::align(kPage, size - kPage, memory, room))
      ::madvise(memory, room / kPage * kPage, MADV_POPULATE_WRITE);
  }

  void begin() {
    XXH3_64bits_reset(&hash_);
    XXH3_64bits_update(&hash_, window_.data(), window_.size());
  }
  /// Moves the rest of the window to the front of the buffer and fills the buffer from the file.
  void fill() {
    std::memmove(buffer_.data(), window_.data(), window_.size());
    const std::size_t kept = window_.size(),
                      wanted = static_cast<std::size_t>(std::min<std::uint64_t>(left_, kPiece - kept));
    const auto got = file_->read(buffer_.data() + kept, wanted);
    if (!got) failure_ = got.error();
    short_ = got && *got < wanted;
    const std::size_t more = got ? *got : 0;
    XXH3_64bits_update(&hash_, buffer_.data() + kept, more);
    window_ = std::string_view(buffer_.data(), kept + more);
    left_ -= more;
  }
  /// Takes at most kPiece bytes.
  const char* take(std::size_t size) {
    if (size > window_.size() && left_ > 0 && ok_) fill();
    if (size > window_.size()) ok_ = false;
    if (!ok_) return nullptr;
    const char* from = window_.data();
    window_.remove_prefix(size);
    return from;
  }
  template <class T, class Put>
  void take_in_pieces(std::size_t count, Put put) {
    while (count > 0 && ok_) {
      const std::size_t there = window_.size() / sizeof(T),
                        next = std::min(count, there > 0 ? there : kPiece / sizeof(T));
      const char* from = take(next * sizeof(T));
      if (!from) return;
      put(from, next);
      count -= next;
    }
  }

  std::string_view window_;
  InputFile* file_ = nullptr;
  std::uint64_t left_ = 0;  // bytes after the window
  std::string buffer_;
  XXH3_state_t hash_;
  std::optional<Error> failure_;
  bool short_ = false, ok_ = true;
};

void write_operation(TraceWriter& writer, const Operation& operation) {
  writer.number(operation.kind);
  writer.number(operation.mode);
  writer.number(operation.pattern);
  writer.number<std::uint8_t>(operation.uneven ? 1 : 0);
  writer.number(operation.peer);
  writer.number(operation.tag);
  writer.number(operation.communicator);
  writer.number(operation.root);
  writer.number(operation.requests);
  writer.number(operation.place);
  writer.number(operation.bytes);
}
constexpr std::size_t kOperationSize = 36;

Kind last_kind(std::uint32_t version) {
  return version == 1 ? Kind::collective : version == 2 ? Kind::start_write : Kind::unlock;
}

std::optional<Operation> read_operation(Reader& reader, Kind last) {
  Operation operation;
  const auto kind = reader.number<std::uint8_t>(), mode = reader.number<std::uint8_t>(),
             pattern = reader.number<std::uint8_t>(), uneven = reader.number<std::uint8_t>();
  if (kind > static_cast<std::uint8_t>(last) || mode > static_cast<std::uint8_t>(Mode::buffered) ||
      pattern > static_cast<std::uint8_t>(recording::Pattern::neighbourhood) || uneven > 1)
    return std::nullopt;
  operation.kind = static_cast<Kind>(kind);
  operation.mode = static_cast<Mode>(mode);
  operation.pattern = static_cast<recording::Pattern>(pattern);
  operation.uneven = uneven == 1;
  operation.peer = reader.number<std::int32_t>();
  operation.tag = reader.number<std::int32_t>();
  operation.communicator = reader.number<std::uint32_t>();
  operation.root = reader.number<std::int32_t>();
  operation.requests = reader.number<std::uint32_t>();
  operation.place = reader.number<std::uint32_t>();
  operation.bytes = reader.number<std::uint64_t>();
  return operation;
}

void write_places(TraceWriter& writer, const std::vector<Place>& places) {
  writer.number<std::uint64_t>(places.size());
  for (const Place& place : places) {
    for (const std::string* text : {&place.region, &place.function, &place.file, &place.call})
      writer.text(*text);
    writer.number(place.line);
  }
}

std::vector<Place> read_places(Reader& reader) {
  std::vector<Place> places(reader.count(36));
  for (Place& place : places) {
    for (std::string* text : {&place.region, &place.function, &place.file, &place.call})
      *text = reader.text();
    place.line = reader.number<std::int32_t>();
  }
  return places;
}

Error damaged(const std::string& where, const std::string& what) {
  return {"the trace " + what, where, "make it again from what it was made of"};
}

/// Reads everything but magic, version, size and check.
Result<Trace> read_body(Reader& reader, std::uint32_t version, const std::string& where) {
  Trace trace;
  trace.program = reader.text();
  trace.ranks = reader.number<std::int32_t>();
  trace.operations.resize(reader.count(kOperationSize));
  for (Operation& operation : trace.operations) {
    const auto read = read_operation(reader, last_kind(version));
    if (!read) return damaged(where, "holds an operation of a kind that is not known");
    operation = *read;
  }
  trace.communicators.resize(reader.count(8));
  for (Communicator& communicator : trace.communicators)
    communicator.members = reader.numbers<std::int32_t>();
  trace.request_sets.resize(reader.count(8));
  for (auto& set : trace.request_sets) set = reader.numbers<std::uint32_t>();
  trace.places = read_places(reader);
  trace.assumptions.resize(reader.count(8));
  for (std::string& assumption : trace.assumptions) assumption = reader.text();
  trace.sequence_of = reader.numbers<std::uint32_t>();
  trace.sequences.resize(reader.count(8));
  for (Sequence& sequence : trace.sequences) sequence = reader.numbers<Item>();
  if (!reader.ok() || !reader.at_end()) return damaged(where, "contradicts itself");
  return trace;
}

constexpr std::size_t kHead = kMagic.size() + 24;  // magic, version, reserved, size and check of the body

struct Head {
  std::uint32_t version = 0;
  std::uint64_t size = 0, check = 0;
};

/// Reads the head of a file of `all` bytes, which begins with `bytes`.
Result<Head> read_head(std::string_view bytes, std::uint64_t all, const std::string& where) {
  if (!is_trace(bytes))
    return Error{"this is not a trace", where,
                 "NAME.trace is made by parcast import, from GOAL or SimGrid's traces"};
  Reader reader(bytes.substr(kMagic.size()));
  Head head{.version = reader.number<std::uint32_t>()};
  const auto reserved = reader.number<std::uint32_t>();
  head.size = reader.number<std::uint64_t>(), head.check = reader.number<std::uint64_t>();
  if (reader.ok() && head.version > kVersion)
    return Error{"the trace is of version " + std::to_string(head.version) + ", this program reads up to " +
                     std::to_string(kVersion),
                 where, "read it with a newer parcast"};
  if (reader.ok() && head.version < 1) return damaged(where, "is damaged");
  if (!reader.ok() || all - kHead < head.size)
    return damaged(where, "is cut short: it ends at byte " + std::to_string(all));
  if (all - kHead > head.size || reserved != 0) return damaged(where, "is damaged");
  return head;
}

/// Reports a damaged file only as damaged, whatever other errors its content causes.
Result<Trace> read_checked(Reader& reader, const Head& head, const std::string& where) {
  Result<Trace> trace = read_body(reader, head.version, where);
  PARCAST_ASSIGN(const std::optional<std::uint64_t> check, reader.check());
  if (!check) return damaged(where, "became shorter while it was read");
  if (*check != head.check) return damaged(where, "is damaged: its check does not hold");
  if (!trace) return trace;
  if (const auto whole = trace::check(*trace); !whole)
    return Error{whole.error().what, where + (whole.error().where.empty() ? "" : ", " + whole.error().where),
                 whole.error().hint};
  return trace;
}

}  // namespace

Result<void> write_trace(const Trace& trace, const std::filesystem::path& path) {
  TraceWriter body;
  body.text(trace.program);
  body.number(trace.ranks);
  body.number<std::uint64_t>(trace.operations.size());
  for (const Operation& operation : trace.operations) write_operation(body, operation);
  body.number<std::uint64_t>(trace.communicators.size());
  for (const Communicator& communicator : trace.communicators) body.numbers(communicator.members);
  body.number<std::uint64_t>(trace.request_sets.size());
  for (const auto& set : trace.request_sets) body.numbers(set);
  write_places(body, trace.places);
  body.number<std::uint64_t>(trace.assumptions.size());
  for (const std::string& assumption : trace.assumptions) body.text(assumption);
  body.numbers(trace.sequence_of);
  body.number<std::uint64_t>(trace.sequences.size());
  for (const Sequence& sequence : trace.sequences) body.numbers(sequence);
  TraceWriter file;
  file.bytes() = kMagic;
  file.number(kVersion);
  file.number<std::uint32_t>(0);
  file.number<std::uint64_t>(body.bytes().size());
  file.number<std::uint64_t>(XXH3_64bits(body.bytes().data(), body.bytes().size()));
  file.bytes() += body.bytes();
  return write_file(path, file.bytes());
}

bool is_trace(std::string_view first_bytes) {
  return first_bytes.starts_with(kMagic);
}

Result<Trace> read_trace(std::string_view bytes, const std::string& where) {
  PARCAST_ASSIGN(const Head head, read_head(bytes.substr(0, kHead), bytes.size(), where));
  Reader reader(bytes.substr(kHead));
  return read_checked(reader, head, where);
}

Result<Trace> read_trace(const std::filesystem::path& path) {
  PARCAST_ASSIGN(InputFile file, InputFile::open(path));
  if (!file.size()) {
    PARCAST_ASSIGN(const std::string bytes, file.rest());
    return read_trace(bytes, path.string());
  }
  std::array<char, kHead> first;
  PARCAST_ASSIGN(const std::size_t got, file.read(first.data(), first.size()));
  PARCAST_ASSIGN(const Head head, read_head({first.data(), got}, *file.size(), path.string()));
  Reader reader(file, head.size);
  return read_checked(reader, head, path.string());
}

}  // namespace parcast::trace
