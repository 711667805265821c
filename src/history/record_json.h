// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "history/record.h"

namespace dryfit::history {

/// One line of an export, without the line break (docs/observe.md tells what each key means). Keys are always there and
/// in the same order; what is not known is null.
std::string to_line(const Record& record);

/// The way back. Keys that are not known are passed over, missing ones are not known; an Error names the key that makes
/// no sense. The record has passed check().
Result<Record> record_of(const nlohmann::json& json);

/// A prediction as it stands in a record, or alone; whether it makes sense is seen when the record is checked.
Result<PastPrediction> prediction_of(const nlohmann::json& json);

}  // namespace dryfit::history
