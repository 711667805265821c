// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "verdict/verdict.h"

namespace dryfit::verdict {

/// The exception that ended a Python program, as the hooks noted it.
struct ProgramError {
  std::string text;   ///< "RuntimeError: cuFFT error: CUFFT_INTERNAL_ERROR", one line
  std::string where;  ///< the innermost line outside PyTorch: "train.py:42"; empty: not known
};

/// Of several processes, the one that failed by itself and not because another had failed. nullopt: none was noted.
std::optional<ProgramError> error_of(const RunFacts& facts);

/// Something that works on a GPU and not here.
struct OurLimit {
  std::string name;  ///< stable; the anchor of its section in docs/limitations.md
  std::string text;  ///< a clause
};

/// The limit of ours that the exception comes from; nullopt: as far as we know it would happen on a GPU as well.
std::optional<OurLimit> limit_behind(const ProgramError& error, const RunFacts& facts);

/// What to do about an error that is the program's own. A sentence.
std::string advice_for(const ProgramError& error, const RunFacts& facts);

}  // namespace dryfit::verdict
