// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Streams and their capture into graphs. Work is done, or rather not done, the moment it is given to a stream.
#include <cstring>
#include <set>
#include <utility>

#include "driver/cuda/driver.h"
#include "driver/cuda/stream.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace dryfit::driver {

namespace {

bool is_special(CUstream handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 2; }

std::set<Stream*>& streams() {
  static auto& all = *new std::set<Stream*>;
  return all;
}

}  // namespace

Stream& stream_of(CUstream handle) {
  static Stream& shared = *new Stream;
  return is_special(handle) ? shared : *reinterpret_cast<Stream*>(handle);
}

CUgraphNode Graph::add(CUgraphNodeType type, Graph* child) {
  nodes.push_back(std::make_unique<GraphNode>(GraphNode{type, child}));
  return reinterpret_cast<CUgraphNode>(nodes.back().get());
}

bool captured(CUstream handle, CUgraphNodeType type) {
  const auto& capture = stream_of(handle).capture;
  if (!capture) return false;
  capture->graph->add(type);
  return true;
}

}  // namespace dryfit::driver

namespace {

CUresult create(CUstream* out, unsigned flags, int priority) {
  const Device* const device = current_device();
  if (!device) return CUDA_ERROR_INVALID_CONTEXT;
  if (!out) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  auto* const stream = new Stream{device->ordinal(), flags, priority, next_id(), nullptr};
  streams().insert(stream);
  *out = reinterpret_cast<CUstream>(stream);
  return CUDA_SUCCESS;
}

CUcontext context_of(CUstream handle) {
  if (is_special(handle)) return reinterpret_cast<CUcontext>(current_context());
  return reinterpret_cast<CUcontext>(instance().device(stream_of(handle).device)->primary_context());
}

CUresult begin_capture(CUstream handle, Graph* graph) {
  const Lock lock(instance().mutex);
  Stream& stream = stream_of(handle);
  if (stream.capture) return CUDA_ERROR_ILLEGAL_STATE;
  stream.capture = std::make_shared<Capture>(Capture{next_id(), graph});
  return CUDA_SUCCESS;
}

CUresult capture_info(CUstream handle, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                      const CUgraphNode** dependencies, const CUgraphEdgeData** edges, size_t* count) {
  if (!status) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  const auto& capture = stream_of(handle).capture;
  *status = capture ? CU_STREAM_CAPTURE_STATUS_ACTIVE : CU_STREAM_CAPTURE_STATUS_NONE;
  if (!capture) return CUDA_SUCCESS;
  if (id) *id = capture->id;
  if (graph) *graph = reinterpret_cast<CUgraph>(capture->graph);
  if (dependencies) *dependencies = nullptr;
  if (edges) *edges = nullptr;
  if (count) *count = 0;
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuStreamCreate)(CUstream* stream, unsigned flags) { return create(stream, flags, 0); }
DRYFIT_API(cuStreamCreateWithPriority)(CUstream* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}
DRYFIT_API(cuStreamDestroy_v2)(CUstream handle) {
  if (is_special(handle)) return CUDA_ERROR_INVALID_HANDLE;
  const Lock lock(instance().mutex);
  if (streams().erase(&stream_of(handle)) == 0) return CUDA_ERROR_INVALID_HANDLE;
  delete &stream_of(handle);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamGetPriority)(CUstream stream, int* priority) {
  *priority = stream_of(stream).priority;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamGetFlags)(CUstream stream, unsigned* flags) {
  *flags = stream_of(stream).flags;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamGetId)(CUstream stream, unsigned long long* id) {
  *id = stream_of(stream).id;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamGetCtx)(CUstream stream, CUcontext* context) {
  *context = context_of(stream);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamGetCtx_v2)(CUstream stream, CUcontext* context, CUgreenCtx* green) {
  *context = context_of(stream);
  if (green) *green = nullptr;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamGetGreenCtx)(CUstream, CUgreenCtx* green) {
  if (green) *green = nullptr;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamGetDevice)(CUstream stream, CUdevice* device) {
  const Device* const current = current_device();
  *device = is_special(stream) ? (current ? current->ordinal() : 0) : stream_of(stream).device;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamQuery)(CUstream) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamSynchronize)(CUstream) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamWaitEvent)(CUstream stream, CUevent event, unsigned) {
  if (!event) return CUDA_ERROR_INVALID_HANDLE;
  const Lock lock(instance().mutex);
  const auto& capture = reinterpret_cast<Event*>(event)->capture;
  if (capture) stream_of(stream).capture = capture;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamAddCallback)(CUstream stream, CUstreamCallback callback, void* user, unsigned) {
  callback(stream, CUDA_SUCCESS, user);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamAttachMemAsync)(CUstream, CUdeviceptr, size_t, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamCopyAttributes)(CUstream, CUstream) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamGetAttribute)(CUstream, CUstreamAttrID, CUstreamAttrValue* value) {
  std::memset(value, 0, sizeof *value);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamSetAttribute)(CUstream, CUstreamAttrID, const CUstreamAttrValue*) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamWriteValue32)(CUstream, CUdeviceptr, cuuint32_t, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamWriteValue32_v2)(CUstream, CUdeviceptr, cuuint32_t, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamWriteValue64_v2)(CUstream, CUdeviceptr, cuuint64_t, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamWaitValue32_v2)(CUstream, CUdeviceptr, cuuint32_t, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamWaitValue64_v2)(CUstream, CUdeviceptr, cuuint64_t, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamBatchMemOp_v2)(CUstream, unsigned, CUstreamBatchMemOpParams*, unsigned) { return CUDA_SUCCESS; }

