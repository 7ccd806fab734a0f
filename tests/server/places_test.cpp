// Places in JSON texts, and small changes that leave the rest as it is written.
#include "taut/server/places.hpp"

#include <gtest/gtest.h>

#include "taut/base/error.hpp"
#include "taut/server/document.hpp"
#include "taut/server/history.hpp"
#include "taut/server/json_edit.hpp"

namespace taut::server {
namespace {

const std::string text = R"({
  "a": [1, {"b\"": "x]", "c/d": [true, null]}, "ü"],
  "e": { "f": -1e5 }
})";

std::string at(std::string_view pointer) {
  const auto found = find_value(text, pointer);
  return found ? text.substr(found->begin, found->end - found->begin) : "nothing";
}

TEST(Places, ValuesAreFoundByPointer) {
  EXPECT_EQ(at(""), text);
  EXPECT_EQ(at("/a/0"), "1");
  EXPECT_EQ(at("/a/1/c~1d/1"), "null");
  EXPECT_EQ(at("/a/2"), "\"ü\"");
  EXPECT_EQ(at("/e/f"), "-1e5");
  for (const char* pointer : {"/x", "/a/3", "/a/x", "/e/f/g", "e", "/a/1/c"})
    EXPECT_EQ(at(pointer), "nothing") << pointer;
  for (std::size_t i = 0; i < text.size(); ++i)  // cut off anywhere: no crash
    find_value(std::string_view(text).substr(0, i), "/e/f");
}

TEST(Places, ErrorsPointToTheirLine) {
  const ErrorPlace place = error_place("scene: /a/1/c~1d/7 (i = 3): found …", text);
  EXPECT_EQ(place.path, "/a/1/c~1d/7");
  ASSERT_TRUE(place.at);
  EXPECT_EQ(place.at->line, 2u);
  EXPECT_EQ(error_place("scene: line 7, column 3: found …", text).at->column, 3u);
  EXPECT_FALSE(error_place("no place at all", text).at);
}

TEST(Places, ChangesLeaveTheRestAsItIs) {
  EXPECT_EQ(set_member(text, "/e", "f", "2"), R"({
  "a": [1, {"b\"": "x]", "c/d": [true, null]}, "ü"],
  "e": { "f": 2 }
})");
  EXPECT_EQ(set_member("{}", "/simulation", "step", "0.1"),
            "{\n  \"simulation\": { \"step\": 0.1 }\n}");
  EXPECT_EQ(set_member("{\n  \"a\": 1\n}", "", "b", "2"), "{\n  \"a\": 1,\n  \"b\": 2\n}");
  EXPECT_EQ(append_item("{ \"l\": [1, 2] }", "l", "3"), "{ \"l\": [1, 2, 3] }");
  const std::string list = "[1,  2, 3]";
  const auto items = array_items(list, {0, list.size()});
  EXPECT_EQ(remove_item(list, items, 0), "[2, 3]");
  EXPECT_EQ(remove_item(list, items, 2), "[1,  2]");
  EXPECT_EQ(remove_item("[1]", array_items("[1]", {0, 3}), 0), "[]");
  EXPECT_THROW(set_member("[1]", "", "a", "1"), Error);
}

TEST(Places, ScenesThatWereChangedCanBeRead) {
  Document document = Document::load("two_link");
  document = document.with_parameters({{"L", 3}}).with_gravity({0, 0, -1});
  document = document.with_run({"icd", 0.25, {{"max_iterations", "7"}}});
  document = document.with_pin({"here", "node2", false, Vec3::Zero(), {6, 0, 0}});
  const io::Scene scene = document.read();
  EXPECT_EQ(scene.step, 0.25);
  EXPECT_EQ(scene.method_options.at(0).value, "7");
  EXPECT_EQ(scene.system.initial_state().q[0], 3);
  EXPECT_EQ(scene.system.constraint_count(), 3);
  EXPECT_EQ(document.without_pin(scene, "here").read().system.constraint_count(), 2);
  EXPECT_THROW(document.without_pin(scene, "link1"), Error);
  EXPECT_THROW(document.with_parameters({{"M", 3}}), Error);
  EXPECT_THROW(document.with_gravity({0, NAN, 0}), Error);
}

TEST(ViewingHistory, KeepsTheWholeTimeInBoundedMemory) {
  constexpr std::size_t most = 100'000;
  History history(most, 1);
  State state;
  state.q = VecX::Zero(30);
  state.v = VecX::Zero(30);
  for (int i = 0; i < 5000; ++i) {
    state.time = i;
    state.q[0] = 0.1 * i;
    if (history.is_due())
      history.add(state, static_cast<std::uint64_t>(i), {});
    else
      history.skip();
  }
  const History::Range range = history.range();
  EXPECT_EQ(range.first, 0);
  EXPECT_GT(range.last, 4900);
  EXPECT_LT(range.count, most / (60 * sizeof(double)));
  EXPECT_GT(range.count, 50u);
  const auto found = history.at(*history.find(2500));
  EXPECT_LE(found->state.time, 2500);
  EXPECT_GT(found->state.time, 2300);
  EXPECT_EQ(found->state.q[0], 0.1 * found->state.time);
  EXPECT_NEAR((*history.positions_at(2500.5))[0], 250.05, 1e-9);
  history.cut_after(1000);
  EXPECT_LE(history.range().last, 1000);
}

}  // namespace
}  // namespace taut::server
