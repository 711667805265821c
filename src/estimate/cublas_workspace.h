// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "card/card.h"
#include "simulator/torch_version.h"

namespace dryfit::estimate {

/// The workspace that a value of CUBLAS_WORKSPACE_CONFIG requests: ":4096:2:16:8" is 2 of 4096 KiB and 8 of 16 KiB
/// (torch 2.6 `parseChosenWorkspaceSize`). None: the value has another form, and PyTorch takes its own size.
std::optional<Bytes> configured_workspace(std::string_view config);

/// What cuBLAS itself allocates on the device for each handle, beside the workspace that PyTorch gives it. `config` as
/// above. The numbers are those that the real library requested from the stand-in driver, in torch 2.6 and 2.15; less
/// than 1 MiB is already within what libraries have.
Bytes memory_of_handle(std::string_view config, ComputeCapability chip, simulator::TorchVersion torch);

}  // namespace dryfit::estimate
