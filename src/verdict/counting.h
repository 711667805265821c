// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analysis/run_summary.h"
#include "card/card.h"
#include "verdict/verdict.h"

namespace dryfit::verdict {

/// What a training step computes, as counted by a run made for that.
///
/// Note [Counting apart]. To count what the autograd engine calls, the hooks have to look at the tensors it works with.
/// PyTorch 2.10 and later assumes that a tensor which Python has seen has another owner, and then copies where it
/// would have written in place: a run that counts may take more memory than the program does. So it is a run of its
/// own, and nothing else is read from it. Its GPU has endless_memory(), because it has to run to its end.
struct Counting {
  std::string card;           ///< id. Its chip decides which kernels there are; its memory does not matter
  analysis::Compute compute;  ///< of all processes together; without steps: unknown
  std::map<std::string, std::uint64_t> kernels;  ///< by name: launches in the whole run, loading included
  std::string reason;                            ///< why it is unknown, one clause without a full stop; else empty
};

/// What the counting run on `card` found. Pure.
Counting count(const Card& card, const RunFacts& facts);

/// The same GPU with more memory than any program needs.
Card endless_memory(Card card);

}  // namespace dryfit::verdict
