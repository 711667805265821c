// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/lowering.h"

namespace dryfit::estimate {

bool lower_attention(Kernel&, Target&) { return false; }

}  // namespace dryfit::estimate
