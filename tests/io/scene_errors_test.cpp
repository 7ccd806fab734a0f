// Bad input of other kinds: missing parts, references, repeats, settings, text that is no JSON,
// files that are none.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/error_messages.hpp"

namespace taut::io {
namespace {

TEST(BadScene, MissingParts) {
  EXPECT_TRUE(says(parse_message(R"({"taut": 1})"), "f.json: /", R"(no "bodies")", "array"));
  EXPECT_TRUE(says(parse_message(R"({"taut": 1, "bodies": []})"), "f.json: /bodies", "no body",
                   "at least one"));
  EXPECT_TRUE(
      says(parse_message(R"({"taut": 1, "bodies": {}})"), "f.json: /bodies", "object", "array"));
  EXPECT_TRUE(says(parse_message(R"({"taut": 1, "bodies": [3]})"), "f.json: /bodies/0", "number 3",
                   "object"));
  EXPECT_TRUE(
      says(parse_message(R"({"taut": 1, "bodies": [{"type": "particle", "position": [0,0,0]}]})"),
           "f.json: /bodies/0", R"(no "mass")", "> 0"));
  EXPECT_TRUE(says(parse_message(R"({"taut": 1, "bodies": [{"mass": 1}]})"), "f.json: /bodies/0",
                   R"(no "type")", "particle|rigid"));
  EXPECT_TRUE(says(parse_message("[1, 2]"), "f.json: /", "array|2", "object"));
  EXPECT_TRUE(says(parse_message("3"), "f.json: /", "number 3", "object"));
}

std::string with_reference(const std::string& reference) {
  return parse_message(R"({"taut": 1, "bodies": [{"type": "particle", "name": "p", "mass": 1,
    "position": [1, 0, 0]}], "reference": {"type": "planar_pendulum", "point": "p", )" +
                       reference + "}}");
}

TEST(BadScene, References) {
  EXPECT_EQ(with_reference(R"("masses": [1], "lengths": [1], "angles": ["=pi/2"], "link": 0)"),
            "no error");
  EXPECT_TRUE(says(with_reference(R"("masses": [1], "lengths": [], "angles": [0], "link": 0)"),
                   "f.json: /reference", "1|0", "as many"));
  EXPECT_TRUE(says(with_reference(R"("masses": [1], "lengths": [1], "angles": [0], "link": 1)"),
                   "f.json: /reference/link", "1", "0"));
  EXPECT_TRUE(says(with_reference(R"("masses": [1], "lengths": [1], "angles": [0], "link": 0)"),
                   "f.json: /reference", "[0, -1, 0]", R"("p"|[1, 0, 0])"));
  EXPECT_TRUE(
      says(with_reference(
               R"("masses": [1], "lengths": [1], "angles": ["=pi/2"], "link": 0, "axis": "w")"),
           "f.json: /reference/axis", R"("w")", R"("x"|"y"|"z")", "x"));
}

std::string with_repeat(const std::string& repeat) {
  return parse_message(R"({"taut": 1, "parameters": {"N": {"value": 3}}, "bodies": [)" + repeat +
                       "]}");
}

TEST(BadScene, FinalValues) {
  const auto message = [](const std::string& values) {
    return parse_message(R"({"taut": 1, "bodies": [{"type": "particle", "name": "p", "mass": 1,
      "position": [1, 0, 0]}], "reference": {"type": "final_values", )" +
                         values + "}}");
  };
  EXPECT_EQ(message(R"("time": 1, "values": [{"point": "p", "axis": "x", "value": 1}])"),
            "no error");
  EXPECT_TRUE(says(message(R"("time": 1, "values": [])"), "f.json: /reference/values", "no value",
                   "at least one"));
  EXPECT_TRUE(
      says(message(R"("time": 0, "values": [])"), "f.json: /reference/time", "number 0", "> 0"));
  EXPECT_TRUE(
      says(message(R"("time": 1, "values": [{"point": [1, 0, 0], "axis": "x", "value": 1}])"),
           "f.json: /reference/values/0/point", "world", "body"));
  EXPECT_TRUE(says(message(R"("time": 1, "values": [{"point": "p", "axis": "z", "quantity": "angle",
                                              "value": 1}])"),
                   "f.json: /reference/values/0/point", R"(particle|"p")", "rigid body"));
  EXPECT_TRUE(says(message(R"("time": 1, "values": [{"point": "p", "axis": "x", "valeu": 1}])"),
                   "f.json: /reference/values/0/valeu", "unknown", "known", "value"));
  EXPECT_TRUE(says(message(R"("time": 1, "values": [{"point": "q", "axis": "x", "value": 1}])"),
                   "f.json: /reference/values/0/point", R"("q")", "body", "p"));
}

