// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "simulator/torch_version.h"

#include <charconv>

namespace dryfit::simulator {
namespace {

constexpr TorchVersion kOldest{1, 13, 0};

/// Takes a number off the front of the text.
bool take_number(std::string_view& text, int& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

bool take_dot(std::string_view& text) {
  if (!text.starts_with('.')) return false;
  text.remove_prefix(1);
  return true;
}

Error not_a_version(std::string_view text) {
  return {"'" + std::string(text) + "' is not a PyTorch version", "Give a version such as 2.6 or 2.6.0+cu124."};
}

}  // namespace

TieBreak TorchVersion::tie_break() const {
  if (at_least(2, 13)) return TieBreak::kSegmentOrder;
  return at_least(2, 12) ? TieBreak::kBlockCounter : TieBreak::kAddress;
}

Result<TorchVersion> parse_torch_version(std::string_view text) {
  if (text == "main") return TorchVersion::newest();
  TorchVersion version{0, 0, 0};
  std::string_view rest = text;
  if (!take_number(rest, version.major) || !take_dot(rest) || !take_number(rest, version.minor)) {
    return not_a_version(text);
  }
  if (take_dot(rest)) {
    // "2.15.dev" has no third number.
    if (!take_number(rest, version.patch)) version.patch = 0;
  }
  if (version < kOldest) {
    return Error{"PyTorch " + std::string(text) + " is older than the allocator model covers",
                 "Dryfit models PyTorch 1.13 and newer."};
  }
  return version;
}

std::string to_text(TorchVersion version) {
  return std::to_string(version.major) + "." + std::to_string(version.minor) + "." + std::to_string(version.patch);
}

}  // namespace dryfit::simulator
