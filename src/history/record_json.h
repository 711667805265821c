// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "history/record.h"

namespace dryfit::history {

/// One line of an export, without the line break (docs/observe.md explains the keys). Keys are always there and in the
/// same order; what is not known is null.
std::string to_line(const Record& record);

/// The inverse. Unknown keys are ignored, missing ones count as null; an Error names the key that makes no sense. The
/// record has passed check().
Result<Record> record_of(const nlohmann::json& json);

/// A prediction, within a record or alone; check() of the record finds out whether it makes sense.
Result<PastPrediction> prediction_of(const nlohmann::json& json);

}  // namespace dryfit::history
