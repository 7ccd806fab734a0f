#include "taut/scene/mesh_pieces.hpp"

#include <fmt/core.h>

#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "taut/text/whole_file.hpp"

namespace taut::io {
namespace {

namespace fs = std::filesystem;
using collision::Decomposition;
using collision::DecompositionOptions;

/// Changes when the same mesh would be cut in another way.
constexpr std::uint64_t version = 1;

/// FNV-1a over whole words, with two different starts: 128 bits.
class Fingerprint {
 public:
  void add(std::uint64_t word) {
    for (std::uint64_t& sum : sums_) {
      sum = (sum ^ word) * 0x100000001b3u;
      sum ^= sum >> 29;
    }
  }
  void add(double number) { add(std::bit_cast<std::uint64_t>(number)); }
  const std::array<std::uint64_t, 2>& sums() const { return sums_; }

 private:
  std::array<std::uint64_t, 2> sums_{0xcbf29ce484222325u, 0x9e3779b97f4a7c15u};
};

Fingerprint fingerprint(const Mesh& mesh, const DecompositionOptions& options) {
  Fingerprint print;
  print.add(version);
  print.add(static_cast<std::uint64_t>(options.pieces));
  print.add(options.concavity);
  print.add(static_cast<std::uint64_t>(mesh.vertices.size()));
  for (const Vec3& v : mesh.vertices)
    for (int k = 0; k < 3; ++k) print.add(v[k]);
  for (const Face& face : mesh.faces)
    for (const int v : face.vertex) print.add(static_cast<std::uint64_t>(v));
  return print;
}

/// What a file contains: words of eight bytes, the sum of all of them last.
class Words {
 public:
  void put(std::uint64_t word) { words_.push_back(word); }
  void put(double number) { put(std::bit_cast<std::uint64_t>(number)); }
  void put(const std::vector<Vec3>& points) {
    put(static_cast<std::uint64_t>(points.size()));
    for (const Vec3& point : points)
      for (int k = 0; k < 3; ++k) put(point[k]);
  }
  void put(const std::string& text) {
    put(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) put(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }

  std::uint64_t word() {
    if (next_ >= words_.size()) throw Error("it ends too early");
    return words_[next_++];
  }
  double number() { return std::bit_cast<double>(word()); }
  std::size_t count() {
    const std::uint64_t n = word();
    if (n > words_.size()) throw Error("it ends too early");
    return n;
  }
  std::vector<Vec3> points() {
    std::vector<Vec3> list(count());
    for (Vec3& point : list)
      for (int k = 0; k < 3; ++k) point[k] = number();
    return list;
  }
  std::string text() {
    std::string text(count(), ' ');
    for (char& c : text) c = static_cast<char>(word());
    return text;
  }

  std::string bytes() const {
    std::string bytes((words_.size() + 1) * sizeof(std::uint64_t), '\0');
    const std::uint64_t last = sum();
    std::memcpy(bytes.data(), words_.data(), words_.size() * sizeof last);
    std::memcpy(bytes.data() + words_.size() * sizeof last, &last, sizeof last);
    return bytes;
  }
  /// False for what is not whole.
  bool take(const std::string& bytes) {
    if (bytes.size() < sizeof(std::uint64_t) || bytes.size() % sizeof(std::uint64_t) != 0)
      return false;
    words_.resize(bytes.size() / sizeof(std::uint64_t));
    std::memcpy(words_.data(), bytes.data(), bytes.size());
    const std::uint64_t last = words_.back();
    words_.pop_back();
    return last == sum();
  }

 private:
  std::uint64_t sum() const {
    Fingerprint print;
    for (const std::uint64_t word : words_) print.add(word);
    return print.sums()[0];
  }

  std::vector<std::uint64_t> words_;
  std::size_t next_ = 0;
};

std::string packed(const Decomposition& d, const Fingerprint& key) {
  Words words;
  for (const std::uint64_t sum : key.sums()) words.put(sum);
  for (const double x : {d.reaches_out, d.sticks_out, d.volume, d.body_volume}) words.put(x);
  words.put(static_cast<std::uint64_t>(d.pieces.size()));
  for (const collision::Shape& piece : d.pieces) words.put(piece.hull->vertices);
  words.put(static_cast<std::uint64_t>(d.repairs.size()));
  for (const std::string& repair : d.repairs) words.put(repair);
  words.put(d.vertices);
  words.put(static_cast<std::uint64_t>(d.triangles.size()));
  for (const std::array<int, 3>& t : d.triangles)
    for (const int v : t) words.put(static_cast<std::uint64_t>(v));
  return words.bytes();
}

std::optional<Decomposition> unpacked(const std::string& bytes, const Fingerprint& key) try {
  Words words;
  if (!words.take(bytes)) return std::nullopt;
  for (const std::uint64_t sum : key.sums())
    if (words.word() != sum) return std::nullopt;
  Decomposition d;
  for (double* x : {&d.reaches_out, &d.sticks_out, &d.volume, &d.body_volume}) *x = words.number();
  d.pieces.resize(words.count());
  for (collision::Shape& piece : d.pieces) piece = collision::convex_hull(words.points());
  d.repairs.resize(words.count());
  for (std::string& repair : d.repairs) repair = words.text();
  d.vertices = words.points();
  d.triangles.resize(words.count());
  for (std::array<int, 3>& t : d.triangles)
    for (int& v : t) v = static_cast<int>(words.word());
  return d;
} catch (const Error&) {
  return std::nullopt;
}

std::optional<fs::path> cache_folder() {
  const auto absolute = [](const char* variable) -> std::optional<fs::path> {
    const char* value = std::getenv(variable);
    if (!value || !fs::path(value).is_absolute()) return std::nullopt;
    return fs::path(value);
  };
  if (const auto cache = absolute("XDG_CACHE_HOME")) return *cache / "taut" / "pieces";
  if (const auto home = absolute("HOME")) return *home / ".cache" / "taut" / "pieces";
  return std::nullopt;
}

}  // namespace

std::vector<std::array<int, 3>> triangles_of(const Mesh& mesh) {
  std::vector<std::array<int, 3>> triangles;
  for (const Face& face : mesh.faces) {
    const std::array<int, 4>& v = face.vertex;
    triangles.push_back({v[0], v[1], v[2]});
    if (face.size() == 4) triangles.push_back({v[0], v[2], v[3]});
  }
  return triangles;
}

std::optional<fs::path> pieces_file(const Mesh& mesh, const DecompositionOptions& options) {
  const std::optional<fs::path> folder = cache_folder();
  if (!folder) return std::nullopt;
  const std::array<std::uint64_t, 2> sums = fingerprint(mesh, options).sums();
  return *folder / fmt::format("{:016x}{:016x}", sums[0], sums[1]);
}

Decomposition mesh_pieces(const Mesh& mesh, const DecompositionOptions& options) {
  const std::optional<fs::path> file = pieces_file(mesh, options);
  const Fingerprint key = fingerprint(mesh, options);
  if (file) {
    std::ifstream in(*file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    if (std::optional<Decomposition> kept = unpacked(bytes, key)) return *std::move(kept);
  }
  const Decomposition made = collision::decompose(mesh.vertices, triangles_of(mesh), options);
  const std::string bytes = packed(made, key);
  if (file) {
    std::error_code no_throw;
    fs::create_directories(file->parent_path(), no_throw);
    try {
      WholeFile out(*file);
      out.write(bytes);
      out.finish();
    } catch (const WriteError&) {  // then it is cut again next time
    }
  }
  // As it is read: results do not depend on whether there was a cache.
  return unpacked(bytes, key).value_or(made);
}

}  // namespace taut::io
