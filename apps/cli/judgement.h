// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "card/catalogue.h"
#include "launch/job.h"
#include "verdict/verdict.h"

namespace dryfit::cli {

/// How a job ended and what its traces show; without a result it was interrupted.
verdict::RunFacts facts_of(const std::optional<launch::JobResult>& result);

/// Adds where the GPU's numbers in the verdict come from.
void add_provenance(verdict::Verdict& verdict, const CardFile& card);

}  // namespace dryfit::cli