TEST(BadScene, TimeIsNotAParameter) {
  EXPECT_TRUE(says(parse_message(R"({"taut": 1, "parameters": {"t": {"value": 1}}, "bodies": [
    {"type": "particle", "name": "p", "mass": 1, "position": [1, 0, 0]}], "constraints": [
    {"type": "pin", "point": "p", "at": {"type": "formula", "value": ["=t", 0, 0]}}]})"),
                   "f.json: /constraints/0/at/value/0", R"("t")", "time"));
}

TEST(BadScene, Repeats) {
  const std::string items =
      R"(, "items": [{"type": "particle", "mass": "=2-i", "position": [0,0,0]}]})";
  EXPECT_TRUE(says(with_repeat(R"({"repeat": {"count": 3})" + items),
                   "f.json: /bodies/0/items/0/mass (i = 2)", R"("2-i"|0)", "> 0"));
  EXPECT_NE(
      with_repeat(R"({"repeat": {"count": -1})" + items).find("/bodies/0/repeat/count: found -1"),
      std::string::npos);
  EXPECT_NE(with_repeat(R"({"repeat": {"count": 0.5})" + items).find("expected a whole number"),
            std::string::npos);
  EXPECT_NE(with_repeat(R"({"repeat": {"count": 1, "index": "N"})" + items)
                .find("/bodies/0/repeat/index: found the name \"N\" again"),
            std::string::npos);
  EXPECT_TRUE(says(with_repeat(R"({"repeat": {"count": 3}})"), "f.json: /bodies/0", R"(no "items")",
                   "array"));
  EXPECT_NE(
      with_repeat(R"({"repeat": {"count": 3}, "item": []})").find("(did you mean \"items\"?)"),
      std::string::npos);
  // Nested ones multiply.
  EXPECT_TRUE(says(with_repeat(R"({"repeat": {"count": 1000000000}, "items": []})"),
                   "f.json: /bodies/0/repeat", "1000000000", "at most 10000000"));
  EXPECT_TRUE(says(with_repeat(R"({"repeat": {"count": 1000000, "index": "a"}, "items": [
                            {"repeat": {"count": 1000000, "index": "b"}, "items": []}]})"),
                   "f.json: /bodies/0/items/0/repeat (a = 9)", "11000000", "at most 10000000"));
}

TEST(BadScene, Settings) {
  const auto message = [](const std::string& key, const std::string& value) {
    return parse_message(R"({"taut": 1, "parameters": {"length": {"value": 2, "min": 1},
      "N": {"value": 3, "integer": true}},
      "bodies": [{"type": "particle", "mass": 1, "position": ["=length", 0, 0]}]})",
                         {{key, value}});
  };
  EXPECT_EQ(message("length", "5"), "no error");
  EXPECT_TRUE(says(message("lenght", "5"), R"(f.json: setting "lenght=5")", "unknown",
                   "parameter|method.", "length"));
  EXPECT_TRUE(says(message("length", "0"), R"(f.json: setting "length=0")", "0", "1"));
  EXPECT_TRUE(says(message("N", "2.5"), R"(f.json: setting "N=2.5")", "2.5", "whole number"));
  EXPECT_TRUE(says(message("length", "1/0"), R"(f.json: setting "length=1/0")", "inf", "finite"));
  EXPECT_TRUE(
      says(message("length", ""), R"(f.json: setting "length=")", R"(end|1|"")", R"(number|"(")"));
  EXPECT_NE(message("length", "nan").find("found the unknown name \"nan\""), std::string::npos);
  EXPECT_NE(message("method.alfa", "1").find("(did you mean \"method.alpha\"?)"),
            std::string::npos);
}

