// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "trace/events.h"
#include "trace/format.h"
#include "trace/reader.h"

/// Traces for people: one line per event, without the line end. Seconds, then the kind of event, then its fields; texts
/// in quotes, in ASCII (everything else as \xNN). The same trace gives the same text everywhere.
namespace dryfit::trace {

/// 0.000004096 phase name="backward"
std::string to_text(const Event& event, const Reader& reader);

/// trace version=1 pid=4242 parent=4241 state=open incomplete=disk_full dropped=7
std::string to_text(const Capture& capture);

/// "disk_full"; "unknown" for an unknown value.
std::string_view to_text(Incomplete reason);

/// "allocation"
std::string_view to_text(Purpose purpose);

}  // namespace dryfit::trace
