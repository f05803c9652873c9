// SPDX-License-Identifier: Apache-2.0
#include "interchange/measurements.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <random>
#include <set>
#include <tuple>

#include "base/files.h"

namespace parcast::interchange {
namespace {

using fit::Kernel;
using fit::Measurements;
using testing::HasSubstr;

constexpr auto kForms = std::to_array({MeasurementForm::csv, MeasurementForm::extrap_text,
                                       MeasurementForm::extrap_json, MeasurementForm::extrap_json_lines});

using Row = std::tuple<std::string, std::string, std::string, std::vector<std::vector<double>>,
                       std::vector<std::vector<double>>>;

/// Returns everything that a form must keep.
std::pair<std::vector<std::string>, std::vector<Row>> given(const Measurements& m) {
  std::vector<Row> rows;
  for (const Kernel& k : m.kernels) rows.emplace_back(k.callpath, k.metric, k.unit, k.points, k.values);
  return {m.parameters, rows};
}

/// Makes measurements in the order that readers keep: metrics of a call path together, points ascending.
class Random {
 public:
  explicit Random(unsigned seed) : bits_(seed) {}

  Measurements measurements() {
    Measurements m;
    const std::size_t width = 1 + below(4);
    for (std::size_t i = 0; i < width; ++i) m.parameters.push_back(name("p", " ") + std::to_string(i));
    const std::vector<std::vector<double>> points = this->points(width);
    for (std::size_t c = below(3) + 1; c > 0; --c) {
      const std::string callpath =
          c == 1 && below(2) ? "" : name("main->\"f\"(int, x);\t#", "") + std::to_string(c);
      for (std::size_t k = 1 + below(2); k > 0; --k)
        m.kernels.push_back(kernel(callpath, k == 1 ? "time" : "visits {},", points));
    }
    const std::string unit = below(2) ? "us" : "";
    for (Kernel& k : m.kernels)
      if (k.metric == "time") k.unit = unit;
    return m;
  }

 private:
  std::size_t below(std::size_t n) { return bits_() % n; }

  /// Returns random letters, without those in `without`. The name begins with a letter and ends in one.
  std::string name(std::string_view letters, std::string_view without) {
    std::string out = "x";
    for (std::size_t n = below(6); n > 0; --n)
      if (const char c = letters[below(letters.size())];
          without.find(c) == std::string_view::npos && c != '\t' && (c != ' ' || out.back() != ' '))
        out += c;
    return out + "y";
  }

  double number() {
    switch (below(4)) {
      case 0:
        return static_cast<double>(below(1000));
      case 1:
        return static_cast<double>(bits_()) * 1e-12;
      case 2:
        return std::ldexp(1 + static_cast<double>(bits_()) * 0x1p-40, static_cast<int>(below(190)) - 95);
      default:
        return -static_cast<double>(1 + below(100)) / 7;
    }
  }

  std::vector<std::vector<double>> points(std::size_t width) {
    std::set<std::vector<double>> out;
    for (std::size_t n = 1 + below(5); n > 0; --n) {
      std::vector<double> point;
      for (std::size_t i = 0; i < width; ++i)
        point.push_back(below(3) ? static_cast<double>(below(4)) : number());
      out.insert(point);
    }
    return {out.begin(), out.end()};
  }

  Kernel kernel(const std::string& callpath, const std::string& metric,
                const std::vector<std::vector<double>>& points) {
    Kernel k{callpath, metric, "", points, {}};
    for (std::size_t i = 0; i < points.size(); ++i) {
      k.values.emplace_back();
      for (std::size_t n = 1 + below(3); n > 0; --n) k.values.back().push_back(number());
    }
    return k;
  }

