// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.h"
#include "card/card.h"
#include "simulator/torch_version.h"

namespace dryfit::estimate {

/// What a value of CUBLAS_WORKSPACE_CONFIG asks for, ":4096:2:16:8" being 2 of 4096 KiB and 8 of 16 KiB (torch 2.6
/// `parseChosenWorkspaceSize`). None: it is not of that form, and PyTorch takes its own size.
std::optional<Bytes> configured_workspace(std::string_view config);

/// What cuBLAS takes of the device itself for each handle, beside the workspace that PyTorch gives it. `config` as
/// above; as the real library asked the stand-in driver, in torch 2.6 and 2.15. Less than 1 MiB lies in what libraries
/// have anyway.
Bytes memory_of_handle(std::string_view config, ComputeCapability chip, simulator::TorchVersion torch);

}  // namespace dryfit::estimate
