// Materials, hulls and meshes in scenes.
#include "io/error_messages.hpp"
#include "taut/collision/material.hpp"
#include "taut/model/contact.hpp"
#include "taut/model/pose.hpp"

namespace taut::io {
namespace {

/// Boxes in a row on the ground, with what is given for their surfaces.
std::string boxes_on_ground(const std::string& more, const std::string& ground,
                            const std::string& box) {
  return R"({"taut": 1, "name": "n", )" + more + R"("shapes": [{"type": "plane", )" + ground +
         R"("name": "ground"}], "bodies": [{"type": "rigid", "name": "box", "position": [0, 0, 0.5],
    "shapes": [{"type": "box", "size": [1, 1, 1], )" +
         box + R"("name": "box"}]}]})";
}

std::vector<Contact> contacts_of(const Scene& scene) {
  std::vector<Contact> found;
  const State start = scene.system.initial_state();
  for (const auto& source : scene.system.contact_sources())
    source->find(Pose(scene.system, start.q), start.v, 0, 1e-9, found);
  return found;
}

Contact contact_of(const std::string& more, const std::string& ground, const std::string& box) {
  const std::vector<Contact> found =
      contacts_of(parse_scene(boxes_on_ground(more, ground, box), "f.json"));
  EXPECT_EQ(found.size(), 4u);
  return found.empty() ? Contact{} : found.front();
}

const std::string steel = R"("material": "steel", )", wood = R"("material": "wood", )",
                  ice = R"("material": "ice", )";

TEST(Materials, GiveDensityAndFriction) {
  const Scene scene = parse_scene(boxes_on_ground("", ice, steel), "f.json");
  EXPECT_NEAR(scene.system.mass({0}), 7850, 1e-9);
  EXPECT_EQ(contact_of("", ice, steel).friction, 0.02);
  EXPECT_EQ(contact_of("", steel, steel).friction, 0.3);
  EXPECT_NEAR(contact_of("", ice, wood).friction, std::sqrt(0.03 * 0.3), 1e-15);
}

TEST(Materials, WhatAShapeSaysItselfCounts) {
  EXPECT_NEAR(contact_of("", ice, steel + R"("friction": 0.5, )").friction, std::sqrt(0.03 * 0.5),
              1e-15);
  const Scene scene = parse_scene(boxes_on_ground("", ice, steel + R"("density": 2, )"), "f.json");
  EXPECT_NEAR(scene.system.mass({0}), 2, 1e-12);
}

TEST(Materials, OfTheSceneAndTheirPairs) {
  const std::string felt = R"("material": "felt", )";
  const std::string own =
      R"("materials": [{"name": "felt", "density": 300, "friction": 0.9, "restitution": 0.4}], )";
  EXPECT_EQ(contact_of(own, felt, felt).friction, 0.9);
  EXPECT_EQ(contact_of(own, felt, felt).restitution, 0.4);
  EXPECT_EQ(contact_of(own, steel, felt).restitution, 0.4);
  const std::string pair =
      own + R"("material_pairs": [{"materials": ["steel", "felt"], "friction": 0.2,
                                   "restitution": 0.1}], )";
  EXPECT_EQ(contact_of(pair, steel, felt).friction, 0.2);
  EXPECT_EQ(contact_of(pair, felt, steel).restitution, 0.1);
  EXPECT_EQ(contact_of(pair, felt, felt).friction, 0.9);
  // One of its own takes the place of one that is built in, with its pairs.
  const std::string other = R"("materials": [{"name": "ice", "friction": 0.3, "density": 1}], )";
  EXPECT_NEAR(contact_of(other, ice, steel).friction, 0.3, 1e-15);
}

const std::string dense = R"("density": 1, )";