  std::minstd_rand bits_;
};

TEST(Measurements, EveryFormGivesBackWhatItWasGiven) {
  for (unsigned seed = 1; seed <= 500; ++seed) {
    const Measurements m = Random(seed).measurements();
    ASSERT_TRUE(check(m)) << seed;
    for (const MeasurementForm form : kForms) {
      const auto text = measurements_to(m, form);
      ASSERT_TRUE(text) << seed << " " << to_string(text.error());
      ASSERT_EQ(form_of_text(*text), form) << *text;
      const auto back = measurements_from(*text, "f", {});
      ASSERT_TRUE(back) << to_string(back.error()) << "\n" << *text;
      ASSERT_EQ(given(*back), given(m)) << *text;
      ASSERT_TRUE(back->warnings.empty()) << back->warnings.front();
      ASSERT_EQ(*measurements_to(*back, form), *text) << "seed " << seed;
    }
  }
}

TEST(Measurements, NamesOfAllKindsPassThroughCsvAndJson) {
  for (const std::string name : {"a,b", "a;b", "\"a\"", " a ", "a\nb", "a\r\nb", "#a",
                                 "\xC3\xA9->\xE2\x82\xAC", "1", "1,5", "nan", "a\\b\x01", "-"}) {
    const Measurements m{{"p", "n"}, {{name, "x" + name, "u" + name, {{1, 2}, {2, 2}}, {{1}, {2}}}}, {}};
    for (const MeasurementForm form :
         {MeasurementForm::csv, MeasurementForm::extrap_json, MeasurementForm::extrap_json_lines}) {
      const auto back = measurements_from(*measurements_to(m, form), "f", {});
      ASSERT_TRUE(back) << to_string(back.error());
      EXPECT_EQ(given(*back), given(m));
    }
  }
}

TEST(Measurements, AParameterThatCsvWouldReadAsSomethingElseIsRefused) {
  for (const char* name : {"value", "Metric", "callpath", "run", "date"}) {
    const Measurements m{{name}, {{"", "time", "", {{1}}, {{1}}}}, {}};
    const auto csv = measurements_to(m, MeasurementForm::csv);
    ASSERT_FALSE(csv) << name;
    EXPECT_THAT(csv.error().what, HasSubstr(std::string("a parameter called ") + name));
    EXPECT_TRUE(measurements_to(m, MeasurementForm::extrap_json)) << name;
  }
}

TEST(Measurements, CheckNamesWhatIsWrong) {
  const auto wrong = [](const auto& change) {
    Measurements m{
        {"p", "n"}, {{"a", "time", "s", {{1, 2}}, {{1}}}, {"b", "time", "s", {{1, 2}}, {{1}}}}, {}};
    change(m);
    const auto result = check(m);
    return result ? "good" : result.error().what;
  };
  EXPECT_EQ(wrong([](Measurements&) {}), "good");
  EXPECT_EQ(wrong([](Measurements& m) { m.parameters.clear(); }), "there is no parameter");
  EXPECT_EQ(wrong([](Measurements& m) { m.parameters[1] = "p"; }), "parameter p occurs twice");
  EXPECT_EQ(wrong([](Measurements& m) { m.kernels.clear(); }), "there is no measured value");
  EXPECT_EQ(wrong([](Measurements& m) { m.kernels[1].unit = "us"; }), "time is in s and in us");
  EXPECT_EQ(wrong([](Measurements& m) { m.kernels[1].callpath = "a"; }), "time of a occurs twice");
  EXPECT_EQ(wrong([](Measurements& m) { m.kernels[0].points[0].pop_back(); }),
            "time of a has a point of another width than there are parameters");
  EXPECT_EQ(wrong([](Measurements& m) { m.kernels[0].values[0].clear(); }),
            "time of a has a point without a value");
  EXPECT_EQ(wrong([](Measurements& m) { m.kernels[0].values[0][0] = NAN; }),
            "time of a has a number that is not finite");
  EXPECT_EQ(wrong([](Measurements& m) {
              m.kernels[0].points.push_back({1, 2}), m.kernels[0].values.push_back({1});
            }),
            "time of a has one point twice");
  EXPECT_EQ(wrong([](Measurements& m) { m.kernels[0].callpath = "\xFF"; }),
            "a text of time of \xFF is not UTF-8");
}

TEST(Measurements, WhatAFileHoldsDecidesItsForm) {
  EXPECT_EQ(form_of_text("# note\n\nPARAMETER p\n"), MeasurementForm::extrap_text);
  EXPECT_EQ(form_of_text("METRIC time\nPARAMETER p\n"), MeasurementForm::extrap_text);
  EXPECT_EQ(form_of_text("METRIC\ttime\n1\t2\n"), MeasurementForm::csv);
  EXPECT_EQ(form_of_text("\xEF\xBB\xBF {\"measurements\":{}}"), MeasurementForm::extrap_json);
  EXPECT_EQ(form_of_text("{\"callpaths\":[]}"), MeasurementForm::extrap_json);
  EXPECT_EQ(form_of_text("{\"metric\":\"time\"}"), MeasurementForm::extrap_json_lines);
  EXPECT_EQ(form_of_text("p,time\n"), MeasurementForm::csv);
  EXPECT_EQ(form_of_text(std::string_view("p\0,time", 7)), std::nullopt);
  EXPECT_EQ(form_of_text("[]"), std::nullopt);
  EXPECT_EQ(form_of_name("a.csv"), MeasurementForm::csv);
  EXPECT_EQ(form_of_name("a.jsonl"), MeasurementForm::extrap_json_lines);
  EXPECT_EQ(form_of_name("a.dat"), std::nullopt);
}

TEST(Measurements, FilesAreWrittenAndReadByName) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "measurements";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "m.csv";
  const Measurements m{{"p"}, {{"", "time", "", {{1}, {2}}, {{1, 1.5}, {2}}}}, {}};
  ASSERT_TRUE(write_measurements(m, path, MeasurementForm::csv));
  EXPECT_EQ(*read_file(path),
            "callpath,metric,p,repetition,value\n,time,1,1,1\n,time,1,2,1.5\n,time,2,1,2\n");
  EXPECT_EQ(given(*read_measurements(path, {})), given(m));
  const auto unwritten = write_measurements({{"run"}, m.kernels, {}}, path, MeasurementForm::csv);
  EXPECT_EQ(unwritten.error().where, path);
  EXPECT_THAT(to_string(read_measurements(folder / "none.csv", {}).error()), HasSubstr("cannot be read"));
  std::filesystem::remove_all(folder);
}

TEST(Measurements, WhatIsNoTextIsRefusedWithItsPlace) {
  const auto message = [](std::string_view text) {
    return to_string(measurements_from(text, "f", {}).error());
  };
  EXPECT_THAT(message("p,time\n1,2\n\xE9,3\n"), HasSubstr("f:3:1: error: this is not UTF-8"));
  EXPECT_THAT(message("p,time\n1,2\nab\xED\xA0\x80,3\n"), HasSubstr("f:3:3: error: this is not UTF-8"));
  EXPECT_THAT(message("PK\x03\x04zip"), AllOf(HasSubstr("perhaps an experiment of Extra-P"),
                                              HasSubstr("measured values only with --keep-values")));
  EXPECT_THAT(message(" \n"), HasSubstr("f: error: the file is empty"));
  EXPECT_THAT(message(std::string_view("\0\0", 2)), HasSubstr("neither CSV nor one of Extra-P's forms"));
}

}  // namespace
}  // namespace parcast::interchange
