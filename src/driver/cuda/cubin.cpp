// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>

namespace dryfit::driver {

using namespace literals;

namespace {

enum class InfoAttribute : std::uint8_t {
  required_threads = 0x05,
  stack_size = 0x12,
  parameter = 0x17,
  register_count = 0x2f,
};
constexpr std::uint8_t kInfoHasPayload = 0x04;
constexpr unsigned kMostParameters = 4096;

/// Bounds-checked access to the sections of an ELF file.
class Elf {
 public:
  static std::optional<Elf> open(std::span<const std::byte> bytes) {
    Elf elf;
    elf.bytes_ = bytes;
    if (!elf.load(0, elf.header_) || std::memcmp(elf.header_.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
    if (elf.header_.e_shentsize != sizeof(Elf64_Shdr)) return std::nullopt;
    elf.sections_.resize(elf.header_.e_shnum);
    for (std::size_t i = 0; i < elf.sections_.size(); ++i) {
      if (!elf.load(elf.header_.e_shoff + i * sizeof(Elf64_Shdr), elf.sections_[i])) return std::nullopt;
    }
    return elf;
  }

  const std::vector<Elf64_Shdr>& sections() const { return sections_; }

  std::string_view name(const Elf64_Shdr& section) const { return string(header_.e_shstrndx, section.sh_name); }

  std::string_view string(std::size_t table, std::size_t offset) const {
    if (table >= sections_.size()) return {};
    const auto text = contents(sections_[table]);
    if (offset >= text.size()) return {};
    const char* begin = reinterpret_cast<const char*>(text.data()) + offset;
    return {begin, strnlen(begin, text.size() - offset)};
  }

  std::span<const std::byte> contents(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS || section.sh_offset > bytes_.size()) return {};
    if (section.sh_size > bytes_.size() - section.sh_offset) return {};
    return bytes_.subspan(section.sh_offset, section.sh_size);
  }

 private:
  template <class T>
  bool load(std::size_t offset, T& out) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof out) return false;
    std::memcpy(&out, bytes_.data() + offset, sizeof out);
    return true;
  }

  std::span<const std::byte> bytes_;
  Elf64_Ehdr header_;
  std::vector<Elf64_Shdr> sections_;
};

struct Symbol {
  std::string_view name;
  bool is_object;
  std::uint64_t size;
};

std::vector<Symbol> read_symbols(const Elf& elf) {
  std::vector<Symbol> symbols;
  for (const auto& section : elf.sections()) {
    if (section.sh_type != SHT_SYMTAB) continue;
    const auto bytes = elf.contents(section);
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= bytes.size(); at += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, bytes.data() + at, sizeof symbol);
      symbols.push_back(
          {elf.string(section.sh_link, symbol.st_name), ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT, symbol.st_size});
    }
  }
  return symbols;
}

KernelFacts* find_kernel(Cubin& cubin, std::string_view name) {
  const auto found = cubin.kernels.find(std::string(name));
  return found == cubin.kernels.end() ? nullptr : &found->second;
}

std::uint32_t word(std::span<const std::byte> bytes, std::size_t index) {
  std::uint32_t value = 0;
  if ((index + 1) * sizeof value <= bytes.size())
    std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return value;
}

void read_parameter(std::span<const std::byte> payload, KernelFacts& kernel) {
  const unsigned ordinal = word(payload, 1) & 0xffff;
  const unsigned size = word(payload, 2) >> 18;
  if (ordinal >= kMostParameters) return;
  if (kernel.parameter_sizes.size() <= ordinal) kernel.parameter_sizes.resize(ordinal + 1);
  kernel.parameter_sizes[ordinal] = static_cast<std::uint16_t>(size);
}

void read_attribute(InfoAttribute attribute, std::span<const std::byte> payload, const std::vector<Symbol>& symbols,
                    KernelFacts* owner, Cubin& cubin) {
  switch (attribute) {
    case InfoAttribute::parameter:
      if (owner && payload.size() >= 12) read_parameter(payload, *owner);
      return;
    case InfoAttribute::required_threads:
      if (owner && payload.size() >= 12) {
        owner->max_threads = static_cast<int>(word(payload, 0) * word(payload, 1) * word(payload, 2));
      }
      return;
    case InfoAttribute::register_count:
    case InfoAttribute::stack_size: {
      const std::size_t index = word(payload, 0);
      KernelFacts* kernel = index < symbols.size() ? find_kernel(cubin, symbols[index].name) : nullptr;
      if (!kernel || payload.size() < 8) return;
      if (attribute == InfoAttribute::register_count) kernel->registers = static_cast<int>(word(payload, 1));
      if (attribute == InfoAttribute::stack_size) kernel->local_memory = {word(payload, 1)};
      return;
    }
  }
}

