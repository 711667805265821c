// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/cubin.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <random>
#include <span>

namespace dryfit::driver {
namespace {

template <class T>
void append(std::vector<std::byte>& out, const T& value) {
  std::ranges::copy(std::as_bytes(std::span(&value, 1)), std::back_inserter(out));
}

/// A device ELF file with one kernel, put together by hand.
class SampleCubin {
 public:
  SampleCubin() {
    add("", SHT_NULL, {}, 0);
    add(".text.axpy", SHT_PROGBITS, std::vector<std::byte>(256), 40u << 24);
    add(".nv.shared.axpy", SHT_NOBITS, {}, 0, 1024);
    add(".nv.constant0.axpy", SHT_PROGBITS, std::vector<std::byte>(64), 0, 0, SHF_ALLOC);
    std::vector<std::byte> info;
    for (const std::uint32_t word :
         {0x000c1704u, 0u, 0u, 8u << 18, 0x000c1704u, 0u, 1u, 4u << 18, 0x000c0504u, 128u, 2u, 1u}) {
      append(info, word);
    }
    add(".nv.info.axpy", SHT_PROGBITS, info, 0);
    add_symbols();
  }

  std::vector<std::byte> bytes(unsigned architecture = 86) const {
    std::vector<std::byte> out(sizeof(Elf64_Ehdr));
    std::vector<Elf64_Shdr> headers;
    for (const auto& section : sections_) {
      Elf64_Shdr header = section.header;
      header.sh_offset = out.size();
      if (header.sh_type != SHT_NOBITS) header.sh_size = section.contents.size();
      out.insert(out.end(), section.contents.begin(), section.contents.end());
      headers.push_back(header);
    }
    Elf64_Ehdr elf{};
    std::memcpy(elf.e_ident, ELFMAG, SELFMAG);
    elf.e_flags = architecture;
    elf.e_shoff = out.size();
    elf.e_shentsize = sizeof(Elf64_Shdr);
    elf.e_shnum = static_cast<Elf64_Half>(headers.size());
    elf.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    for (const auto& header : headers) append(out, header);
    std::memcpy(out.data(), &elf, sizeof elf);
    return out;
  }

 private:
  struct Section {
    Elf64_Shdr header;
    std::vector<std::byte> contents;
  };

  void add(const char* name, std::uint32_t type, std::vector<std::byte> contents, std::uint32_t info,
           std::uint64_t size = 0, std::uint64_t flags = 0, std::uint32_t link = 0) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<std::uint32_t>(names_.size());
    header.sh_type = type;
    header.sh_info = info;
    header.sh_size = size;
    header.sh_flags = flags;
    header.sh_link = link;
    for (const char* c = name; *c; ++c) names_.push_back(static_cast<std::byte>(*c));
    names_.push_back(std::byte{0});
    sections_.push_back({header, std::move(contents)});
  }

  void add_symbols() {
    const char strings[] = "\0table";
    std::vector<std::byte> text;
    append(text, strings);
    Elf64_Sym symbol{};
    symbol.st_name = 1;
    symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT);
    symbol.st_size = 4096;
    std::vector<std::byte> symbols;
    append(symbols, symbol);
    add(".strtab", SHT_STRTAB, text, 0);
    add(".symtab", SHT_SYMTAB, symbols, 0, 0, 0, static_cast<std::uint32_t>(sections_.size() - 1));
    add(".shstrtab", SHT_STRTAB, {}, 0);
    sections_.back().contents = names_;
  }

  std::vector<std::byte> names_;
  std::vector<Section> sections_;
};

TEST(Cubin, Facts_of_a_kernel_are_read_from_its_sections) {
  Cubin cubin;
  ASSERT_TRUE(parse_cubin(SampleCubin().bytes(), cubin));
  ASSERT_EQ(cubin.kernels.count("axpy"), 1u);
  const KernelFacts& facts = cubin.kernels.at("axpy");
  EXPECT_EQ(facts.registers, 40);
  EXPECT_EQ(facts.shared_memory, Bytes{1024});
  EXPECT_EQ(facts.code, Bytes{256});
  EXPECT_EQ(facts.max_threads, 256);
  EXPECT_EQ(facts.parameter_sizes, (std::vector<std::uint16_t>{8, 4}));
  EXPECT_EQ(cubin.data, Bytes{64});
  EXPECT_EQ(cubin.globals.at("table"), Bytes{4096});
}

TEST(Cubin, What_the_system_keeps_of_a_blocks_shared_memory_is_not_the_kernels) {
  Cubin cubin;
  ASSERT_TRUE(parse_cubin(SampleCubin().bytes(90), cubin));
  EXPECT_EQ(cubin.kernels.at("axpy").shared_memory, Bytes{0});
}

TEST(Cubin, Kernels_in_text_are_known_by_name) {
  Cubin cubin;
  parse_ptx(
      ".version 8.4\n.visible .entry _Z4postPf(\n.param .u64 x)\n{ret;}\n.entry\tother ( )\n.func helper()\n.entry",
      cubin);
  EXPECT_EQ(cubin.kernels.size(), 2u);
  EXPECT_TRUE(cubin.kernels.contains("_Z4postPf"));
  EXPECT_TRUE(cubin.kernels.contains("other"));
}

TEST(Cubin, The_size_of_an_image_in_memory_is_found) {
  const auto bytes = SampleCubin().bytes();
  EXPECT_EQ(elf_size(bytes.data()), bytes.size());
  EXPECT_EQ(elf_architecture(bytes.data()), 86);
}

TEST(Cubin, Every_truncation_is_survived) {
  const auto bytes = SampleCubin().bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const std::vector<std::byte> cut(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    Cubin cubin;
    EXPECT_FALSE(parse_cubin(cut, cubin)) << "the section headers stand last, so a cut file is never whole";
  }
}

TEST(Cubin, Damage_anywhere_is_survived) {
  const auto bytes = SampleCubin().bytes();
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    auto damaged = bytes;
    for (int k = 0; k < 3; ++k) damaged[random() % damaged.size()] = static_cast<std::byte>(random());
    Cubin cubin;
    parse_cubin(damaged, cubin);
    EXPECT_LT(cubin.kernels.size(), 32u);
  }
}

}  // namespace
}  // namespace dryfit::driver
