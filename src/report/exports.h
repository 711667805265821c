// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "explain/explanation.h"
#include "explain/shares.h"
#include "snapshot/snapshot.h"

/// An explanation in the formats of other tools. The same explanation gives the same bytes.
namespace dryfit::report {

/// Chrome's JSON trace events, which the Perfetto UI opens: steps and phases as slices, what each category holds and
/// what PyTorch has reserved as counters, the moment that is explained as an instant.
std::string to_chrome_trace(const explain::Explanation& explanation);

/// One row per allocation, in the order in which they were made; RFC 4180.
std::string to_csv(const explain::Explanation& explanation);

/// What is alive at the moment that is explained, one line per stack: `a;b;c 1024`, outermost first. By module: the
/// parts of its path, then the category; otherwise by lines of the program.
std::string to_folded(const explain::Explanation& explanation, explain::By by);

/// The snapshot with a frame added in front of each allocation's stack: its category as the function, and its module as
/// the file. `snapshot` must be the one that was explained.
snapshot::Snapshot annotated(const snapshot::Snapshot& snapshot, const explain::Explanation& explanation);

}  // namespace dryfit::report
