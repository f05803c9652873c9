// SPDX-License-Identifier: Apache-2.0
#include "symbolic/languages.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "symbolic/build.h"
#include "symbolic/grammar.h"

namespace parcast::symbolic {
namespace {

struct Named {
  std::string_view name;
  Language language;
};
constexpr std::array kLanguages{Named{"text", Language::text}, Named{"latex", Language::latex},
                                Named{"maple", Language::maple}, Named{"c++", Language::cpp},
                                Named{"javascript", Language::javascript}};

// Words with a meaning in the language, in addition to those that begin a definition.
const std::set<std::string, std::less<>>& reserved(Language language) {
  static const std::set<std::string, std::less<>> kMaple{
      "add",       "and",       "assuming", "break",  "by",        "catch", "ceil",    "description",
      "D",         "Digits",    "do",       "done",   "E",         "elif",  "else",    "end",
      "error",     "exp",       "export",   "FAIL",   "false",     "fi",    "finally", "floor",
      "for",       "from",      "gamma",    "global", "I",         "if",    "implies", "in",
      "infinity",  "intersect", "ln",       "local",  "log",       "max",   "min",     "minus",
      "mod",       "module",    "next",     "not",    "NULL",      "O",     "od",      "option",
      "options",   "or",        "pi",       "Pi",     "piecewise", "proc",  "quit",    "read",
      "return",    "save",      "stop",     "subset", "then",      "to",    "true",    "try",
      "undefined", "union",     "use",      "uses",   "while",     "xor"};
  static const std::set<std::string, std::less<>> kCpp{
      "alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
      "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
      "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
      "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
      "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
      "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
      "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
      "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
      "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
      "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
      "static_cast", "std",      "struct",     "switch",    "template",  "this",         "thread_local",
      "throw",       "true",     "try",        "typedef",   "typeid",    "typename",     "union",
      "unsigned",    "using",    "virtual",    "void",      "volatile",  "wchar_t",      "while",
      "xor",         "xor_eq",   "HUGE_VAL",   "INFINITY",  "NAN",       "NULL"};
  static const std::set<std::string, std::less<>> kJavascript{
      "arguments", "await",    "break",      "case",      "catch",    "class",  "const",      "continue",
      "debugger",  "default",  "delete",     "do",        "else",     "enum",   "eval",       "export",
      "extends",   "false",    "finally",    "for",       "function", "if",     "implements", "import",
      "in",        "Infinity", "instanceof", "interface", "let",      "Math",   "NaN",        "new",
      "null",      "package",  "private",    "protected", "public",   "return", "static",     "super",
      "switch",    "this",     "throw",      "true",      "try",      "typeof", "undefined",  "var",
      "void",      "while",    "with",       "yield"};
  return language == Language::maple ? kMaple : language == Language::cpp ? kCpp : kJavascript;
}

bool is_plain_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

class Writer {
 public:
  Writer(const Expression& whole, Language language) : language_(language) {
    for (const Expression& symbol : free_symbols(whole)) symbols_.push_back(symbol.name());
    std::ranges::sort(symbols_);
    for (const std::string& name : symbols_) names_[name] = {};
    for (auto& [name, given] : names_) given = fitting(name);
  }
  /// Writes these names of the symbols, and the parts that occur several times as names of their own.
  Writer(std::map<std::string, std::string> names, std::span<const Expression> outputs, Language language)
      : language_(language), names_(std::move(names)) {
    for (const Expression& output : outputs) count(output);
  }

  std::string text(const Expression& a) {
    const auto times = occurrences_.find(&node_of(a));
    return times == occurrences_.end() || times->second < 2 ? text_once(a) : named(a);
  }
  /// Returns the definitions of all parts that were written by name.
  const std::string& parts() const { return parts_; }

  std::string text_once(const Expression& a) {
    const std::span<const Expression> o = a.operands();
    switch (a.operation()) {
      case Operation::constant:
        return fraction(a.constant());
      case Operation::real:
        return real(number_of(a).to_double());
      case Operation::symbol:
        return symbol(a);
      case Operation::sum:
        return sum(o);
      case Operation::product:
      case Operation::power:
        return product(a);
      case Operation::floor:
        return rounded(o[0], "floor");
      case Operation::ceil:
        return rounded(o[0], "ceil");
      case Operation::modulo:
        return modulo(o[0], o[1]);
      case Operation::minimum:
        return extreme(o, "min");
      case Operation::maximum:
        return extreme(o, "max");
      case Operation::log2:
        return logarithm(o[0]);
      case Operation::conditional:
        return conditional_text(o);
      case Operation::series:
        return series_text(o);
    }
    return "";
  }

