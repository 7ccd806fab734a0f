// Bad input of other kinds: missing parts, references, repeats, settings, text that is no JSON,
// files that are none.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/error_messages.hpp"

namespace taut::io {
namespace {

TEST(BadScene, MissingParts) {
  EXPECT_EQ(parse_message(R"({"taut": 1})"),
            "f.json: /: found no \"bodies\", expected an array of bodies");
  EXPECT_EQ(parse_message(R"({"taut": 1, "bodies": []})"),
            "f.json: /bodies: found no body, expected at least one");
  EXPECT_EQ(parse_message(R"({"taut": 1, "bodies": {}})"),
            "f.json: /bodies: found an empty object, expected an array […]");
  EXPECT_EQ(parse_message(R"({"taut": 1, "bodies": [3]})"),
            "f.json: /bodies/0: found the number 3, expected an object {…}");
  EXPECT_EQ(parse_message(R"({"taut": 1, "bodies": [{"type": "particle", "position": [0,0,0]}]})"),
            "f.json: /bodies/0: found no \"mass\", expected a number > 0");
  EXPECT_EQ(
      parse_message(R"({"taut": 1, "bodies": [{"mass": 1}]})"),
      "f.json: /bodies/0: found no \"type\", expected a type of body (known: particle, rigid)");
  EXPECT_EQ(parse_message("[1, 2]"), "f.json: /: found an array of 2, expected an object {…}");
  EXPECT_EQ(parse_message("3"), "f.json: /: found the number 3, expected an object {…}");
}

std::string with_reference(const std::string& reference) {
  return parse_message(R"({"taut": 1, "bodies": [{"type": "particle", "name": "p", "mass": 1,
    "position": [1, 0, 0]}], "reference": {"type": "planar_pendulum", "point": "p", )" +
                       reference + "}}");
}

TEST(BadScene, References) {
  EXPECT_EQ(with_reference(R"("masses": [1], "lengths": [1], "angles": ["=pi/2"], "link": 0)"),
            "no error");
  EXPECT_EQ(
      with_reference(R"("masses": [1], "lengths": [], "angles": [0], "link": 0)"),
      "f.json: /reference: found 1 masses, 0 lengths and 1 angles, expected as many of each, at "
      "least one");
  EXPECT_EQ(with_reference(R"("masses": [1], "lengths": [1], "angles": [0], "link": 1)"),
            "f.json: /reference/link: found 1, expected a number from 0 to 0");
  EXPECT_EQ(
      with_reference(R"("masses": [1], "lengths": [1], "angles": [0], "link": 0)"),
      "f.json: /reference: found a reference that starts at [0, -1, 0], expected it where \"p\" "
      "starts, [1, 0, 0]");
  EXPECT_EQ(
      with_reference(
          R"("masses": [1], "lengths": [1], "angles": ["=pi/2"], "link": 0, "axis": "w")"),
      "f.json: /reference/axis: found the string \"w\", expected one of \"x\" \"y\" \"z\" (did "
      "you mean \"x\"?)");
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
  EXPECT_EQ(message(R"("time": 1, "values": [])"),
            "f.json: /reference/values: found no value, expected at least one");
  EXPECT_EQ(message(R"("time": 0, "values": [])"),
            "f.json: /reference/time: found the number 0, expected a number > 0");
  EXPECT_EQ(message(R"("time": 1, "values": [{"point": [1, 0, 0], "axis": "x", "value": 1}])"),
            "f.json: /reference/values/0/point: found a place in the world, expected a body or a "
            "place in one");
  EXPECT_EQ(message(R"("time": 1, "values": [{"point": "p", "axis": "z", "quantity": "angle",
                                              "value": 1}])"),
            "f.json: /reference/values/0/point: found the particle \"p\", expected a rigid body: a "
            "particle does not turn");
  EXPECT_EQ(message(R"("time": 1, "values": [{"point": "p", "axis": "x", "valeu": 1}])"),
            "f.json: /reference/values/0/valeu: found an unknown key, expected a known one (did "
            "you mean \"value\"?)");
  EXPECT_EQ(message(R"("time": 1, "values": [{"point": "q", "axis": "x", "value": 1}])"),
            "f.json: /reference/values/0/point: found \"q\", expected the name of a body (did you "
            "mean \"p\"?)");
}

TEST(BadScene, TimeIsNotAParameter) {
  EXPECT_EQ(parse_message(R"({"taut": 1, "parameters": {"t": {"value": 1}}, "bodies": [
    {"type": "particle", "name": "p", "mass": 1, "position": [1, 0, 0]}], "constraints": [
    {"type": "pin", "point": "p", "at": {"type": "formula", "value": ["=t", 0, 0]}}]})"),
            "f.json: /constraints/0/at/value/0: found a formula beside a parameter or index named "
            "\"t\", expected another name for it: in a formula t is the time");
}

