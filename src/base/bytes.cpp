// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "base/bytes.h"

#include <cstdio>

namespace dryfit {

std::string to_text(Bytes size) {
  using namespace literals;
  char text[32];
  const auto n = static_cast<double>(size.count);
  if (size >= 1_GiB) {
    std::snprintf(text, sizeof text, "%.2f GiB", n / static_cast<double>((1_GiB).count));
  } else if (size >= 100_MiB) {
    std::snprintf(text, sizeof text, "%.0f MiB", n / static_cast<double>((1_MiB).count));
  } else if (size >= 1_MiB) {
    std::snprintf(text, sizeof text, "%.1f MiB", n / static_cast<double>((1_MiB).count));
  } else if (size >= 1_KiB) {
    std::snprintf(text, sizeof text, "%.1f KiB", n / static_cast<double>((1_KiB).count));
  } else {
    std::snprintf(text, sizeof text, "%llu B", static_cast<unsigned long long>(size.count));
  }
  return text;
}

}  // namespace dryfit
