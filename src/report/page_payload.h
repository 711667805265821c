// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "explain/explanation.h"

namespace dryfit::report {

/// An explanation as the page carries it: text that is safe in a <script> element. page/payload.js opens it.
///
/// Note [Page payload]. Base64 of zlib's deflate of
///
///     head length   4 bytes, little-endian
///     head          JSON in UTF-8: what is short, and how long each column is
///     columns       whole numbers, 7 bits a byte, lowest first, the eighth bit says that another follows
///
/// in this order, each column over all rows of its kind:
///
///     allocations   born (less the one before), died - born (0: never), bytes, bytes - requested, category,
///     is_inferred,
///                   module, op, tensor, type (indices of head.names), line + 1, frame of the stack + 1 (0: none)
///     lines         file, line, function
///     frames        caller + 1 (0: outermost), line + 1
///     reserved      begin (less the one before), bytes
///     segments      bytes, kind (1 small, 2 expandable), number of blocks
///     blocks        bytes, allocation + 1 (0: free)
///
/// Numbers of a kind lie together, so that deflate finds them alike; call stacks become a tree of frames, because most
/// differ from another only at their inner end. 200,000 allocations are some 1.5 MB.
/// Example: an allocation born at event 300 after one born at 299 begins with the byte 01.
std::string page_payload(const explain::Explanation& explanation);

/// Deflated and in base64, without line breaks.
std::string packed(const std::string& bytes);

}  // namespace dryfit::report
