// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace dryfit::launch {

/// "a socket connected to 127.0.0.1:29500" or "a socket that listens on port 29500" for "socket:[4711]", as
/// /proc/<pid>/fd shows it; "a socket" where it is not one of this machine's TCP over IPv4 or IPv6.
std::string socket_name(std::string_view link);

/// The same, read in a table like /proc/net/tcp; empty if it isn't there.
std::string socket_in_table(std::string_view table, std::string_view inode);

}  // namespace dryfit::launch
