// SPDX-License-Identifier: Apache-2.0
// Numbers read from words of the command line: by sscanf, by strings and streams of C++, by internal files of
// Fortran.

#include <algorithm>
#include <charconv>

#include "source/facts/derivation.h"
#include "source/facts/scan_format.h"

namespace parcast::facts {
namespace {

// Offsets in a std::string of libstdc++: its length, and its text if that is short. The pointer to the text
// is at 0.
constexpr std::int64_t kLength = 8, kShortText = 16;
constexpr std::string_view kString = "_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE",
                           kConstString = "_ZNKSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE";
constexpr std::string_view kStreams[] = {"_ZNSt7__cxx1119basic_istringstreamIcSt11char_traitsIcESaIcEEC1E",
                                         "_ZNSt7__cxx1118basic_stringstreamIcSt11char_traitsIcESaIcEEC1E"};

bool is_extraction(std::string_view name) {
  return name.starts_with("_ZNSirsER") || name.starts_with("_ZNSi10_M_extract");
}

/// Returns the conversion by std::istream's operator>> for a number of 32 or 64 bits, or nothing for other
/// functions.
std::optional<Conversion> extracted(std::string_view name) {
  if (name == "_ZNSirsERi" || name == "_ZNSirsERj") return Conversion{32, false};
  if (name == "_ZNSirsERl" || name == "_ZNSirsERm" || name == "_ZNSirsERx" || name == "_ZNSirsERy")
    return Conversion{64, false};
  if (name == "_ZNSi10_M_extractIiEERSiRT_" || name == "_ZNSi10_M_extractIjEERSiRT_")
    return Conversion{32, false};
  if (name == "_ZNSi10_M_extractIlEERSiRT_" || name == "_ZNSi10_M_extractImEERSiRT_")
    return Conversion{64, false};
  if (name == "_ZNSi10_M_extractIdEERSiRT_" || name == "_ZNSirsERd") return Conversion{64, true};
  if (name == "_ZNSi10_M_extractIfEERSiRT_" || name == "_ZNSirsERf") return Conversion{32, true};
  return std::nullopt;
}

/// Returns the text of a flang literal. Short literals have their letters in their name, in hexadecimal
/// digits.
std::string literal(const Node& node) {
  constexpr std::string_view kShort = "_QQclX";
  if (node.operation == Operation::text) return node.name;
  if (node.operation != Operation::global || !node.name.starts_with(kShort)) return {};
  std::string text;
  for (std::size_t at = kShort.size(); at + 1 < node.name.size(); at += 2) {
    unsigned letter = 0;
    if (std::from_chars(node.name.data() + at, node.name.data() + at + 2, letter, 16).ec != std::errc{})
      return {};
    text += static_cast<char>(letter);
  }
  return text;
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

class LinkedProgram::Texts {
 public:
  explicit Texts(LinkedProgram& program) : program_(program) {}

  void note() {
    note_strings_by_their_length();
    for_each_call([this](FunctionPlace place, const Call& call) { note_string(place, call); });
    for_each_call([this](FunctionPlace place, const Call& call) { note_changes(place, call); });
    for (const auto& [string, words] : strings_)
      if (words.size() == 1 && !changed_.contains(string)) program_.strings_[string] = {*words.begin(), true};
    for_each_call([this](FunctionPlace place, const Call& call) { note_stream(place, call); });
    for_each_call([this](FunctionPlace place, const Call& call) {
      note_scan(place, call);
      note_extraction(place, call);
      note_buffer(place, call);
    });
    for (const auto& [name, places] : program_.by_name_)
      for (const FunctionPlace place : places)
        for (const Overwrite& each : program_.at(place).overwrites)
          if (!program_.only_fails(place, each.block) &&
              (program_.executed(place, each.block) || program_.may_be_entered(place)))
            overwritten_.merge(program_.memory_of(place, each.place));
    for (const auto& [name, places] : program_.by_name_)
      for (const FunctionPlace place : places)
        if (program_.may_be_entered(place)) note_internal_files(place);
  }

 private:
  template <typename Note>
  void for_each_call(const Note& note) {
    for (const auto& [name, places] : program_.by_name_)
      for (const FunctionPlace place : places)
        for (const Call& call : program_.at(place).calls)
          if (call.to && !program_.only_fails(place, call.block) &&
              (program_.executed(place, call.block) || program_.may_be_entered(place)))
            note(place, call);
  }
  std::set<Memory> memory(FunctionPlace place, const Call& call, std::size_t argument) const {
    return argument < call.arguments.size() && call.arguments[argument]
               ? program_.memory_of(place, *call.arguments[argument])
               : std::set<Memory>{};
  }
  std::optional<std::int64_t> number(FunctionPlace place, const Call& call, std::size_t argument) const {
    if (argument >= call.arguments.size() || !call.arguments[argument]) return std::nullopt;
    const Node& node = program_.at(place).nodes[*call.arguments[argument]];
    return node.operation == Operation::integer ? std::optional(node.number) : std::nullopt;
  }
  std::optional<Word> word(FunctionPlace place, const Call& call, std::size_t argument) const {
    return argument < call.arguments.size() && call.arguments[argument]
               ? program_.word_at(place, *call.arguments[argument])
               : std::nullopt;
  }

  /// Without `read` the written value is unknown.
  void write(FunctionPlace place, const Call& call, std::size_t argument, const std::optional<Input>& read,
             Conversion as, bool sole) {
    const Rounding rounding = !as.is_real ? Rounding::exact : as.bits < 64 ? Rounding::more : Rounding::once;
    for (const Memory& to : memory(place, call, argument)) {
      if (read)
        program_.written_[to].push_back({input(*read, as.bits, rounding), sole, &call, place});
      else
        program_.also_store({to}, 8);
    }
  }

  // Finds strings with inlined constructors: their length is set to the length of a word.
  void note_strings_by_their_length() {
    for (const auto& [memory, stores] : program_.stores_) {
      Memory string = memory;
      string.offset -= kLength;
      std::set<int> words;
      bool all = !stores.empty() && !program_.also_stored_.contains(memory);
      for (const StorePlace& store : stores) {
        const Node& length = program_.at(store.function).nodes[store.value];
        const auto of =
            length.operation == Operation::call && length.name == "strlen" && !length.operands.empty()
                ? program_.word_at(store.function, length.operands[0])
                : std::nullopt;
        all = all && of && of->sole;
        if (of) words.insert(of->number);
      }
      if (all && holds_itself(string)) strings_[string].merge(words);
    }
  }
  // Returns whether a short text is stored inside the string object.
  bool holds_itself(const Memory& string) const {
    const auto stores = program_.stores_.find(string);
    Memory text = string;
    text.offset += kShortText;
    return stores != program_.stores_.end() &&
           std::ranges::any_of(stores->second, [&](const StorePlace& store) {
             return program_.memory_of(store.function, store.value) == std::set{text};
           });
  }

  static bool constructs(std::string_view name) {
    return name.starts_with(kString) && name.substr(kString.size()).starts_with('C');
  }
  void note_string(FunctionPlace place, const Call& call) {
    if (!constructs(*call.to)) return;
    const auto of = word(place, call, 1);
    for (const Memory& string : memory(place, call, 0))
      if (of && of->sole)
        strings_[string].insert(of->number);
      else
        changed_.insert(string);
  }
  void note_changes(FunctionPlace place, const Call& call) {
    // std::getline, and >>
    constexpr std::string_view kReadsOne[] = {"_ZSt7getlineIcSt11char_traits", "_ZStrsIcSt11char_traits"};
    if (std::ranges::any_of(kReadsOne, [&](std::string_view name) { return call.to->starts_with(name); }))
      changed_.merge(memory(place, call, 1));
    if (!call.to->starts_with(kString) || call.to->starts_with(kConstString) || constructs(*call.to) ||
        call.to->substr(kString.size()).starts_with('D'))
      return;
    changed_.merge(memory(place, call, 0));
  }

  void note_stream(FunctionPlace place, const Call& call) {
    if (!constructs_stream(*call.to)) return;
    const std::set<Memory> streams = memory(place, call, 0), texts = memory(place, call, 1);
    const auto of = texts.size() == 1 ? program_.strings_.find(*texts.begin()) : program_.strings_.end();
    for (const Memory& stream : streams) {
      const bool fresh =
          streams_
              .try_emplace(stream, of == program_.strings_.end() ? std::nullopt : std::optional(of->second))
              .second;
      if (!fresh) streams_[stream] = std::nullopt;
    }
  }
  // The first number of a stream is the word. Later numbers are unknown.
  void note_extraction(FunctionPlace place, const Call& call) {
    const auto conversion = extracted(*call.to);
    if (!conversion) {
      if (is_extraction(*call.to)) write(place, call, 1, std::nullopt, {}, false);
      return;
    }
    std::optional<Input> read;
    if (const std::set<Memory> streams = memory(place, call, 0); streams.size() == 1)
      if (const auto known = streams_.find(*streams.begin());
          known != streams_.end() && known->second && is_only_read(*streams.begin()))
        read = Input{InputKind::word, known->second->number};
    write(place, call, 1, read, *conversion, true);
  }
  // Returns whether exactly one number is read from the stream, and nothing else is done with it, such as
  // setting another text or base, or reading a letter first.
  bool is_only_read(const Memory& stream) {
    const auto holds = [&](const std::set<Memory>& places) {
      return std::ranges::any_of(places, [&](Memory memory) {
        memory.offset = stream.offset;
        return memory == stream;
      });
    };
    int extractions = 0;
    bool otherwise = false;
    std::optional<std::pair<FunctionPlace, int>> read;
    for_each_call([&](FunctionPlace place, const Call& call) {
      if (constructs_stream(*call.to) || call.to->starts_with("_ZNK") ||
          call.to->find("D1Ev") != std::string::npos || call.to->find("D2Ev") != std::string::npos)
        return;
      if (extracted(*call.to) && holds(memory(place, call, 0))) {
        ++extractions;
        read.emplace(place, call.block);
        return;
      }
      for (std::size_t argument = 0; argument < call.arguments.size(); ++argument)
        otherwise = otherwise || holds(memory(place, call, argument));
    });
    if (extractions != 1 || otherwise) return false;
    for (const auto& [name, places] : program_.by_name_)
      for (const FunctionPlace place : places) {
        const auto is_before = [&](int block) {
          return !program_.only_fails(place, block) &&
                 (place != read->first || program_.may_precede(place, block, read->second));
        };
        const Function& function = program_.at(place);
        for (const Overwrite& each : function.overwrites)
          if (is_before(each.block) && holds(program_.memory_of(place, each.place))) return false;
        for (const Store& store : function.stores)
          if (function.nodes[store.value].operation < Operation::global && is_before(store.block) &&
              holds(program_.memory_of(place, store.place)))
            return false;
      }
    return true;
  }
  static bool constructs_stream(std::string_view called) {
    return std::ranges::any_of(kStreams, [&](std::string_view name) { return called.starts_with(name); });
  }

  void note_scan(FunctionPlace place, const Call& call) {
    const bool of_text = is_any(*call.to, {"sscanf", "__isoc99_sscanf", "__isoc23_sscanf"});
    const bool of_file = is_any(*call.to, {"fscanf", "__isoc99_fscanf", "__isoc23_fscanf"}),
               of_input = is_any(*call.to, {"scanf", "__isoc99_scanf", "__isoc23_scanf"});
    if (!of_text && !of_file && !of_input) return;
    const std::size_t first = of_input ? 1 : 2;
    const auto of = of_text ? word(place, call, 0) : std::nullopt;
    std::optional<std::vector<Conversion>> conversions;
    const auto write_letters = [&](std::size_t argument) {  // their number is given by the format
      for (const Memory& to : memory(place, call, argument)) program_.overwritten_from_.insert(to);
    };
    if (of_text && call.arguments.size() > 1 && call.arguments[1])
      if (const Node& format = program_.at(place).nodes[*call.arguments[1]];
          format.operation == Operation::text)
        conversions = conversions_of(format.name);
    for (std::size_t argument = first; argument < call.arguments.size(); ++argument) {
      const std::size_t which = argument - first;
      if (of && conversions && which < conversions->size()) {
        const int part = conversions->size() == 1 ? 0 : static_cast<int>(which) + 1;
        write(place, call, argument, Input{InputKind::word, of->number, 0, part}, (*conversions)[which],
              of->sole);
      } else {
        write(place, call, argument, std::nullopt, {}, false);
        if (!conversions) write_letters(argument);
      }
    }
  }

  // Fortran: a buffer receives a word, and is then read as an internal file.

  /// Returns the text that a descriptor describes.
  std::optional<Memory> described(FunctionPlace place, const Call& call, std::size_t argument) const {
    std::set<Memory> texts;
    for (const Memory& descriptor : memory(place, call, argument))
      if (const auto stores = program_.stores_.find(descriptor); stores != program_.stores_.end())
        for (const StorePlace& store : stores->second)
          texts.merge(program_.memory_of(store.function, store.value));
    return texts.size() == 1 ? std::optional(*texts.begin()) : std::nullopt;
  }
  static bool gets_word(const Call& call) { return call.to == "_FortranAGetCommandArgument"; }
  void note_buffer(FunctionPlace place, const Call& call) {
    if (is_any(*call.to, {"memcpy", "memmove", "memset"})) changed_buffers_.merge(memory(place, call, 0));
    if (is_any(*call.to, {"_FortranAioInputAscii", "_FortranAioInputCharacter"}))
      changed_buffers_.merge(memory(place, call, 1));
    if (call.to->starts_with("_FortranAioBeginInternal") && call.to->find("Output") != std::string::npos)
      changed_buffers_.merge(memory(place, call, 0));
    if (!gets_word(call)) return;
    if (const auto buffer = described(place, call, 1))
      buffers_[*buffer].insert(number(place, call, 0).value_or(kUnknownWord));
  }

  /// Returns whether anything but an entire word is written to the buffer.
  bool is_changed(const Memory& buffer) const {
    const auto is_there = [&](Memory memory) {
      memory.offset = buffer.offset;
      return memory == buffer;
    };
    const auto any = [&](const auto& places) {
      const auto each = places.lower_bound(buffer);
      return each != places.end() && is_there(each->first);
    };
    const auto other = changed_buffers_.lower_bound(buffer);
    return program_.may_be_overwritten(buffer) || any(program_.stores_) || any(program_.also_stored_) ||
           (other != changed_buffers_.end() && is_there(*other)) ||
           std::ranges::any_of(overwritten_, is_there);
  }

  void note_internal_files(FunctionPlace place) {
    constexpr std::int64_t kLongestNumber = 10;  // letters of a number of 32 bits
    int block = -1;
    std::map<Memory, std::int64_t> in_block;  // last word stored to each buffer
    std::optional<int> first_is;  // word of the number that is read first after its statement began
    bool is_sole = false;
    for (const Call& call : program_.at(place).calls) {
      if (!call.to || program_.only_fails(place, call.block)) continue;
      if (call.block != block) {
        in_block.clear();
        first_is.reset();
        block = call.block;
      }
      if (gets_word(call)) {
        if (const auto buffer = described(place, call, 1))
          in_block[*buffer] = number(place, call, 0).value_or(kUnknownWord);
      } else if (call.to == "_FortranAioBeginInternalListInput" ||
                 (call.to == "_FortranAioBeginInternalFormattedInput" && reads_wide(place, call))) {
        first_is.reset();
        const std::set<Memory> buffer = memory(place, call, 0);
        if (buffer.size() == 1 && number(place, call, 1).value_or(0) >= kLongestNumber)
          first_is = held(*buffer.begin(), in_block);
        is_sole = buffer.size() == 1 && !is_changed(*buffer.begin());
      } else if (call.to->starts_with("_FortranAioInput")) {
        note_item(place, call, first_is, is_sole);
        first_is.reset();
      } else if (call.to->starts_with("_FortranAioBegin")) {
        first_is.reset();
      }
    }
  }
  std::optional<int> held(const Memory& buffer, const std::map<Memory, std::int64_t>& in_block) const {
    std::int64_t word = kUnknownWord;
    if (const auto last = in_block.find(buffer); last != in_block.end())
      word = last->second;
    else if (const auto all = buffers_.find(buffer); all != buffers_.end() && all->second.size() == 1)
      word = *all->second.begin();
    return word == kUnknownWord ? std::nullopt : std::optional(static_cast<int>(word));
  }
  // Returns whether the format, such as (I10), reads all digits of a number of 32 bits.
  bool reads_wide(FunctionPlace place, const Call& call) const {
    constexpr std::size_t kFormat = 2;
    if (call.arguments.size() <= kFormat || !call.arguments[kFormat]) return false;
    const std::string format = literal(program_.at(place).nodes[*call.arguments[kFormat]]);
    return format.size() == 5 && (format.starts_with("(i") || format.starts_with("(I")) && format[2] >= '1' &&
           format[2] <= '9' && format[3] >= '0' && format[3] <= '9' && format[4] == ')';
  }
  void note_item(FunctionPlace place, const Call& call, std::optional<int> word, bool sole) {
    constexpr std::size_t kKind = 2;
    unsigned bits = 0;
    if (call.to == "_FortranAioInputInteger")
      bits = static_cast<unsigned>(8 * number(place, call, kKind).value_or(0));
    if (call.to == "_FortranAioInputReal32") bits = 32;
    if (call.to == "_FortranAioInputReal64") bits = 64;
    write(place, call, 1, word && bits > 0 ? std::optional(Input{InputKind::word, *word}) : std::nullopt,
          {bits, call.to != "_FortranAioInputInteger"}, sole);
  }

  static constexpr std::int64_t kUnknownWord = -1;
  LinkedProgram& program_;
  std::map<Memory, std::set<int>> strings_;  // words that they may hold
  std::set<Memory> changed_;                 // strings that their member functions may change
  std::map<Memory, std::optional<Word>> streams_;
  std::map<Memory, std::set<std::int64_t>> buffers_;
  std::set<Memory> changed_buffers_;
  std::set<Memory> overwritten_;  // objects in which letters are stored at a computed distance
};

void LinkedProgram::note_texts() {
  Texts(*this).note();
}

// Returns whether the program stores into its command line.
bool LinkedProgram::changes_words() const {
  const auto any = [](const auto& places) {
    return std::ranges::any_of(places,
                               [](const auto& each) { return each.first.kind >= Memory::Kind::words; });
  };
  return stores_letters_ || any(stores_) || any(also_stored_);
}

std::optional<LinkedProgram::Word> LinkedProgram::word_at(FunctionPlace function, NodeNumber place) const {
  if (const Node& node = at(function).nodes[place]; node.operation == Operation::pointed && node.number == 0)
    if (const std::set<Memory> holders = memory_of(function, node.operands[0]); holders.size() == 1)
      if (const auto string = strings_.find(*holders.begin()); string != strings_.end())
        return string->second;
  const std::set<Memory> places = memory_of(function, place);
  for (const Memory& memory : places)
    if (memory.kind == Memory::Kind::word)
      return Word{static_cast<int>(memory.offset),
                  places.size() == 1 && !changes_words() && leads_nowhere_else(function, place)};
  return std::nullopt;
}

}  // namespace parcast::facts