TEST(BadScene, Repeats) {
  const std::string items =
      R"(, "items": [{"type": "particle", "mass": "=2-i", "position": [0,0,0]}]})";
  EXPECT_EQ(with_repeat(R"({"repeat": {"count": 3})" + items),
            "f.json: /bodies/0/items/0/mass (i = 2): found \"2-i\" = 0, expected a number > 0");
  EXPECT_NE(
      with_repeat(R"({"repeat": {"count": -1})" + items).find("/bodies/0/repeat/count: found -1"),
      std::string::npos);
  EXPECT_NE(with_repeat(R"({"repeat": {"count": 0.5})" + items).find("expected a whole number"),
            std::string::npos);
  EXPECT_NE(with_repeat(R"({"repeat": {"count": 1, "index": "N"})" + items)
                .find("/bodies/0/repeat/index: found the name \"N\" again"),
            std::string::npos);
  EXPECT_EQ(with_repeat(R"({"repeat": {"count": 3}})"),
            "f.json: /bodies/0: found no \"items\", expected an array of what is repeated");
  EXPECT_NE(
      with_repeat(R"({"repeat": {"count": 3}, "item": []})").find("(did you mean \"items\"?)"),
      std::string::npos);
  // Nested ones multiply.
  EXPECT_EQ(with_repeat(R"({"repeat": {"count": 1000000000}, "items": []})"),
            "f.json: /bodies/0/repeat: found 1000000000 turns of all repeats so far, expected at "
            "most 10000000");
  EXPECT_EQ(with_repeat(R"({"repeat": {"count": 1000000, "index": "a"}, "items": [
                            {"repeat": {"count": 1000000, "index": "b"}, "items": []}]})"),
            "f.json: /bodies/0/items/0/repeat (a = 9): found 11000000 turns of all repeats so far, "
            "expected at most 10000000");
}

TEST(BadScene, Settings) {
  const auto message = [](const std::string& key, const std::string& value) {
    return parse_message(R"({"taut": 1, "parameters": {"length": {"value": 2, "min": 1},
      "N": {"value": 3, "integer": true}},
      "bodies": [{"type": "particle", "mass": 1, "position": ["=length", 0, 0]}]})",
                         {{key, value}});
  };
  EXPECT_EQ(message("length", "5"), "no error");
  EXPECT_EQ(
      message("lenght", "5"),
      "f.json: setting \"lenght=5\": found an unknown key, expected a parameter of the scene or "
      "method.<option> (did you mean \"length\"?)");
  EXPECT_EQ(message("length", "0"), "f.json: setting \"length=0\": found 0, expected at least 1");
  EXPECT_EQ(message("N", "2.5"), "f.json: setting \"N=2.5\": found 2.5, expected a whole number");
  EXPECT_EQ(message("length", "1/0"),
            "f.json: setting \"length=1/0\": found inf, expected a finite number");
  EXPECT_EQ(
      message("length", ""),
      "f.json: setting \"length=\": found the end at character 1 of \"\", expected a number, a "
      "name or \"(\"");
  EXPECT_NE(message("length", "nan").find("found the unknown name \"nan\""), std::string::npos);
  EXPECT_NE(message("method.alfa", "1").find("(did you mean \"method.alpha\"?)"),
            std::string::npos);
}

TEST(BadText, IsNotJson) {
  EXPECT_EQ(parse_message(""), "f.json: found an empty file, expected a scene, a JSON object");
  EXPECT_EQ(parse_message(" \n\t "),
            "f.json: found an empty file, expected a scene, a JSON object");
  EXPECT_EQ(parse_message("{\n  \"taut\": NaN}"),
            "f.json: line 2, column 11: found NaN, expected a JSON value");
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
  EXPECT_EQ(parse_message(std::string("\x7f"
                                      "ELF\x02\x01\x01\0\0",
                                      9)),
            "f.json: found binary data (byte 0x02 at offset 4), expected JSON text");
  EXPECT_NE(parse_message("\xff\xfe\xfd").find("f.json: line 1, column 1: found"),
            std::string::npos);
}

TEST(BadText, DuplicateKeysAndDeepNesting) {
  EXPECT_EQ(parse_message(R"({"bodies": [{"mass": 1, "name": "x", "mass": 2}]})"),
            "f.json: /bodies/0/mass: found the key \"mass\" twice in one object, expected it once");
  const std::string arrays = parse_message(std::string(100'000, '['));
  EXPECT_NE(arrays.find("found nesting deeper than 100 levels"), std::string::npos);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_NE(parse_message(objects).find("found nesting deeper than 100 levels"), std::string::npos);
}

class BadFile : public testing::Test {
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
  EXPECT_EQ(load_message("/dev/zero"),
            "/dev/zero: found no end, expected at most 64 MiB (large scenes are written with "
            "\"repeat\")");
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
