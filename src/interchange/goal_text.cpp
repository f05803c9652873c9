// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "interchange/goal_files.h"

namespace parcast::interchange {
namespace {

namespace fs = std::filesystem;
using GoalKind = GoalOperation::Kind;

constexpr std::size_t kLongestWord = 1000;
constexpr std::uintmax_t kShortestRank = 7;  // length of rank0{}

bool starts_word(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(int c) {
  return c >= '0' && c <= '9';
}

struct Position {
  std::uint32_t line = 1, column = 1;
};

/// Reads the characters of a file with their positions, and groups them into words and numbers.
class Characters {
 public:
  explicit Characters(const fs::path& path) : path_(path), file_(path, std::ios::binary) {}

  static constexpr int kEnd = std::char_traits<char>::eof();
  int peek() { return file_.rdbuf()->sgetc(); }
  void skip() {
    ++offset_;
    if (file_.rdbuf()->sbumpc() == '\n')
      ++at_.line, at_.column = 1;
    else
      ++at_.column;
  }
  Position position() const { return at_; }
  std::uint64_t offset() const { return offset_; }
  std::string where(Position at) const {
    return path_.string() + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  Error error(const std::string& what, Position at, const std::string& hint = "") const {
    return {what, where(at), hint};
  }
  Error error(const std::string& what, const std::string& hint = "") const { return error(what, at_, hint); }
  /// Returns the error "X is expected here, not Y".
  Error expected(const std::string& what) {
    const int c = peek();
    const std::string found = c == kEnd             ? "the end of the file"
                              : c == '\n'           ? "the end of the line"
                              : c >= ' ' && c < 127 ? "'" + std::string(1, static_cast<char>(c)) + "'"
                                                    : "byte " + std::to_string(c & 0xff);
    return error(what + " is expected here, not " + found);
  }

  /// Skips blanks and comments, and with `lines` also ends of lines.
  Result<void> skip_blanks(bool lines) {
    for (;;) {
      const int c = peek();
      if (c == ' ' || c == '\t' || c == '\r' || (lines && c == '\n'))
        skip();
      else if (c == '/')
        PARCAST_TRY(skip_comment());
      else
        return {};
    }
  }

  Result<std::string> word(const std::string& what) {
    std::string out;
    if (!starts_word(peek())) return expected(what);
    for (int c = peek(); starts_word(c) || is_digit(c); c = peek()) {
      if (out.size() == kLongestWord) return error("a name has more than 1,000 characters");
      out.push_back(static_cast<char>(c));
      skip();
    }
    return out;
  }

  Result<std::uint64_t> number(const std::string& what, std::uint64_t most) {
    const Position start = at_;
    if (!is_digit(peek())) return expected(what);
    std::uint64_t out = 0;
    for (int c = peek(); is_digit(c); c = peek()) {
      const auto digit = static_cast<std::uint64_t>(c - '0');
      if (out > (most - digit) / 10)
        return error(what + " is too large: at most " + std::to_string(most), start);
      out = out * 10 + digit;
      skip();
    }
    return out;
  }

 private:
  Result<void> skip_comment() {
    const Position start = at_;
    skip();
    if (peek() == '/') {
      while (peek() != '\n' && peek() != kEnd) skip();
      return {};
    }
    if (peek() != '*') return error("'/' begins no comment: '//' or '/*' does", start);
    skip();
    for (int before = 0; peek() != kEnd;) {
      const int c = peek();
      skip();
      if (before == '*' && c == '/') return {};
      before = c;
    }
    return error("this comment does not end", start);
  }

  fs::path path_;
  std::ifstream file_;
  Position at_;
  std::uint64_t offset_ = 0;
};

class GoalTextReader {
 public:
  GoalTextReader(const fs::path& path, GoalRanks& import, const Progress& progress)
      : in_(path), import_(import), progress_(progress) {
    std::error_code ignored;
    size_ = std::max<std::uintmax_t>(fs::file_size(path, ignored), 1);
  }

  Result<void> read() {
    PARCAST_TRY(in_.skip_blanks(true));
    const Position start = in_.position();
    PARCAST_ASSIGN(const std::string first, in_.word("\"num_ranks\""));
    if (first != "num_ranks") return in_.error("a schedule begins with num_ranks, not with " + first, start);
    PARCAST_TRY(in_.skip_blanks(false));
    const Position number = in_.position();
    PARCAST_ASSIGN(const std::uint64_t ranks, in_.number("the number of ranks", kMostGoalRanks));
    if (ranks == 0) return in_.error("there must be a rank", number);
    if (ranks > size_ / kShortestRank)
      return in_.error("the file is too short for " + std::to_string(ranks) + " ranks", number,
                       "is the file whole?");
    import_.begin(static_cast<std::uint32_t>(ranks));
    for (;;) {
      PARCAST_TRY(in_.skip_blanks(true));
      if (in_.peek() == Characters::kEnd) return {};
      PARCAST_TRY(read_rank());
    }
  }

 private:
  struct Unresolved {
    std::string later, earlier;
    Position later_at, earlier_at;
    bool on_start = false;
  };

  Result<void> read_rank() {
    const Position start = in_.position();
    PARCAST_ASSIGN(const std::string keyword, in_.word("\"rank\""));
    if (keyword != "rank")
      return in_.error("outside of ranks there is nothing but \"rank\", not " + keyword, start);
    PARCAST_TRY(in_.skip_blanks(false));
    const Position at = in_.position();
    PARCAST_ASSIGN(const std::uint64_t rank, in_.number("the number of a rank", kMostGoalRanks));
    if (rank >= import_.ranks())
      return in_.error("rank " + std::to_string(rank) + " is none of " + std::to_string(import_.ranks()) +
                           ", which count from 0",
                       at);
    rank_ = static_cast<std::uint32_t>(rank);
    if (import_.has(rank_))
      return in_.error("rank " + std::to_string(rank) + " begins here a second time", at);
    PARCAST_TRY(in_.skip_blanks(true));
    if (in_.peek() != '{') return in_.expected("'{'");
    in_.skip();
    graph_ = {};
    places_.clear(), labels_.clear(), unresolved_.clear();
    PARCAST_TRY(read_statements(start));
    PARCAST_TRY(resolve());
    PARCAST_TRY(import_.add(
        rank_, graph_, [&](std::uint32_t i) { return in_.where(i < places_.size() ? places_[i] : start); }));
    if (progress_)
      progress_(static_cast<double>(in_.offset()) / static_cast<double>(size_),
                "rank " + std::to_string(rank_));
    return {};
  }

  Result<void> read_statements(Position start) {
    for (;;) {
      PARCAST_TRY(in_.skip_blanks(true));
      if (in_.peek() == Characters::kEnd)
        return in_.error("rank " + std::to_string(rank_) + " has no '}'", start, "is the file whole?");
      if (in_.peek() == '}') return in_.skip(), Result<void>();
      PARCAST_TRY(read_statement());
      PARCAST_TRY(in_.skip_blanks(false));
      if (const int c = in_.peek(); c != '\n' && c != '}' && c != Characters::kEnd)
        return in_.expected("the end of the line");
    }
  }

  // Not inlined: GCC 12 would warn of an uninitialised string.
  [[gnu::noinline]] static std::optional<GoalKind> kind_of(const std::string& word) {
    if (word == "send") return GoalKind::send;
    if (word == "recv") return GoalKind::receive;
    if (word == "calc") return GoalKind::calculate;
    return std::nullopt;
  }

  Result<void> read_statement() {
    const Position start = in_.position();
    PARCAST_ASSIGN(std::string first, in_.word("an operation, a label or '}'"));
    if (const auto kind = kind_of(first)) return read_operation(*kind, start);
    PARCAST_TRY(in_.skip_blanks(false));
    if (in_.peek() != ':') return read_dependency(std::move(first), start);
    in_.skip();
    const auto [found, added] = labels_.emplace(first, static_cast<std::uint32_t>(graph_.operations.size()));
    if (!added)
      return in_.error("label " + first + " is at " + in_.where(places_[found->second]) + " already", start);
    PARCAST_TRY(in_.skip_blanks(false));
    const Position at = in_.position();
    PARCAST_ASSIGN(const std::string name, in_.word("\"send\", \"recv\" or \"calc\""));
    const auto kind = kind_of(name);
    if (!kind) {
      static const std::array<std::string, 3> kinds{"send", "recv", "calc"};
      return in_.error(name + " is no operation: there are send, recv and calc", at,
                       did_you_mean(name, kinds));
    }
    return read_operation(*kind, start);
  }

  Result<void> read_operation(GoalKind kind, Position start) {
    if (graph_.operations.size() == std::numeric_limits<std::uint32_t>::max())
      return in_.error("a rank has more than 4,294,967,295 operations", start);
    GoalOperation out;
    out.kind = kind;
    PARCAST_TRY(in_.skip_blanks(false));
    const bool message = kind != GoalKind::calculate;
    PARCAST_ASSIGN(out.size,
                   in_.number(message ? "a size" : "a time in nanoseconds",
                              message ? std::numeric_limits<std::uint64_t>::max() : kLongestCalculation));
    if (message) PARCAST_TRY(read_partner(out));
    PARCAST_TRY(read_options(out));
    graph_.operations.push_back(out);
    places_.push_back(start);
    return {};
  }

  Result<void> expect(const std::string& keyword) {
    PARCAST_TRY(in_.skip_blanks(false));
    const Position at = in_.position();
    PARCAST_ASSIGN(const std::string word, in_.word("\"" + keyword + "\""));
    if (word != keyword) return in_.error("\"" + keyword + "\" is expected here, not " + word, at);
    return in_.skip_blanks(false);
  }

  Result<std::uint32_t> number_or_any(const std::string& what, std::uint64_t most, bool any) {
    if (in_.peek() != '-') {
      PARCAST_ASSIGN(const std::uint64_t value, in_.number(what, most));
      return static_cast<std::uint32_t>(value);
    }
    const Position at = in_.position();
    in_.skip();
    PARCAST_ASSIGN(const std::uint64_t value, in_.number(what, most));
    if (value != 1) return in_.error(what + " is negative; -1 alone means any", at);
    if (!any) return in_.error(what + " is -1: only a receive may leave it open", at);
    return kGoalAny;
  }

  Result<void> read_partner(GoalOperation& out) {
    const bool receive = out.kind == GoalKind::receive;
    PARCAST_TRY(expect("b"));
    PARCAST_TRY(expect(receive ? "from" : "to"));
    const Position at = in_.position();
    PARCAST_ASSIGN(out.peer, number_or_any("the partner's rank", kMostGoalRanks, receive));
    if (out.peer != kGoalAny && out.peer >= import_.ranks())
      return in_.error("rank " + std::to_string(out.peer) + " is none of " + std::to_string(import_.ranks()) +
                           ", which count from 0",
                       at);
    return {};
  }

  /// Reads tag T cpu C nic N, in this order; each may be left out. Calculations have only cpu.
  Result<void> read_options(GoalOperation& out) {
    static const std::array<std::string, 3> names{"tag", "cpu", "nic"};
    const bool message = out.kind != GoalKind::calculate;
    for (std::size_t next = message ? 0 : 1; next < names.size();) {
      PARCAST_TRY(in_.skip_blanks(false));
      if (!starts_word(in_.peek())) return {};
      const Position at = in_.position();
      PARCAST_ASSIGN(const std::string name, in_.word("an option"));
      const auto found = std::find(names.begin() + static_cast<std::ptrdiff_t>(next),
                                   message ? names.end() : names.begin() + 2, name);
      if (found == (message ? names.end() : names.begin() + 2))
        return in_.error(
            name + " is not allowed here: tag, cpu and nic are, in this order, and cpu behind a calc", at);
      PARCAST_TRY(in_.skip_blanks(false));
      PARCAST_TRY(read_option(out, static_cast<std::size_t>(found - names.begin())));
      next = static_cast<std::size_t>(found - names.begin()) + 1;
    }
    return {};
  }

  Result<void> read_option(GoalOperation& out, std::size_t which) {
    if (which == 0) {
      PARCAST_ASSIGN(out.tag, number_or_any("a tag", std::numeric_limits<std::int32_t>::max(),
                                            out.kind == GoalKind::receive));
      return {};
    }
    PARCAST_ASSIGN(const std::uint64_t value,
                   in_.number(which == 1 ? "the number of a cpu" : "the number of a nic", 255));
    (which == 1 ? out.cpu : out.nic) = static_cast<std::uint8_t>(value);
    return {};
  }

  Result<void> read_dependency(std::string later, Position later_at) {
    const Position at = in_.position();
    PARCAST_ASSIGN(const std::string how, in_.word("':', \"requires\" or \"irequires\""));
    if (how != "requires" && how != "irequires")
      return in_.error(
          "':', \"requires\" or \"irequires\" is expected behind label " + later + ", not " + how, at);
    PARCAST_TRY(in_.skip_blanks(false));
    const Position earlier_at = in_.position();
    PARCAST_ASSIGN(std::string earlier, in_.word("a label"));
    const auto a = labels_.find(later), b = labels_.find(earlier);
    if (a != labels_.end() && b != labels_.end())
      graph_.dependencies.push_back({a->second, b->second, how == "irequires"});
    else
      unresolved_.push_back({std::move(later), std::move(earlier), later_at, earlier_at, how == "irequires"});
    return {};
  }

  /// Resolves dependencies that were written before the operations they name.
  Result<void> resolve() {
    for (const Unresolved& each : unresolved_) {
      const auto later = labels_.find(each.later), earlier = labels_.find(each.earlier);
      if (later == labels_.end()) return unknown(each.later, each.later_at);
      if (earlier == labels_.end()) return unknown(each.earlier, each.earlier_at);
      graph_.dependencies.push_back({later->second, earlier->second, each.on_start});
    }
    return {};
  }

  Error unknown(const std::string& label, Position at) const {
    return in_.error("rank " + std::to_string(rank_) + " has no label " + label, at,
                     "a label precedes its operation: " + label + ": calc 1000");
  }

  Characters in_;
  GoalRanks& import_;
  const Progress& progress_;
  std::uintmax_t size_ = 1;
  std::uint32_t rank_ = 0;
  GoalGraph graph_;
  std::vector<Position> places_;  // position of each operation in the file
  std::unordered_map<std::string, std::uint32_t> labels_;
  std::vector<Unresolved> unresolved_;
};

/// The label of an operation is l and its number, from 1.
class TextWriter : public GoalWriter {
 public:
  TextWriter(UnfinishedFile& file, std::uint32_t ranks) : file_(file) {
    put("num_ranks " + std::to_string(ranks) + "\n");
  }

  void begin_rank(std::uint32_t rank) override {
    put("\nrank " + std::to_string(rank) + " {\n");
    operations_ = 0;
  }
  void operation(const GoalOperation& it) override {
    const auto or_any = [](std::uint32_t value) {
      return value == kGoalAny ? std::string("-1") : std::to_string(value);
    };
    const std::string label = "l" + std::to_string(++operations_) + ": ";
    if (it.kind == GoalKind::calculate) return put(label + "calc " + std::to_string(it.size) + "\n");
    put(label + (it.kind == GoalKind::send ? "send " : "recv ") + std::to_string(it.size) +
        (it.kind == GoalKind::send ? "b to " : "b from ") + or_any(it.peer) + " tag " + or_any(it.tag) +
        "\n");
  }
  void depends(std::uint64_t earlier, bool on_start) override {
    put("l" + std::to_string(operations_) + (on_start ? " irequires l" : " requires l") +
        std::to_string(earlier + 1) + "\n");
  }
  Result<void> end_rank() override {
    put("}\n");
    return {};
  }
  void finish() override {}

 private:
  void put(const std::string& text) { file_.write(text); }

  UnfinishedFile& file_;
  std::uint64_t operations_ = 0;
};

}  // namespace

Result<void> read_goal_text(const fs::path& path, GoalRanks& import, const Progress& progress) {
  return GoalTextReader(path, import, progress).read();
}

std::unique_ptr<GoalWriter> goal_text_writer(UnfinishedFile& file, std::uint32_t ranks) {
  return std::make_unique<TextWriter>(file, ranks);
}

}  // namespace parcast::interchange