/// Records of 4 bytes {format, attribute, u16}; format 4 is followed by so many bytes as the u16 says.
void read_info(std::span<const std::byte> bytes, const std::vector<Symbol>& symbols, KernelFacts* owner, Cubin& cubin) {
  while (bytes.size() >= 4) {
    const std::uint32_t head = word(bytes, 0);
    bytes = bytes.subspan(4);
    if ((head & 0xff) != kInfoHasPayload) continue;
    const std::size_t size = std::min<std::size_t>(head >> 16, bytes.size());
    read_attribute(static_cast<InfoAttribute>(head >> 8 & 0xff), bytes.first(size), symbols, owner, cubin);
    bytes = bytes.subspan(size);
  }
}

constexpr std::string_view kText = ".text.";
constexpr std::string_view kShared = ".nv.shared.";
constexpr std::string_view kInfo = ".nv.info";

void read_code_and_data(const Elf& elf, Cubin& cubin) {
  for (const auto& section : elf.sections()) {
    const auto name = elf.name(section);
    if (name.starts_with(kText)) {
      KernelFacts& kernel = cubin.kernels[std::string(name.substr(kText.size()))];
      kernel.code = {section.sh_size};
      if (const int registers = static_cast<int>(section.sh_info >> 24); registers > 0) kernel.registers = registers;
    } else if ((name.starts_with(".nv.global") || name.starts_with(".nv.constant")) && section.sh_flags & SHF_ALLOC) {
      cubin.data += Bytes{section.sh_size};
    }
  }
}

/// From compute capability 9.0 on a kernel's section begins with the 1 KiB of each block that the system keeps for
/// itself.
Bytes static_shared_memory(Bytes section, int architecture) {
  const Bytes reserved = architecture >= 90 ? 1_KiB : 0_B;
  return section > reserved ? section - reserved : 0_B;
}

void read_kernel_facts(const Elf& elf, int architecture, const std::vector<Symbol>& symbols, Cubin& cubin) {
  for (const auto& section : elf.sections()) {
    const auto name = elf.name(section);
    if (name.starts_with(kShared)) {
      auto* const kernel = find_kernel(cubin, name.substr(kShared.size()));
      if (kernel) kernel->shared_memory = static_shared_memory({section.sh_size}, architecture);
    } else if (name.starts_with(kInfo)) {
      KernelFacts* owner = name.size() > kInfo.size() ? find_kernel(cubin, name.substr(kInfo.size() + 1)) : nullptr;
      read_info(elf.contents(section), symbols, owner, cubin);
    }
  }
}

}  // namespace

bool parse_cubin(std::span<const std::byte> bytes, Cubin& cubin) {
  const auto elf = Elf::open(bytes);
  if (!elf) return false;
  read_code_and_data(*elf, cubin);
  const auto symbols = read_symbols(*elf);
  read_kernel_facts(*elf, elf_architecture(bytes.data()), symbols, cubin);
  for (const auto& symbol : symbols) {
    if (symbol.is_object) cubin.globals[std::string(symbol.name)] = {symbol.size};
  }
  return true;
}

void parse_ptx(std::string_view text, Cubin& cubin) {
  constexpr std::string_view kEntry = ".entry";
  constexpr std::string_view kSpace = " \t\r\n";
  for (auto at = text.find(kEntry); at != std::string_view::npos; at = text.find(kEntry, at)) {
    const auto name = text.find_first_not_of(kSpace, at + kEntry.size());
    if (name == std::string_view::npos) return;
    at = text.find_first_of(" \t\r\n(", name);
    if (at == std::string_view::npos) return;
    cubin.kernels.emplace(text.substr(name, at - name), KernelFacts{});
  }
}

std::size_t elf_size(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  std::size_t end = header.e_shoff + std::size_t{header.e_shnum} * sizeof(Elf64_Shdr);
  for (unsigned i = 0; i < header.e_shnum && header.e_shentsize == sizeof(Elf64_Shdr); ++i) {
    Elf64_Shdr section;
    std::memcpy(&section, static_cast<const char*>(image) + header.e_shoff + i * sizeof section, sizeof section);
    if (section.sh_type != SHT_NOBITS) end = std::max<std::size_t>(end, section.sh_offset + section.sh_size);
  }
  end = std::max<std::size_t>(end, header.e_phoff + std::size_t{header.e_phnum} * sizeof(Elf64_Phdr));
  return end;
}

int elf_architecture(const void* image) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof header);
  const int low = static_cast<int>(header.e_flags & 0xff);
  const int high = static_cast<int>(header.e_flags >> 8 & 0xff);
  return low >= 50 && low <= 130 ? low : high;
}

}  // namespace dryfit::driver