  const std::vector<std::string>& symbols() const { return symbols_; }
  const std::map<std::string, std::string>& names() const { return names_; }

 private:
  bool code() const { return language_ == Language::cpp || language_ == Language::javascript; }
  bool latex() const { return language_ == Language::latex; }
  std::string function(std::string_view name) const {
    const std::string_view space = language_ == Language::cpp          ? "std::"
                                   : language_ == Language::javascript ? "Math."
                                                                       : "";
    return std::string(space) + std::string(name);
  }

  // A part with the index of an open sum belongs to the sum's loop.
  void count(const Expression& a) {
    if (a.operands().empty()) return;
    if (node_of(a).loose == 0 && ++occurrences_[&node_of(a)] > 1) return;
    for (const Expression& operand : a.operands()) count(operand);
  }

  std::string named(const Expression& a) {
    if (const auto known = part_names_.find(&node_of(a)); known != part_names_.end()) return known->second;
    const std::string value = text_once(a), name = "t" + std::to_string(part_names_.size());
    parts_ += "const " + name + "=" + value + ";\n";
    return part_names_[&node_of(a)] = name;
  }

  std::string fitting(const std::string& name) {
    if (latex()) return latex_name(name);
    std::string fit;
    for (const char c : name) fit += is_plain_letter(c) || is_digit(c) || c == '_' ? c : '_';
    if (fit.empty() || !is_plain_letter(fit[0])) fit = "x" + fit;
    while (reserved(language_).contains(fit) || taken_.contains(fit)) fit += '_';
    taken_.insert(fit);
    return fit;
  }
  static std::string latex_name(const std::string& name) {
    if (name.size() == 1 && is_plain_letter(name[0])) return name;
    std::string escaped;
    for (const char c : name)
      escaped += std::string_view("#$%&_{}").find(c) != std::string_view::npos ? std::string("\\") + c
                 : c == '\\'                                                   ? "\\textbackslash{}"
                 : c == '^'                                                    ? "\\textasciicircum{}"
                 : c == '~'                                                    ? "\\textasciitilde{}"
                                                                               : std::string(1, c);
    return "\\mathrm{" + escaped + "}";
  }

  std::string whole(std::int64_t value) const { return std::to_string(value) + (code() ? ".0" : ""); }
  std::string fraction(const Rational& value) const {
    if (value.is_integer()) return whole(value.numerator());
    if (latex())
      return std::string(value.numerator() < 0 ? "-" : "") + "\\frac{" +
             std::to_string(value.numerator()).substr(value.numerator() < 0) + "}{" +
             std::to_string(value.denominator()) + "}";
    return "(" + whole(value.numerator()) + "/" + whole(value.denominator()) + ")";
  }
  std::string real(double value) const {
    if (std::isinf(value)) {
      const std::string sign = value < 0 ? "-" : "";
      return sign + (latex()                        ? "\\infty"
                     : language_ == Language::maple ? "infinity"
                     : language_ == Language::cpp   ? "HUGE_VAL"
                                                    : "Infinity");
    }
    std::string text = format_exact(value);
    const auto e = text.find('e');
    if (latex() && e != std::string::npos)
      return text.substr(0, e) + " \\cdot 10^{" + std::to_string(std::stoi(text.substr(e + 1))) + "}";
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }
  std::string number(const Number& value) const {
    return value.is_real() ? real(value.to_double()) : fraction(value.exact());
  }

  std::string symbol(const Expression& a) {
    if (const std::uint32_t level = node_of(a).level; level != 0)
      if (const auto found = indices_.find(level); found != indices_.end()) return found->second;
    return names_.at(a.name());
  }

  std::string parentheses(const std::string& text) const {
    return latex() ? "\\left(" + text + "\\right)" : "(" + text + ")";
  }

  std::string sum(std::span<const Expression> terms) {
    std::string out = text(terms[0]);
    for (const Expression& term : terms.subspan(1)) {
      const std::string next = text(term);
      out += next[0] == '-' ? " - " + next.substr(1) : " + " + next;
    }
    return out;
  }