TEST(Materials, SpringsAreOneBehindTheOther) {
  const std::string soft = R"("stiffness": 300, "damping": 6, )" + dense;
  const std::string softer = R"("stiffness": 600, "damping": 3, )" + dense;
  EXPECT_FALSE(contact_of("", "", dense).is_compliant());
  EXPECT_EQ(contact_of("", soft, dense).compliance.stiffness, 300);
  EXPECT_EQ(contact_of("", "", soft).compliance.damping, 6);
  EXPECT_NEAR(contact_of("", soft, softer).compliance.stiffness, 200, 1e-12);
  EXPECT_NEAR(contact_of("", soft, softer).compliance.damping, 2, 1e-12);
  const std::string step = R"("simulation": {"step": 0.01}, )";
  const Contact erp = contact_of(step, R"("erp": 0.2, "cfm": 0.001, )", dense);
  EXPECT_NEAR(erp.compliance.stiffness, 20000, 1e-9);
  EXPECT_NEAR(erp.compliance.damping, 800, 1e-9);
  const std::string pair = R"("material_pairs": [{"materials": ["steel", "wood"],
      "stiffness": 50, "rolling_friction": 0.1}], )";
  EXPECT_EQ(contact_of(pair, steel, wood).compliance.stiffness, 50);
  EXPECT_EQ(contact_of(pair, steel, wood).rolling_friction, 0.1);
  EXPECT_FALSE(contact_of(pair, steel, steel).is_compliant());
}

TEST(Materials, OfRollingAndSpinningTheLargerCounts) {
  const Contact contact = contact_of("", R"("rolling_friction": 0.01, "spinning_friction": 0.02, )",
                                     R"("rolling_friction": 0.03, )" + dense);
  EXPECT_EQ(contact.rolling_friction, 0.03);
  EXPECT_EQ(contact.spinning_friction, 0.02);
}

TEST(Materials, AGrainIsThatOfTheShapeThatHasOne) {
  const std::string wooden =
      R"("friction": 0.09, "friction_across": 0.25, "grain": [0, 2, 0], )" + dense;
  const Contact contact = contact_of("", R"("friction": 1, )", wooden);
  EXPECT_NEAR(contact.friction, 0.3, 1e-15);
  EXPECT_NEAR(contact.friction_across, 0.5, 1e-15);
  EXPECT_LT((contact.grain - Vec3::UnitY()).norm(), 1e-15);
  EXPECT_TRUE(contact_of("", "", dense).grain.isZero(0));
}

TEST(Materials, BuiltInPairsAreOfBuiltInMaterials) {
  const auto is_known = [](std::string_view name) {
    for (const collision::Material& material : collision::materials())
      if (material.name == name) return true;
    return false;
  };
  for (const collision::MaterialPair& pair : collision::material_pairs()) {
    EXPECT_TRUE(is_known(pair.a)) << pair.a;
    EXPECT_TRUE(is_known(pair.b)) << pair.b;
  }
}

