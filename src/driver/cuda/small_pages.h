// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/bytes.h"
#include "card/address_space.h"

namespace dryfit::driver {

/// A device allocates memory in pages of 2 MiB.
inline constexpr Bytes kPage = literals::operator""_MiB(2);

/// Requests up to this size share pages.
inline constexpr Bytes kSmallRequest = literals::operator""_MiB(1);

/// Places requests of at most 1 MiB in shared pages of 2 MiB, as a driver does.
///
/// Invariant: for each page, live bytes + free bytes = 2 MiB, and a page without live bytes is not kept.
class SmallPages {
 public:
  /// A place in an existing page, if one has room.
  std::optional<Address> take(Bytes size);

  /// Adds an empty page and takes its beginning.
  Address take_from_new_page(Address page, Bytes size);

  /// Frees a place. Returns its page if that is now empty (the caller returns it to the device).
  std::optional<Address> give(Address address, Bytes size);

 private:
  std::map<Address, std::uint64_t> free_;  ///< free ranges; none crosses a page boundary
  std::map<Address, std::uint64_t> live_;  ///< live bytes per page
};

}  // namespace dryfit::driver