  // Returns an operand next to * or /, or under an exponent, in parentheses if needed.
  std::string factor(const Expression& a, bool under_power) {
    const std::string of = text(a);
    const Operation operation = a.operation();
    const bool sum_like =
        operation == Operation::sum ||
        (latex() && (operation == Operation::series || operation == Operation::conditional));
    const bool compound = under_power && (operation == Operation::product || operation == Operation::power ||
                                          ((a.is_number() || operation == Operation::log2) && latex()));
    return sum_like || compound || of[0] == '-' ? parentheses(of) : of;
  }

  std::string power(const Expression& base, const Rational& exponent) {
    if (exponent == Rational(1)) return factor(base, false);
    if (code()) return function("pow") + "(" + text(base) + ", " + fraction(exponent) + ")";
    if (latex()) return factor(base, true) + "^{" + fraction(exponent) + "}";
    return factor(base, true) + "^" + fraction(exponent);
  }

  std::string product(const Expression& a) {
    std::vector<std::string> above, below;
    const Number& coefficient = coefficient_of(a);
    std::string sign;
    if (coefficient.is_real()) {
      const double value = coefficient.to_double();
      sign = value < 0 ? "-" : "";
      above.push_back(real(std::abs(value)));
    } else {
      const Rational& exact = coefficient.exact();
      std::string numerator = whole(exact.numerator());
      if (exact.numerator() < 0) {
        sign = "-";
        numerator.erase(0, 1);
      }
      if (numerator != whole(1)) above.push_back(numerator);
      if (!exact.is_integer()) below.push_back(whole(exact.denominator()));
    }
    for (const Expression& each : symbolic_factors(a)) {
      const auto [base, exponent] = base_and_exponent(each);
      const std::optional<Rational> opposite = negate(exponent);
      if (exponent.sign() < 0 && opposite)
        below.push_back(power(base, *opposite));
      else
        above.push_back(power(base, exponent));
    }
    if (above.empty()) above.push_back(whole(1));
    const std::string times = latex() ? " \\, " : "*";
    if (below.empty()) return sign + join(above, times);
    if (latex()) return sign + "\\frac{" + join(above, times) + "}{" + join(below, times) + "}";
    return sign + join(above, times) + "/" + (below.size() == 1 ? below[0] : "(" + join(below, times) + ")");
  }

  std::string rounded(const Expression& of, const std::string& name) {
    if (latex()) return "\\left\\l" + name + " " + text(of) + " \\right\\r" + name;
    return function(name) + "(" + text(of) + ")";
  }

  std::string modulo(const Expression& a, const Expression& b) {
    const std::string left = factor(a, false), divisor = factor(b, false);
    const std::string right =
        b.operation() == Operation::product || b.operation() == Operation::power || b.is_number()
            ? parentheses(text(b))
            : divisor;
    if (latex()) return parentheses(left + " \\bmod " + right);
    return "(" + left + " - " + right + "*" + function("floor") + "(" + left + "/" + right + "))";
  }

  std::string extreme(std::span<const Expression> of, const std::string& name) {
    std::vector<std::string> all;
    for (const Expression& each : of) all.push_back(text(each));
    if (latex()) return "\\" + name + "\\left(" + join(all, ", ") + "\\right)";
    if (language_ != Language::cpp) return function(name) + "(" + join(all, ", ") + ")";
    std::string nested = all[0];
    for (std::size_t i = 1; i < all.size(); ++i)
      nested = "std::f" + name + "(" + nested + ", " + all[i] + ")";
    return nested;
  }

  std::string logarithm(const Expression& of) {
    switch (language_) {
      case Language::latex:
        return "\\log_2 " + parentheses(text(of));
      case Language::maple:
        return "(ln(" + text(of) + ")/ln(2))";
      default:
        return function("log2") + "(" + text(of) + ")";
    }
  }

  std::string conditional_text(std::span<const Expression> o) {
    const std::string condition = text(o[0]), so = text(o[1]), otherwise = text(o[2]);
    if (latex())
      return "\\begin{cases} " + so + " & " + condition + " \\ge 0 \\\\ " + otherwise +
             " & \\text{otherwise} \\end{cases}";
    if (language_ == Language::maple)
      return "piecewise(" + condition + " >= 0, " + so + ", " + otherwise + ")";
    return "(" + condition + " >= 0 ? " + so + " : " + otherwise + ")";
  }

