// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "card/card.h"

namespace dryfit::driver {

/// Device code as a program passes it to the driver: a fat binary with images for several chips, a bare cubin, or PTX
/// text. Points into the caller's memory.
struct CodeImage {
  int architecture = 0;    ///< of the chosen images: 86 for sm_86; 0 for PTX alone
  bool has_ptx = false;    ///< contains PTX that the driver could compile
  bool is_fatbin = false;  ///< chosen from several images; empty `parts` without PTX then mean: none for this chip
  Bytes size;              ///< of the chosen images, unpacked

  struct Part {
    const std::byte* data;
    std::size_t packed_size;
    std::size_t unpacked_size;
    enum class Packing { none, lz4, zstd } packing;
  };
  std::vector<Part> parts;
  std::vector<Part> ptx;  ///< of the fat binaries without machine code for the chip: text

  bool usable() const { return !is_fatbin || has_ptx || !parts.empty(); }
};

/// Finds the image for a chip, as the driver does: machine code of the same major version, of the highest minor version
/// not above the chip's; otherwise PTX.
///
/// Layout facts: wrapper {0x466243b1, version, data, list} → header {0xba55ed50, version, size, bytes} → entries
/// {kind (1 PTX, 2 ELF), …, sizes, architecture, flags (0x2000 LZ4, 0x8000 zstd), unpacked size}.
CodeImage choose_image(const void* image, ComputeCapability chip);

/// The bytes of a part, unpacked into `buffer` if necessary. Empty if the data is damaged.
std::span<const std::byte> unpack(const CodeImage::Part& part, std::vector<std::byte>& buffer);

}  // namespace dryfit::driver
