// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"

namespace dryfit::driver {

/// The properties of a kernel that its machine code declares.
struct KernelFacts {
  int registers = 32;                          ///< per thread
  Bytes shared_memory;                         ///< static, per block
  Bytes local_memory;                          ///< per thread
  int max_threads = 0;                         ///< from launch bounds; 0: none given
  Bytes code;                                  ///< machine code
  std::vector<std::uint16_t> parameter_sizes;  ///< in bytes, in order; empty: layout unknown
};

/// The contents of a cubin (an ELF file of device code), as far as a driver needs them.
struct Cubin {
  std::unordered_map<std::string, KernelFacts> kernels;
  std::unordered_map<std::string, Bytes> globals;  ///< device variables
  Bytes data;                                      ///< constants and initialised variables, loaded with the code
};

/// Adds the contents of `elf` to `cubin`. False if it is not a complete device ELF file; never reads outside of it.
///
/// Facts used: .text.<kernel> (size; registers in the top byte of sh_info in older files), .nv.shared.<kernel>,
/// .nv.constant*, .nv.global*, and the attribute records in .nv.info and .nv.info.<kernel>: 0x05 launch bounds, 0x12
/// and 0x2f stack and registers by symbol, 0x17 one parameter's ordinal and size.
/// Adds the kernels that PTX text defines, by name only: what the driver would compile them to is unknown.
void parse_ptx(std::string_view text, Cubin& cubin);

bool parse_cubin(std::span<const std::byte> elf, Cubin& cubin);

/// Size of the ELF image that starts at `image` (the caller guarantees that it is one), and the architecture in its
/// header.
std::size_t elf_size(const void* image);
int elf_architecture(const void* image);

}  // namespace dryfit::driver
