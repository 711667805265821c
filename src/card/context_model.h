// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/bytes.h"
#include "card/card.h"

/// What a process takes of a card without a request, for cards that were not measured. Both are lines in the number
/// of threads that can be resident at once; docs/cards.md has the measurements behind them and what they leave
/// unexplained.
namespace dryfit {

/// Of a bare context: Card::context_memory. Whole MiB.
Bytes modelled_context_memory(const Card& card);

/// Beside it, once kernels run: Card::launch_memory. Whole MiB.
Bytes modelled_launch_memory(const Card& card);

}  // namespace dryfit
