#include <fmt/core.h>

#include <memory>
#include <string>

#include "commands.hpp"
#include "taut/mesh/mesh_file.hpp"
#include "taut/scene/mesh_pieces.hpp"

namespace taut::cli {
namespace {

struct DecomposeArguments {
  std::string mesh, out;
  collision::DecompositionOptions options;
  bool quiet = false;
};

/// One part for each piece.
void write_pieces(const std::string& path, const collision::Decomposition& pieces) {
  Mesh mesh;
  io::MeshStyle style;
  style.double_precision = true;
  for (std::size_t i = 0; i < pieces.pieces.size(); ++i) {
    style.parts.push_back({fmt::format("piece_{}", i), mesh.faces.size()});
    const collision::Hull& hull = *pieces.pieces[i].hull;
    const int first = static_cast<int>(mesh.vertices.size());
    mesh.vertices.insert(mesh.vertices.end(), hull.vertices.begin(), hull.vertices.end());
    for (std::size_t f = 0; f + 1 < hull.face_start.size(); ++f)
      for (int k = hull.face_start[f] + 1; k + 1 < hull.face_start[f + 1]; ++k) {
        const auto vertex = [&](int at) {
          return first + hull.face_vertex[static_cast<std::size_t>(at)];
        };
        mesh.faces.push_back({{vertex(hull.face_start[f]), vertex(k), vertex(k + 1), -1}});
      }
  }
  io::write_mesh(path, mesh, style);
}

ExitCode run_decompose(const DecomposeArguments& arguments) {
  const Mesh mesh = io::read_mesh(arguments.mesh);
  if (!arguments.out.empty()) io::mesh_format(arguments.out);  // before the work
  const collision::Decomposition pieces = io::mesh_pieces(mesh, arguments.options);
  if (!arguments.out.empty()) write_pieces(arguments.out, pieces);
  if (arguments.quiet) return exit_ok;

  std::size_t vertices = 0;
  for (const collision::Shape& piece : pieces.pieces) vertices += piece.hull->vertices.size();
  const double size = pieces.size();
  fmt::print("{}: {} triangles, {} convex pieces with {} vertices\n\n", arguments.mesh,
             pieces.triangles.size(), pieces.pieces.size(), vertices);
  fmt::print("  pieces reach out  at most {:.3g}, {:.3g} of the size\n", pieces.reaches_out,
             pieces.reaches_out / size);
  fmt::print("  body sticks out   at most {:.3g}, {:.3g} of the size\n", pieces.sticks_out,
             pieces.sticks_out / size);
  if (pieces.body_volume > 0)
    fmt::print("  volume            {:.6g}, that of the body {:.6g} ({:+.3g} %)\n", pieces.volume,
               pieces.body_volume, 100 * (pieces.volume / pieces.body_volume - 1));
  else
    fmt::print("  volume            {:.6g}; the mesh is not closed\n", pieces.volume);
  for (const std::string& repair : pieces.repairs) fmt::print("  repaired          {}\n", repair);
  if (pieces.reaches_out > arguments.options.concavity * size)
    fmt::print(
        "  That is more than the concavity of {:g} that was asked for: it takes more "
        "pieces.\n",
        arguments.options.concavity);
  return exit_ok;
}

}  // namespace

void add_decompose(CLI::App& app, Action& chosen) {
  CLI::App* command =
      app.add_subcommand("decompose", "Divide the body that a mesh encloses into convex pieces");
  auto arguments = std::make_shared<DecomposeArguments>();
  command->add_option("MESH", arguments->mesh, "An OBJ, PLY or STL file")
      ->type_name("FILE")
      ->required();
  command->add_option("--out", arguments->out, "Write the pieces to this mesh file")
      ->type_name("FILE");
  command->add_option("--pieces", arguments->options.pieces, "At most this many; 32 by default")
      ->type_name("N");
  command
      ->add_option("--concavity", arguments->options.concavity,
                   "How far pieces may reach out of the body, relative to its size; 0.02 by "
                   "default")
      ->type_name("C");
  command->add_flag("--quiet", arguments->quiet, "Print nothing");
  command->footer(
      "Examples:\n"
      "  taut decompose bunny.obj\n"
      "  taut decompose bunny.obj --pieces 16 --concavity 0.05 --out pieces.obj");
  command->callback(
      [arguments, &chosen] { chosen = [arguments] { return run_decompose(*arguments); }; });
}

}  // namespace taut::cli