TEST(BadText, IsNotJson) {
  EXPECT_TRUE(says(parse_message(""), "f.json", "empty", "scene|JSON"));
  EXPECT_TRUE(says(parse_message(" \n\t "), "f.json", "empty", "scene|JSON"));
  EXPECT_TRUE(
      says(parse_message("{\n  \"taut\": NaN}"), "f.json: line 2, column 11", "NaN", "JSON"));
  EXPECT_NE(parse_message("{\"taut\": Infinity}").find("found Infinity, expected a JSON value"),
            std::string::npos);
  EXPECT_NE(parse_message("{\"taut\": -Infinity}").find("found -Infinity"), std::string::npos);
  EXPECT_NE(parse_message("{\"taut\": 1e999}")
                .find("found 1e999, expected a number that is not too large"),
            std::string::npos);
  EXPECT_NE(parse_message("{\"taut\": 1").find("found the end of the file"), std::string::npos);
  EXPECT_NE(parse_message("{\"taut\": 1} x").find("found x, expected end of input"),
            std::string::npos);
  EXPECT_NE(parse_message("{\"a\": [1,]}").find("line 1, column 10: found ]"), std::string::npos);
  EXPECT_NE(parse_message("{'taut': 1}").find("line 1, column 2: found '"), std::string::npos);
  EXPECT_NE(parse_message("{\"taut\": 1, // why\n}").find("line 1, column 13"), std::string::npos);
  EXPECT_NE(parse_message("{\"a\xff\": 1}").find("UTF-8"), std::string::npos);
  EXPECT_TRUE(says(parse_message(std::string("\x7f"
                                             "ELF\x02\x01\x01\0\0",
                                             9)),
                   "f.json", "4", "JSON"));
  EXPECT_NE(parse_message("\xff\xfe\xfd").find("f.json: line 1, column 1: found"),
            std::string::npos);
}

TEST(BadText, DuplicateKeysAndDeepNesting) {
  EXPECT_TRUE(says(parse_message(R"({"bodies": [{"mass": 1, "name": "x", "mass": 2}]})"),
                   "f.json: /bodies/0/mass", R"("mass"|twice)", "once"));
  const std::string arrays = parse_message(std::string(100'000, '['));
  EXPECT_NE(arrays.find("found nesting deeper than 100 levels"), std::string::npos);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_NE(parse_message(objects).find("found nesting deeper than 100 levels"), std::string::npos);
}

class BadFile : public ::testing::Test {
 protected:
  BadFile()
      : folder_(std::filesystem::temp_directory_path() /
                ("taut_bad_file_" + std::to_string(::getpid()))) {
    std::filesystem::create_directory(folder_);
  }
  ~BadFile() override { std::filesystem::remove_all(folder_); }

  std::string file(const char* name, const std::string& text) {
    const auto path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }
  std::filesystem::path folder_;
};

TEST_F(BadFile, TwoHundredMegabytes) {
  const std::string path = file("big.json", "{");
  std::filesystem::resize_file(path, 200 << 20);  // sparse: takes no room
  EXPECT_EQ(load_message(path), path +
                                    ": found 200 MiB, expected at most 64 MiB (large scenes are "
                                    "written with \"repeat\")");
}

TEST_F(BadFile, EmptyDirectoryMissingEndless) {
  const std::string empty = file("empty.json", "");
  EXPECT_EQ(load_message(empty), empty + ": found an empty file, expected a scene, a JSON object");
  EXPECT_EQ(load_message(folder_.string()),
            folder_.string() + ": found a directory, expected a scene file");
  EXPECT_TRUE(says(load_message("/dev/zero"), "/dev/zero", "no end", R"(64 MiB|"repeat")"));
}

TEST_F(BadFile, MissingOnesGetTheNearestName) {
  const std::string expected =
      ": found no such file, expected a scene file or the name of a built-in scene, see `taut list "
      "scenes` (did you mean \"two_link\"?)";
  EXPECT_EQ(load_message("two_lnk"), "two_lnk" + expected);
  EXPECT_EQ(load_message("scenes/two_lik.json"), "scenes/two_lik.json" + expected);
  EXPECT_NE(load_message("").find("found no such file"), std::string::npos);
  EXPECT_NE(load_message(std::string(100'000, 'x')).find("found no such file"), std::string::npos);
}

}  // namespace
}  // namespace taut::io
