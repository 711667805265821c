// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "driver/cuda/visible_devices.h"

#include <algorithm>
#include <charconv>
#include <numeric>
#include <string>
#include <string_view>

#include "card/identity.h"

namespace dryfit::driver {

namespace {

constexpr int kNone = -1;

int index_of_number(std::string_view text, int device_count) {
  int index = kNone;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && index >= 0 && index < device_count ? index : kNone;
}

int index_of_uuid(std::string_view text, int device_count) {
  int found = kNone;
  for (int index = 0; index < device_count; ++index) {
    if (!device_uuid_text(index).starts_with(text)) continue;
    if (found != kNone) return kNone;
    found = index;
  }
  return found;
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

}  // namespace

VisibleDevices visible_devices(const char* variable, int device_count) {
  VisibleDevices visible;
  if (!variable) {
    visible.indices.resize(static_cast<std::size_t>(device_count));
    std::iota(visible.indices.begin(), visible.indices.end(), 0);
    return visible;
  }
  std::string_view rest = variable;
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    const auto entry = trimmed(rest.substr(0, comma));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
    const bool uuid = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    const int index = uuid ? index_of_uuid(entry.substr(4), device_count) : index_of_number(entry, device_count);
    if (index == kNone) {
      visible.named_absent_device = !entry.empty() && entry != "-1" && entry != "NoDevFiles";
      break;
    }
    if (std::find(visible.indices.begin(), visible.indices.end(), index) != visible.indices.end()) return {};
    visible.indices.push_back(index);
  }
  return visible;
}

}  // namespace dryfit::driver