const std::string good = R"({"taut": 1, "name": "n",
    "materials": [{"name": "felt", "density": 300, "restitution": 0.5}],
    "material_pairs": [{"materials": ["felt", "steel"], "friction": 0.3}],
    "shapes": [{"type": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "faces": [[0, 1, 2]]}],
    "bodies": [{"type": "rigid", "position": [0, 0, 9], "mass": 1, "inertia": [1, 1, 1],
      "shapes": [{"type": "hull", "material": "felt",
                  "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}]}]})";

TEST(MaterialMistakes, WithoutAnyTheSceneIsGood) { EXPECT_EQ(parse_message(good), "no error"); }

class MaterialMistake : public ::testing::TestWithParam<Mistake> {};

TEST_P(MaterialMistake, IsNamed) {
  EXPECT_TRUE(GetParam().is_named_by(parse_message(GetParam().in(good)), "f.json"));
}

INSTANTIATE_TEST_SUITE_P(
    Scenes, MaterialMistake,
    ::testing::Values(
        Mistake{R"("material": "felt")", R"("material": "feld")", "/bodies/0/shapes/0/material",
                R"("feld")", "material", "felt"},
        Mistake{R"("material": "felt")", R"("material": 3)", "/bodies/0/shapes/0/material",
                "number 3", "string"},
        Mistake{R"(["felt", "steel"])", R"(["felt", "stel"])", "/material_pairs/0/materials/1",
                R"("stel")", "material", "steel"},
        Mistake{R"("material": "felt")", R"("material": "felt", "damping": 3)",
                "/bodies/0/shapes/0/damping", "damping", R"("stiffness")"},
        Mistake{R"("material": "felt")", R"("material": "felt", "erp": 0.5)", "/bodies/0/shapes/0",
                R"("erp" alone)", R"("cfm")"},
        Mistake{R"("material": "felt")", R"("material": "felt", "erp": 2, "cfm": 1)",
                "/bodies/0/shapes/0/erp", "2", "at most 1"},
        Mistake{R"("material": "felt")", R"("material": "felt", "erp": 1, "cfm": 1, "damping": 1)",
                "/bodies/0/shapes/0", R"("stiffness")", "either"},
        Mistake{R"("material": "felt")", R"("material": "felt", "grain": [1, 0, 0])",
                "/bodies/0/shapes/0", R"("friction_across")", "all three"},
        Mistake{R"(["felt", "steel"])", R"(["felt"])", "/material_pairs/0/materials", "1 names",
                "two"},
        Mistake{R"(, "friction": 0.3)", "", "/material_pairs/0", "without a law",
                R"("friction"|"restitution")"},
        Mistake{R"("restitution": 0.5)", R"("restitution": 1.5)", "/materials/0/restitution", "1.5",
                "at most 1"},
        Mistake{R"("name": "felt", )", "", "/materials/0", R"(no "name")", "one"},
        Mistake{R"("restitution": 0.5})", R"("restitution": 0.5}, {"name": "felt"})",
                "/materials/1/name", R"("felt" again)", "no other material"},
        Mistake{R"("density": 300)", R"("density": 0)", "/materials/0/density", "0", "> 0"},
        Mistake{R"("type": "hull", )", R"("type": "hull", "file": "a.obj", )", "/bodies/0/shapes/0",
                R"(both "file" and "vertices")", "one of them"},
        Mistake{R"(,
                  "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])",
                "", "/bodies/0/shapes/0", R"(neither "file" nor "vertices")", "one of them"},
        Mistake{"[0, 0, 1]]", "[0, 0]]", "/bodies/0/shapes/0/vertices/3", "array of 2",
                "[x, y, z]"},
        Mistake{"[0, 1, 2]]", "[0, 1]]", "/shapes/0", "face of 2 vertices", "3 or 4"}),
    mistake_name);

TEST(MaterialMistakes, OfGeometry) {
  EXPECT_TRUE(mentions(parse_message(Mistake{"[0, 0, 1]]", "[1, 1, 0]]", "", "", ""}.in(good)),
                       "f.json: /bodies/0/shapes/0", "one plane|body"));
  EXPECT_TRUE(mentions(parse_message(Mistake{"[0, 1, 2]]", "[0, 1, 3]]", "", "", ""}.in(good)),
                       "f.json: /shapes/0", "vertex 3|0 to 2"));
}

TEST(ShapesOfScenes, RepeatsInListsOfPoints) {
  const Scene scene = parse_scene(R"({"taut": 1, "name": "n",
    "bodies": [{"type": "rigid", "position": [0, 0, 9], "shapes": [{"type": "hull", "density": 2,
      "vertices": [{"repeat": {"count": 2}, "items": [
        {"repeat": {"count": 2, "index": "k"}, "items": [["=2*i-1", "=2*k-1", -1],
                                                        ["=2*i-1", "=2*k-1", 1]]}]}]}]}]})",
                                  "f.json");
  EXPECT_NEAR(scene.system.mass({0}), 16, 1e-12);
}

}  // namespace
}  // namespace taut::io
