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

/// What a training step computes, as a run that counted tells.
///
/// Note [Counting apart]. To count what the autograd engine calls, the hooks have to look at the tensors it works with.
/// PyTorch 2.10 and later takes a tensor that Python has seen for one with another owner, and then copies where it
/// would have written in place: a run that counts may take more memory than the program does. So it is a run of its
/// own, and nothing else is read from it. It has a card of endless_memory(), because it has to come to its end.
struct Counting {
  std::string card;           ///< id. Its chip decides which kernels there are; its memory does not matter
  analysis::Compute compute;  ///< of all processes together; without steps: not known
  std::map<std::string, std::uint64_t> kernels;  ///< by name: launches in the whole run, loading included
  std::string reason;                            ///< why it is not known, one sentence without a full stop; else empty
};

/// What the run that counted on `card` found. Pure.
Counting count(const Card& card, const RunFacts& facts);

/// The same card with more memory than any program takes.
Card endless_memory(Card card);

}  // namespace dryfit::verdict
