// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "base/result.h"
#include "history/record.h"
#include "meter/gpu_meter.h"
#include "meter/torch_notes.h"

namespace dryfit::meter {

/// What a command used, as a record without an id, host and time. The numbers are for the GPU that held most.
///
/// NVML's number covers all memory that the command's processes held (kind `device`) and is preferred. If it is below
/// what PyTorch alone had reserved, the samples missed the peak, and PyTorch's number is used (kind `reserved`); the
/// same goes if NVML saw nothing. If PyTorch ran out of memory in any process, the job did.
///
/// An Error names what is missing if neither has a number.
Result<history::Record> record_of(const GpuFindings& gpu, std::span<const TorchNote> torch);

}  // namespace dryfit::meter
