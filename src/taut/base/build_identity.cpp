#include "taut/base/build_identity.hpp"

#include <elf.h>
#include <fmt/core.h>
#include <gnu/libc-version.h>
#include <link.h>

#include <cstring>

#include "taut/base/version.hpp"

namespace taut {
namespace {

struct Search {
  const void* address;
  std::string found;
};

/// The note of an object with its build number, if `address` is in it.
int look_at(dl_phdr_info* info, std::size_t, void* data) {
  Search& search = *static_cast<Search*>(data);
  const auto wanted = reinterpret_cast<ElfW(Addr)>(search.address);
  bool is_here = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const ElfW(Addr) begin = info->dlpi_addr + part.p_vaddr;
    is_here =
        is_here || (part.p_type == PT_LOAD && begin <= wanted && wanted < begin + part.p_memsz);
  }
  if (!is_here) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
    const char* end = at + part.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char* name = at + sizeof note;
      const char* bytes = name + (note.n_namesz + 3) / 4 * 4;
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
        for (unsigned k = 0; k < note.n_descsz; ++k)
          search.found += fmt::format("{:02x}", static_cast<unsigned char>(bytes[k]));
      at = bytes + (note.n_descsz + 3) / 4 * 4;
    }
  }
  return 1;
}

}  // namespace

std::string build_identity() {
  static const char here = 0;
  Search search{&here, {}};
  ::dl_iterate_phdr(look_at, &search);
  return fmt::format("taut {} {}", version, search.found);
}

std::string kernel_identity() {
  std::string text = fmt::format("glibc {}", ::gnu_get_libc_version());
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) text += " avx2";
  if (__builtin_cpu_supports("fma")) text += " fma";
  if (__builtin_cpu_supports("avx512f")) text += " avx512f";
#endif
  return text;
}

}  // namespace taut
