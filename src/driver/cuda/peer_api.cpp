// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Peers: the cards of the modelled machine do not reach each other's memory directly; copies go through the driver.
#include "driver/cuda/driver.h"

using namespace dryfit;
using namespace dryfit::driver;

DRYFIT_API(cuDeviceCanAccessPeer)(int* can, CUdevice device, CUdevice peer) {
  if (!can) return CUDA_ERROR_INVALID_VALUE;
  if (!instance().device(device) || !instance().device(peer)) return CUDA_ERROR_INVALID_DEVICE;
  *can = 0;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuDeviceGetP2PAttribute)(int* value, CUdevice_P2PAttribute, CUdevice device, CUdevice peer) {
  if (!value) return CUDA_ERROR_INVALID_VALUE;
  if (!instance().device(device) || !instance().device(peer) || device == peer) return CUDA_ERROR_INVALID_DEVICE;
  *value = 0;
  return CUDA_SUCCESS;
}

DRYFIT_API(cuCtxEnablePeerAccess)(CUcontext, unsigned) { return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED; }
DRYFIT_API(cuCtxDisablePeerAccess)(CUcontext) { return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED; }
