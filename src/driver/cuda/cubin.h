// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"

namespace dryfit::driver {

/// What the machine code of one kernel says about it.
struct KernelFacts {
  int registers = 32;                          ///< per thread
  Bytes shared_memory;                         ///< static, per block
  Bytes local_memory;                          ///< per thread
  int max_threads = 0;                         ///< from launch bounds; 0: none given
  Bytes code;                                  ///< machine code
  std::vector<std::uint16_t> parameter_sizes;  ///< in bytes, in order; empty: layout unknown
};

/// The contents of a cubin (an ELF file of device code), as far as a driver must answer for it.
struct Cubin {
  std::unordered_map<std::string, KernelFacts> kernels;
  std::unordered_map<std::string, Bytes> globals;  ///< device variables
  Bytes data;  ///< constants and initialised variables that are loaded with the code
};

/// Adds what `elf` holds to `cubin`. False when it is not a whole device ELF file; never reads outside of it.
///
/// Facts used: .text.<kernel> (size; registers in the top byte of sh_info in older files), .nv.shared.<kernel>,
/// .nv.constant*, .nv.global*, and the attribute records in .nv.info and .nv.info.<kernel>: 0x05 launch bounds, 0x12
/// and 0x2f stack and registers by symbol, 0x17 one parameter's ordinal and size.
bool parse_cubin(std::span<const std::byte> elf, Cubin& cubin);

/// Size of the ELF image that starts at `image` (which the caller vouches for), and the architecture in its header.
std::size_t elf_size(const void* image);
int elf_architecture(const void* image);

}  // namespace dryfit::driver
