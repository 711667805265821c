// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace dryfit::driver {

/// Which of the machine's devices a program sees, and in what order.
struct VisibleDevices {
  std::vector<int> indices;
  bool named_absent_device = false;  ///< CUDA_VISIBLE_DEVICES named a device that the machine does not have
};

/// CUDA_VISIBLE_DEVICES as documented: null means all; numbers, or UUIDs with their "GPU-" prefix (a unique beginning
/// is enough); the list ends at the first entry that doesn't name a device.
VisibleDevices visible_devices(const char* variable, int device_count);

}  // namespace dryfit::driver
