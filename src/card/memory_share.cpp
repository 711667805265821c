// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "card/memory_share.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>

namespace dryfit {
namespace {

using namespace literals;

/// A smaller number without a unit was probably meant in GiB or percent.
constexpr Bytes kSmallestPlain = 1_MiB;
constexpr Bytes kLargest = 1024_TiB;

struct Number {
  double value = 0;
  bool is_whole = false;
  std::string unit;  ///< in small letters
};

std::optional<Number> split(std::string_view text) {
  Number number;
  const char* const last = text.data() + text.size();
  const auto [end, code] = std::from_chars(text.data(), last, number.value, std::chars_format::fixed);
  if (code != std::errc() || !std::isfinite(number.value)) return std::nullopt;
  number.is_whole = std::find(text.data(), end, '.') == end;
  for (const char* at = end; at != last; ++at) {
    if (*at != ' ') number.unit += static_cast<char>(std::tolower(static_cast<unsigned char>(*at)));
  }
  return number;
}

/// Bytes in a unit such as "g", "gib" or "gb"; 0: it is none.
double bytes_in(std::string_view unit) {
  if (unit == "b") return 1;
  constexpr std::string_view kPowers = "kmgtp";
  const auto power = unit.empty() ? std::string_view::npos : kPowers.find(unit.front());
  if (power == std::string_view::npos) return 0;
  const auto rest = unit.substr(1);
  if (rest != "" && rest != "ib" && rest != "b") return 0;
  return std::pow(rest == "b" ? 1000 : 1024, static_cast<double>(power) + 1);
}

Error unreadable(std::string_view text) {
  return {"'" + std::string(text) + "' is not an amount of memory",
          "Give a size such as 6GiB, a share of the GPU such as 48%, or a fraction such as 0.4787."};
}

Status check(const char* what, const std::optional<MemoryShare>& share, const Card& card) {
  if (!share || share->of(card.total_memory) <= card.total_memory) return {};
  const auto total = to_text(card.total_memory);
  return Error{std::string(what) + " of " + to_text(share->of(card.total_memory)) + " is more than " + card.id +
                   " has, " + total,
               "Give at most " + total + ", or a share of the GPU such as 80%."};
}

Result<MemoryShare> share(double fraction, std::string_view text) {
  if (fraction > 1) {
    return Error{"'" + std::string(text) + "' is more than the whole GPU", "Give at most 100%."};
  }
  return MemoryShare(fraction);
}

}  // namespace

Bytes MemoryShare::of(Bytes total) const {
  if (fraction_ == 0) return size_;
  return Bytes{static_cast<std::uint64_t>(fraction_ * static_cast<double>(total.count))};
}

double MemoryShare::fraction_of(Bytes total) const {
  if (fraction_ != 0) return fraction_;
  const auto whole = static_cast<double>(total.count);
  double fraction = static_cast<double>(size_.count) / whole;
  while (static_cast<std::uint64_t>(fraction * whole) < size_.count) fraction = std::nextafter(fraction, 2);
  return fraction;
}

Result<MemoryShare> parse_memory_share(std::string_view text) {
  const auto number = split(text);
  if (!number || number->value < 0) return unreadable(text);
  const bool is_percent = number->unit == "%";
  const double unit = number->unit.empty() || is_percent ? 1 : bytes_in(number->unit);
  if (unit == 0) return unreadable(text);
  if (number->value == 0) {
    return Error{"'" + std::string(text) + "' leaves no memory", "Give a size such as 6GiB or a share such as 48%."};
  }
  if (is_percent) return share(number->value / 100, text);
  if (number->unit.empty() && !number->is_whole) return share(number->value, text);
  if (number->unit.empty() && number->value < static_cast<double>(kSmallestPlain.count)) {
    return Error{"'" + std::string(text) + "' has no unit",
                 "Write " + std::string(text) + "GiB, " + std::string(text) + "MiB or " + std::string(text) + "%."};
  }
  const double size = number->value * unit;
  if (size < 1 || size > static_cast<double>(kLargest.count)) return unreadable(text);
  return MemoryShare(Bytes{static_cast<std::uint64_t>(size)});
}

std::optional<Bytes> MemoryLimits::cap_on(const Card& card) const {
  return cap ? std::optional(cap->of(card.total_memory)) : std::nullopt;
}

Result<Card> limited(Card card, const MemoryLimits& limits) {
  if (const auto status = check("a cap", limits.cap, card); !status) return status.error();
  if (const auto status = check("a GPU limit", limits.gpu_limit, card); !status) return status.error();
  if (limits.gpu_limit) card.held_by_others = card.total_memory - limits.gpu_limit->of(card.total_memory);
  return card;
}

}  // namespace dryfit
