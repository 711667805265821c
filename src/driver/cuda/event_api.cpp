// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Events. Time is virtual: it passes with the work submitted to the device (Note [Virtual time] in kernel_time.h).
#include "driver/cuda/driver.h"
#include "driver/cuda/stream.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

CUresult record(CUevent handle, CUstream stream) {
  if (!handle) return CUDA_ERROR_INVALID_HANDLE;
  const Lock lock(instance().mutex);
  Event& event = *reinterpret_cast<Event*>(handle);
  event.time_ns = instance().clock_ns;
  event.capture = stream_of(stream).capture;
  return CUDA_SUCCESS;
}

CUresult elapsed(float* milliseconds, CUevent from, CUevent to) {
  if (!milliseconds || !from || !to) return CUDA_ERROR_INVALID_HANDLE;
  constexpr std::uint64_t kShortest = 1000;
  const Lock lock(instance().mutex);
  const auto start = reinterpret_cast<Event*>(from)->time_ns;
  const auto stop = reinterpret_cast<Event*>(to)->time_ns;
  const auto nanoseconds = stop > start ? stop - start : kShortest;
  *milliseconds = static_cast<float>(static_cast<double>(nanoseconds) / 1e6);
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuEventCreate)(CUevent* event, unsigned flags) {
  if (!event) return CUDA_ERROR_INVALID_VALUE;
  *event = reinterpret_cast<CUevent>(new Event{.flags = flags});
  return CUDA_SUCCESS;
}
DRYFIT_API(cuEventDestroy_v2)(CUevent event) {
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  const Lock lock(instance().mutex);
  delete reinterpret_cast<Event*>(event);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuEventRecord)(CUevent event, CUstream stream) { return record(event, stream); }
DRYFIT_API(cuEventRecordWithFlags)(CUevent event, CUstream stream, unsigned) { return record(event, stream); }
DRYFIT_API(cuEventQuery)(CUevent) { return CUDA_SUCCESS; }
DRYFIT_API(cuEventSynchronize)(CUevent) { return CUDA_SUCCESS; }
DRYFIT_API(cuEventElapsedTime)(float* milliseconds, CUevent from, CUevent to) {
  return elapsed(milliseconds, from, to);
}
DRYFIT_API(cuEventElapsedTime_v2)(float* milliseconds, CUevent from, CUevent to) {
  return elapsed(milliseconds, from, to);
}
