// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>

#include "base/text.h"
#include "interchange/time_independent.h"
#include "interchange/time_independent_rank.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;

// bytes: a line of an alltoallv over millions of ranks fits
constexpr std::size_t kLongestLine = std::size_t{1} << 26;

/// Reads the lines of a file that are neither empty nor comments, split into words.
class Lines {
 public:
  explicit Lines(fs::path path) : path_(std::move(path)) {
    errno = 0;
    file_.open(path_, std::ios::binary);
    failure_ = file_ ? 0 : errno != 0 ? errno : EIO;
  }

  Result<void> opened() const {
    if (failure_ != 0)
      return Error{std::string("cannot be read: ") + std::strerror(failure_), path_.string(),
                   "check the path"};
    return {};
  }

  /// Reads the next line; returns false at the end.
  Result<bool> next() {
    for (;;) {
      line_.clear();
      int c = file_.rdbuf()->sbumpc();
      if (c == kEnd) return false;
      ++number_;
      for (; c != kEnd && c != '\n'; c = file_.rdbuf()->sbumpc()) {
        if (line_.size() == kLongestLine)
          return Error{"a line has more than 67,108,864 characters", where(),
                       "is it a time-independent trace?"};
        line_.push_back(static_cast<char>(c));
      }
      offset_ += line_.size() + 1;
      split_words();
      if (!words_.empty() && words_.front().front() != '#') return true;
    }
  }

  const std::vector<std::string_view>& words() const { return words_; }
  /// Returns the text from the first word to the last.
  std::string_view text() const {
    const char *begin = words_.front().data(), *end = words_.back().data() + words_.back().size();
    return {begin, static_cast<std::size_t>(end - begin)};
  }
  std::string where() const { return path_.string() + ":" + std::to_string(number_); }
  std::uint64_t offset() const { return offset_; }
  Error error(const Error& what) const { return {what.what, where(), what.hint}; }

  /// Returns the rank, which is the first word.
  Result<std::int32_t> rank() const {
    const auto out = parse_integer(words_.front());
    if (!out || *out < 0 || *out >= INT32_MAX)
      return Error{"a line begins with a rank, not with " + std::string(words_.front().substr(0, 40)),
                   where(), ""};
    return static_cast<std::int32_t>(*out);
  }

 private:
  static constexpr int kEnd = std::char_traits<char>::eof();

  void split_words() {
    static constexpr std::string_view kBlanks = " \t\r\v\f";
    words_.clear();
    const std::string_view text = line_;
    for (std::size_t at = text.find_first_not_of(kBlanks); at != std::string_view::npos;) {
      const std::size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
      words_.push_back(text.substr(at, end - at));
      at = text.find_first_not_of(kBlanks, end);
    }
  }

  fs::path path_;
  std::ifstream file_;
  std::string line_;
  std::vector<std::string_view> words_;
  std::uint64_t number_ = 0, offset_ = 0;
  int failure_ = 0;
};

class Import {
 public:
  Import(double flops_per_second, const Progress& progress) : progress_(progress) {
    terms_.flops_per_second = flops_per_second;
  }

  Result<ImportedTi> read(const fs::path& path) {
    PARCAST_ASSIGN(const std::vector<fs::path> files, files_of(path));
    out_.files = files.size();
    program_ = (path.has_filename() ? path : path.parent_path()).stem().string();
    PARCAST_TRY(files.size() == 1 ? read_all_ranks(files.front()) : read_each_rank(files));
    note_assumptions();
    out_.trace = builder_->finish();
    if (const auto good = trace::check(out_.trace); !good)
      return Error{good.error().what, path.string(), good.error().hint};
    return std::move(out_);
  }

 private:
  /// Returns the path itself if the file holds actions, otherwise the files that it lists.
  Result<std::vector<fs::path>> files_of(fs::path path) {
    std::error_code ignored;
    bool moved = false;
    if (fs::is_directory(path, ignored)) path /= "index.txt";
    Lines lines(path);
    PARCAST_TRY(lines.opened());
    std::vector<fs::path> out;
    for (;;) {
      PARCAST_ASSIGN(const bool more, lines.next());
      if (!more) break;
      const auto listed = file_in_index(path, lines.text());
      if (!listed && lines.words().size() != 1) {
        if (out.empty()) return std::vector<fs::path>{path};
        return Error{"an index has one file name in a line", lines.where(), ""};
      }
      out.push_back(listed ? *listed : fs::path(lines.text()));
      moved = moved || (out.back() != lines.text() && fs::path(lines.text()).is_absolute());
    }
    if (moved)
      out_.warnings.push_back("the files that " + path.string() +
                              " lists were not found: those in its folder are taken");
    if (out.empty()) return Error{"neither actions nor names of files are in it", path.string(), ""};
    return out;
  }

  static Result<std::int32_t> count_ranks(const fs::path& path) {
    Lines lines(path);
    PARCAST_TRY(lines.opened());
    std::int32_t last = -1;
    for (;;) {
      PARCAST_ASSIGN(const bool more, lines.next());
      if (!more) break;
      PARCAST_ASSIGN(const std::int32_t rank, lines.rank());
      last = std::max(last, rank);
    }
    return last + 1;
  }