  // An index gets a name that differs from all names in scope.
  std::string series_text(std::span<const Expression> o) {
    const std::string first = text(o[1]), last = text(o[2]);
    std::string index = "k";
    for (int n = 1;
         taken_.contains(index) || (latex() && std::ranges::find(symbols_, index) != symbols_.end()); ++n)
      index = "k" + std::to_string(n);
    const std::uint32_t level = node_of(o[0]).level;
    taken_.insert(index);
    indices_[level] = index;
    const std::string body = text(o[3]);
    indices_.erase(level);
    taken_.erase(index);
    switch (language_) {
      case Language::latex:
        return "\\sum_{" + index + "=" + first + "}^{" + last + "} " + body;
      // A list, since Giac tries closed forms for other sums. The condition is needed because Giac counts
      // downwards when last < first.
      case Language::maple:
        return "piecewise(" + last + " >= " + first + ", add([seq(" + body + ", " + index + "=" + first +
               ".." + last + ")]), 0)";
      case Language::cpp:
        return "[&] { double s_ = 0; for (double " + index + " = " + first + ", last_ = " + last + "; " +
               index + " <= last_; " + index + " += 1) s_ += " + body + "; return s_; }()";
      default:
        return "(function () { var s_ = 0; for (var " + index + " = " + first + ", last_ = " + last + "; " +
               index + " <= last_; " + index + " += 1) s_ += " + body + "; return s_; })()";
    }
  }

  Language language_;
  std::vector<std::string> symbols_;
  std::map<std::string, std::string> names_;
  std::set<std::string> taken_{"s_", "last_"};
  std::map<std::uint32_t, std::string> indices_;  // of open series, by level
  std::map<const Node*, int> occurrences_;        // of compound parts; empty: every part is written in place
  std::map<const Node*, std::string> part_names_;
  std::string parts_;
};

std::string identifier(std::string_view name) {
  std::string fit;
  for (const char c : name) fit += is_plain_letter(c) || is_digit(c) || c == '_' ? c : '_';
  return fit.empty() || !is_plain_letter(fit[0]) ? "f" + fit : fit;
}

}  // namespace

std::optional<Language> language_named(std::string_view name) {
  for (const Named& known : kLanguages)
    if (known.name == name) return known.language;
  return std::nullopt;
}

Definition define(std::string_view name, const Expression& value, Language language) {
  if (language == Language::text) {
    Definition definition{std::string(name) + " = " + to_text(value) + "\n", {}, {}, {}};
    for (const Expression& symbol : free_symbols(value)) definition.symbols.push_back(symbol.name());
    std::ranges::sort(definition.symbols);
    definition.arguments = definition.symbols;
    return definition;
  }
  Writer writer(value, language);
  const std::string text = writer.text(value);
  Definition definition;
  definition.symbols = writer.symbols();
  for (const std::string& symbol : writer.symbols()) {
    definition.arguments.push_back(writer.names().at(symbol));
    if (definition.arguments.back() != symbol && language != Language::latex)
      definition.renamed.emplace_back(symbol, definition.arguments.back());
  }
  const std::string called = identifier(name), arguments = join(definition.arguments, ", ");
  switch (language) {
    case Language::latex:
      definition.text = "\\mathrm{" + join(split(std::string(name), '_'), "\\_") + "} = " + text + "\n";
      break;
    case Language::maple:
      definition.text = called + " := (" + arguments + ") -> " + text + ":\n";
      break;
    case Language::cpp:
      definition.text =
          "double " + called + "(" +
          (definition.arguments.empty() ? "" : "double " + join(definition.arguments, ", double ")) +
          ") { return " + text + "; }\n";
      break;
    default:
      definition.text = "function " + called + "(" + arguments + ") { return " + text + "; }\n";
      break;
  }
  return definition;
}

std::string javascript_of_many(std::span<const Expression> outputs, std::span<const std::string> symbols) {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i < symbols.size(); ++i) names[symbols[i]] = "x[" + std::to_string(i) + "]";
  Writer writer(std::move(names), outputs, Language::javascript);
  std::string assignments;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const std::string value = writer.text(outputs[i]);
    assignments += "out[" + std::to_string(i) + "]=" + value + ";\n";
  }
  return "function (x, out) {\n" + writer.parts() + assignments + "}";
}

}  // namespace parcast::symbolic
