// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/bytes.h"
#include "base/result.h"

namespace dryfit::history {

/// "11.2GiB", "11203 MiB", "38888M", "12GB", "1073741824": bytes unless a unit is given. K, M, G and T are powers of
/// 1024 as in Slurm's output, and so are KiB to TiB; KB to TB are powers of 1000. At most 2^62 bytes.
Result<Bytes> parse_size(std::string_view text);

}  // namespace dryfit::history
