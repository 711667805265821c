// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <cstring>

#include "driver/cuda/cubin.h"

namespace dryfit::driver {

namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
constexpr std::uint32_t kElfMagic = 0x464c457f;
constexpr std::uint32_t kWrapperHasList = 2;
constexpr std::uint16_t kKindPtx = 1;
constexpr std::uint16_t kKindElf = 2;
constexpr std::uint64_t kPackedLz4 = 0x2000;
constexpr std::uint64_t kPackedZstd = 0x8000;

struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;
  const void* data;
  const void* list;
};

struct FatbinHeader {
  std::uint32_t magic;
  std::uint16_t version;
  std::uint16_t header_size;
  std::uint64_t size;
};

struct FatbinEntry {
  std::uint16_t kind;
  std::uint16_t version;
  std::uint32_t header_size;
  std::uint64_t size;
  std::uint32_t packed_size;
  std::uint32_t unknown1[2];
  std::uint32_t architecture;
  std::uint32_t bits;
  std::uint32_t unknown2;
  std::uint64_t flags;
  std::uint64_t unknown3;
  std::uint64_t unpacked_size;
};

template <class T>
T load(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

CodeImage::Part part_of(const std::byte* at, const FatbinEntry& entry) {
  using Packing = CodeImage::Part::Packing;
  const auto packing = entry.flags & kPackedLz4    ? Packing::lz4
                       : entry.flags & kPackedZstd ? Packing::zstd
                                                   : Packing::none;
  const std::size_t packed = packing != Packing::none && entry.packed_size > 0 ? entry.packed_size : entry.size;
  return {at + entry.header_size, packed, packing == Packing::none ? entry.size : entry.unpacked_size, packing};
}

void choose_entry(const void* fatbin, int chip, CodeImage& image) {
  const auto header = load<FatbinHeader>(fatbin);
  if (header.magic != kFatbinMagic) return;
  const std::byte* at = static_cast<const std::byte*>(fatbin) + header.header_size;
  const std::byte* const end = at + header.size;
  const std::byte* best = nullptr;
  const std::byte* text = nullptr;
  int best_architecture = 0;
  while (at + sizeof(FatbinEntry) <= end) {
    const auto entry = load<FatbinEntry>(at);
    if (entry.header_size == 0) break;
    const int architecture = static_cast<int>(entry.architecture);
    const bool same_major = architecture / 10 == chip / 10;
    if (entry.kind == kKindElf && same_major && architecture <= chip && architecture >= best_architecture) {
      best = at;
      best_architecture = architecture;
    }
    if (entry.kind == kKindPtx && architecture <= chip) {
      image.has_ptx = true;
      text = at;
    }
    at += entry.header_size + entry.size;
  }
  if (!best && text) image.ptx.push_back(part_of(text, load<FatbinEntry>(text)));
  if (!best) return;
  image.architecture = best_architecture;
  image.parts.push_back(part_of(best, load<FatbinEntry>(best)));
  image.size += Bytes{image.parts.back().unpacked_size};
}

void choose_from_wrapper(const Wrapper& wrapper, int chip, CodeImage& image) {
  if (wrapper.version == kWrapperHasList && wrapper.list) {
    for (auto fatbin = static_cast<const void* const*>(wrapper.list); *fatbin; ++fatbin) {
      choose_entry(*fatbin, chip, image);
    }
  } else if (wrapper.data) {
    choose_entry(wrapper.data, chip, image);
  }
}

}  // namespace

CodeImage choose_image(const void* data, ComputeCapability capability) {
  CodeImage image;
  const int chip = capability.major * 10 + capability.minor;
  switch (load<std::uint32_t>(data)) {
    case kWrapperMagic:
      image.is_fatbin = true;
      choose_from_wrapper(load<Wrapper>(data), chip, image);
      break;
    case kFatbinMagic:
      image.is_fatbin = true;
      choose_entry(data, chip, image);
      break;
    case kElfMagic: {
      const std::size_t size = elf_size(data);
      image.architecture = elf_architecture(data);
      image.size = {size};
      image.parts.push_back({static_cast<const std::byte*>(data), size, size, CodeImage::Part::Packing::none});
      break;
    }
    default:
      image.has_ptx = true;
  }
  return image;
}

std::span<const std::byte> unpack(const CodeImage::Part& part, std::vector<std::byte>& buffer) {
  if (part.packing == CodeImage::Part::Packing::none) return {part.data, part.packed_size};
  buffer.resize(part.unpacked_size);
  if (part.packing == CodeImage::Part::Packing::lz4) {
    const int written =
        LZ4_decompress_safe(reinterpret_cast<const char*>(part.data), reinterpret_cast<char*>(buffer.data()),
                            static_cast<int>(part.packed_size), static_cast<int>(buffer.size()));
    return written > 0 ? std::span(buffer).first(static_cast<std::size_t>(written)) : std::span<std::byte>();
  }
  const std::size_t written = ZSTD_decompress(buffer.data(), buffer.size(), part.data, part.packed_size);
  return ZSTD_isError(written) ? std::span<std::byte>() : std::span(buffer).first(written);
}

}  // namespace dryfit::driver