  void tell(double fraction, const std::string& what) const {
    if (progress_) progress_(fraction, what);
  }

  static Result<void> keep(TiRank& rank, const std::string& where) {
    if (const auto done = rank.finish(); !done) return Error{done.error().what, where, done.error().hint};
    return {};
  }

  void begin(std::int32_t ranks) {
    terms_.ranks = ranks;
    builder_.emplace(program_, ranks);
  }

  Result<void> read_all_ranks(const fs::path& path) {
    PARCAST_ASSIGN(const std::int32_t count, count_ranks(path));
    std::error_code ignored;
    const std::uintmax_t size = std::max<std::uintmax_t>(fs::file_size(path, ignored), 1);
    if (static_cast<std::uintmax_t>(count) > size)
      return Error{"the file is too short for " + std::to_string(count) + " ranks", path.string(),
                   "does a line begin with a wrong rank?"};
    begin(count);
    std::map<std::int32_t, TiRank> ranks;
    Lines lines(path);
    PARCAST_TRY(lines.opened());
    for (;;) {
      PARCAST_ASSIGN(const bool more, lines.next());
      if (!more) break;
      PARCAST_ASSIGN(const std::int32_t rank, lines.rank());
      const auto done = ranks.try_emplace(rank, rank, *builder_, terms_).first->second.action(lines.words());
      if (!done) return lines.error(done.error());
      if (++out_.actions % 100000 == 0)
        tell(static_cast<double>(lines.offset()) / static_cast<double>(size), "line by line");
    }
    std::int32_t next = 0;
    for (auto& [rank, actions] : ranks) {
      if (rank != next++)
        return Error{"rank " + std::to_string(next - 1) + " of " + std::to_string(count) + " has no line",
                     path.string(), "is the file whole?"};
      PARCAST_TRY(keep(actions, path.string()));
    }
    return {};
  }

  Result<void> read_each_rank(const std::vector<fs::path>& files) {
    begin(static_cast<std::int32_t>(files.size()));
    for (std::int32_t rank = 0; rank < terms_.ranks; ++rank) {
      TiRank actions(rank, *builder_, terms_);
      Lines lines(files[static_cast<std::size_t>(rank)]);
      PARCAST_TRY(lines.opened());
      for (;;) {
        PARCAST_ASSIGN(const bool more, lines.next());
        if (!more) break;
        PARCAST_ASSIGN(const std::int32_t named, lines.rank());
        if (named != rank)
          return Error{
              "a line of rank " + std::to_string(named) + " is in the file of rank " + std::to_string(rank),
              lines.where(), "the index lists files in order of ranks"};
        const auto done = actions.action(lines.words());
        if (!done) return lines.error(done.error());
        ++out_.actions;
      }
      PARCAST_TRY(keep(actions, lines.where()));
      tell((rank + 1.0) / terms_.ranks, "rank " + std::to_string(rank));
    }
    return {};
  }

  void note_assumptions() {
    auto& out = out_.warnings;
    if (terms_.computed)
      out.push_back("computing is given in floating-point operations; they are taken to be done at " +
                    format_exact(terms_.flops_per_second) + " per second");
    if (terms_.slept) out.push_back("sleeping is taken to be computing");
    if (terms_.polled)
      out.push_back(
          "tests whether a request is complete are taken to cost nothing and to find that it is not");
    if (terms_.uneven)
      out.push_back(
          "collectives whose parts differ (gatherv, scatterv, allgatherv, alltoallv) are taken with each "
          "process's own volume, in equal "
          "parts");
    if (terms_.exclusive) out.push_back("exclusive scans are taken to be scans");
    if (terms_.communicators)
      out.push_back(
          "communicators that were made are not distinguished: all is in MPI_COMM_WORLD, as in SimGrid's "
          "replay");
    for (const std::string& each : out) builder_->assume(each);
  }

  const Progress& progress_;
  ImportedTi out_;
  std::string program_;
  std::optional<trace::Builder> builder_;
  TiTerms terms_;
};

}  // namespace

std::optional<fs::path> file_in_index(const fs::path& index, std::string_view line) {
  const fs::path name(line), folder = index.parent_path();
  std::error_code ignored;
  for (const fs::path& candidate : {folder / name, name})
    if (fs::is_regular_file(candidate, ignored)) return candidate;
  if (const fs::path beside = folder / name.filename();
      name.is_absolute() && fs::is_regular_file(beside, ignored))
    return beside;
  return std::nullopt;
}

Result<ImportedTi> read_time_independent(const fs::path& path, double flops_per_second,
                                         const Progress& progress) {
  if (!(flops_per_second > 0) || !std::isfinite(flops_per_second))
    return Error{
        "the floating-point operations per second must be more than 0, not " + format_exact(flops_per_second),
        "", ""};
  return Import(flops_per_second, progress).read(path);
}

}  // namespace parcast::interchange
