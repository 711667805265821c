// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "memory_limits.h"

#include <utility>

namespace dryfit::cli {
namespace {

Status read(const char* option, const std::string& text, std::optional<MemoryShare>& share) {
  if (text.empty()) return {};
  auto parsed = parse_memory_share(text);
  if (!parsed) return Error{std::string(option) + ": " + parsed.error().what, parsed.error().hint};
  share = *parsed;
  return {};
}

}  // namespace

void TypedMemoryLimits::declare(CLI::App& command) {
  command
      .add_option("--cap", cap,
                  "Limit what PyTorch's allocator may reserve: 6GiB, 48% of the GPU, or 0.48 (default: none)")
      ->type_name("SIZE");
  command
      .add_option("--gpu-limit", gpu_limit,
                  "Limit the job's GPU memory, CUDA context and libraries included, as if other jobs held the rest "
                  "(default: none)")
      ->type_name("SIZE");
}

Result<MemoryLimits> TypedMemoryLimits::parse() const {
  MemoryLimits limits;
  if (const auto status = read("--cap", cap, limits.cap); !status) return status.error();
  if (const auto status = read("--gpu-limit", gpu_limit, limits.gpu_limit); !status) return status.error();
  return limits;
}

Result<std::vector<CardFile>> limited(const std::vector<const CardFile*>& cards, const MemoryLimits& limits) {
  std::vector<CardFile> result;
  for (const auto* file : cards) {
    auto card = limited(file->card, limits);
    if (!card) return card.error();
    result.push_back(*file);
    result.back().card = *std::move(card);
  }
  return result;
}

}  // namespace dryfit::cli
