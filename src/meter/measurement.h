// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/result.h"
#include "history/record.h"
#include "meter/gpu_meter.h"
#include "meter/torch_notes.h"

namespace dryfit::meter {

/// What a command used, as a record without an id, host and time. The numbers are of the card that held most.
///
/// NVML's number is of all memory that the command's processes held, of the kind `device`; it goes first. Where it is
/// below what PyTorch alone had reserved, the samples missed the peak, and PyTorch's number is taken, of the kind
/// `reserved`. So it is where NVML saw nothing. A process whose PyTorch ran out of memory makes it a job that did.
///
/// An Error names what is missing where neither has a number.
Result<history::Record> record_of(const GpuFindings& gpu, std::span<const TorchNote> torch);

}  // namespace dryfit::meter