DRYFIT_API(cuStreamBeginCapture_v2)(CUstream stream, CUstreamCaptureMode) { return begin_capture(stream, new Graph); }
DRYFIT_API(cuStreamBeginCaptureToGraph)(CUstream stream, CUgraph graph, const CUgraphNode*, const CUgraphEdgeData*,
                                        size_t, CUstreamCaptureMode) {
  return begin_capture(stream, reinterpret_cast<Graph*>(graph));
}
DRYFIT_API(cuStreamEndCapture)(CUstream handle, CUgraph* graph) {
  const Lock lock(instance().mutex);
  const auto capture = std::exchange(stream_of(handle).capture, nullptr);
  if (!capture) return CUDA_ERROR_ILLEGAL_STATE;
  for (Stream* const stream : streams()) {
    if (stream->capture == capture) stream->capture = nullptr;
  }
  if (graph) *graph = reinterpret_cast<CUgraph>(capture->graph);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuStreamIsCapturing)(CUstream stream, CUstreamCaptureStatus* status) {
  return capture_info(stream, status, nullptr, nullptr, nullptr, nullptr, nullptr);
}
DRYFIT_API(cuStreamGetCaptureInfo)(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id) {
  return capture_info(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}
DRYFIT_API(cuStreamGetCaptureInfo_v2)(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                      const CUgraphNode** dependencies, size_t* count) {
  return capture_info(stream, status, id, graph, dependencies, nullptr, count);
}
DRYFIT_API(cuStreamGetCaptureInfo_v3)(CUstream stream, CUstreamCaptureStatus* status, cuuint64_t* id, CUgraph* graph,
                                      const CUgraphNode** dependencies, const CUgraphEdgeData** edges, size_t* count) {
  return capture_info(stream, status, id, graph, dependencies, edges, count);
}
DRYFIT_API(cuStreamUpdateCaptureDependencies)(CUstream, CUgraphNode*, size_t, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuStreamUpdateCaptureDependencies_v2)(CUstream, CUgraphNode*, const CUgraphEdgeData*, size_t, unsigned) {
  return CUDA_SUCCESS;
}
DRYFIT_API(cuThreadExchangeStreamCaptureMode)(CUstreamCaptureMode* mode) {
  thread_local constinit CUstreamCaptureMode current = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::swap(current, *mode);
  return CUDA_SUCCESS;
}
