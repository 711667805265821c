// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Graphs. Nodes are counted, so that a graph has the shape its program gave it; launching one takes the virtual time of
// its captured kernels and does nothing else.
#include <algorithm>
#include <cstring>

#include "driver/cuda/driver.h"
#include "driver/cuda/stream.h"

using namespace dryfit;
using namespace dryfit::driver;

namespace {

constexpr std::uint64_t kGraphNanoseconds = 10'000;

Graph& graph_of(CUgraph handle) { return *reinterpret_cast<Graph*>(handle); }

CUresult add(CUgraphNode* node, CUgraph graph, CUgraphNodeType type, Graph* child = nullptr) {
  if (!graph) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  const CUgraphNode added = graph_of(graph).add(type, child);
  if (child) graph_of(graph).kernels_ns += child->kernels_ns;
  if (node) *node = added;
  return CUDA_SUCCESS;
}

/// A conditional node brings graphs of its own for its bodies, which the caller fills.
CUresult add_general(CUgraphNode* node, CUgraph graph, CUgraphNodeParams* parameters) {
  if (!parameters) return CUDA_ERROR_INVALID_VALUE;
  if (parameters->type == CU_GRAPH_NODE_TYPE_CONDITIONAL) {
    auto* const bodies = new CUgraph[parameters->conditional.size];
    for (unsigned i = 0; i < parameters->conditional.size; ++i) bodies[i] = reinterpret_cast<CUgraph>(new Graph);
    parameters->conditional.phGraph_out = bodies;
  }
  return add(node, graph, parameters->type);
}

CUresult list(const Graph& graph, CUgraphNode* nodes, size_t* count, std::size_t most) {
  if (!count) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  const std::size_t available = std::min(graph.nodes.size(), most);
  if (nodes) {
    const std::size_t given = std::min(*count, available);
    for (std::size_t i = 0; i < given; ++i) nodes[i] = reinterpret_cast<CUgraphNode>(graph.nodes[i].get());
  }
  *count = available;
  return CUDA_SUCCESS;
}

/// An instantiated graph. CUgraphExec handles point at these.
struct Executable {
  std::uint64_t id;
  std::uint64_t time_ns;  ///< that a launch takes
};

CUresult instantiate(CUgraphExec* executable, CUgraph graph) {
  if (!executable || !graph) return CUDA_ERROR_INVALID_VALUE;
  const Lock lock(instance().mutex);
  const std::uint64_t time = kGraphNanoseconds + graph_of(graph).kernels_ns;
  *executable = reinterpret_cast<CUgraphExec>(new Executable{next_id(), time});
  return CUDA_SUCCESS;
}

}  // namespace

DRYFIT_API(cuGraphCreate)(CUgraph* graph, unsigned) {
  *graph = reinterpret_cast<CUgraph>(new Graph);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphDestroy)(CUgraph graph) {
  const Lock lock(instance().mutex);
  delete reinterpret_cast<Graph*>(graph);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphClone)(CUgraph* clone, CUgraph original) {
  const Lock lock(instance().mutex);
  auto* const graph = new Graph;
  for (const auto& node : graph_of(original).nodes) graph->add(node->type, node->child);
  graph->kernels_ns = graph_of(original).kernels_ns;
  *clone = reinterpret_cast<CUgraph>(graph);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphGetNodes)(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return list(graph_of(graph), nodes, count, SIZE_MAX);
}
DRYFIT_API(cuGraphGetRootNodes)(CUgraph graph, CUgraphNode* nodes, size_t* count) {
  return list(graph_of(graph), nodes, count, 1);
}
DRYFIT_API(cuGraphNodeGetType)(CUgraphNode node, CUgraphNodeType* type) {
  *type = reinterpret_cast<GraphNode*>(node)->type;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphChildGraphNodeGetGraph)(CUgraphNode node, CUgraph* graph) {
  *graph = reinterpret_cast<CUgraph>(reinterpret_cast<GraphNode*>(node)->child);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuGraphAddNode)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t,
                           CUgraphNodeParams* parameters) {
  return add_general(node, graph, parameters);
}
DRYFIT_API(cuGraphAddNode_v2)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, const CUgraphEdgeData*, size_t,
                              CUgraphNodeParams* parameters) {
  return add_general(node, graph, parameters);
}
DRYFIT_API(cuGraphAddKernelNode_v2)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t,
                                    const CUDA_KERNEL_NODE_PARAMS*) {
  return add(node, graph, CU_GRAPH_NODE_TYPE_KERNEL);
}
DRYFIT_API(cuGraphAddMemcpyNode)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t, const CUDA_MEMCPY3D*,
                                 CUcontext) {
  return add(node, graph, CU_GRAPH_NODE_TYPE_MEMCPY);
}
DRYFIT_API(cuGraphAddMemsetNode)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t,
                                 const CUDA_MEMSET_NODE_PARAMS*, CUcontext) {
  return add(node, graph, CU_GRAPH_NODE_TYPE_MEMSET);
}
DRYFIT_API(cuGraphAddHostNode)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t,
                               const CUDA_HOST_NODE_PARAMS*) {
  return add(node, graph, CU_GRAPH_NODE_TYPE_HOST);
}
DRYFIT_API(cuGraphAddEmptyNode)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t) {
  return add(node, graph, CU_GRAPH_NODE_TYPE_EMPTY);
}
DRYFIT_API(cuGraphAddEventRecordNode)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t, CUevent) {
  return add(node, graph, CU_GRAPH_NODE_TYPE_EVENT_RECORD);
}
DRYFIT_API(cuGraphAddEventWaitNode)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t, CUevent) {
  return add(node, graph, CU_GRAPH_NODE_TYPE_WAIT_EVENT);
}
DRYFIT_API(cuGraphAddChildGraphNode)(CUgraphNode* node, CUgraph graph, const CUgraphNode*, size_t, CUgraph child) {
  return add(node, graph, CU_GRAPH_NODE_TYPE_GRAPH, reinterpret_cast<Graph*>(child));
}
DRYFIT_API(cuGraphAddDependencies)(CUgraph, const CUgraphNode*, const CUgraphNode*, size_t) { return CUDA_SUCCESS; }
DRYFIT_API(cuGraphAddDependencies_v2)(CUgraph, const CUgraphNode*, const CUgraphNode*, const CUgraphEdgeData*, size_t) {
  return CUDA_SUCCESS;
}

DRYFIT_API(cuGraphInstantiateWithFlags)(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  return instantiate(executable, graph);
}
DRYFIT_API(cuGraphInstantiate_v2)(CUgraphExec* executable, CUgraph graph, CUgraphNode*, char*, size_t) {
  return instantiate(executable, graph);
}
DRYFIT_API(cuGraphInstantiateWithParams)(CUgraphExec* executable, CUgraph graph,
                                         CUDA_GRAPH_INSTANTIATE_PARAMS* parameters) {
  if (parameters) parameters->result_out = CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return instantiate(executable, graph);
}
DRYFIT_API(cuGraphExecDestroy)(CUgraphExec executable) {
  delete reinterpret_cast<Executable*>(executable);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphLaunch)(CUgraphExec executable, CUstream) {
  if (!executable) return CUDA_ERROR_INVALID_VALUE;
  instance().clock_ns += reinterpret_cast<Executable*>(executable)->time_ns;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphUpload)(CUgraphExec, CUstream) { return CUDA_SUCCESS; }
DRYFIT_API(cuGraphExecUpdate_v2)(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo* result) {
  std::memset(result, 0, sizeof *result);
  return CUDA_SUCCESS;
}

DRYFIT_API(cuGraphKernelNodeSetAttribute)(CUgraphNode, CUkernelNodeAttrID, const CUkernelNodeAttrValue*) {
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphKernelNodeGetAttribute)(CUgraphNode, CUkernelNodeAttrID, CUkernelNodeAttrValue* value) {
  std::memset(value, 0, sizeof *value);
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphExecKernelNodeSetParams_v2)(CUgraphExec, CUgraphNode, const CUDA_KERNEL_NODE_PARAMS*) {
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphExecNodeSetParams)(CUgraphExec, CUgraphNode, CUgraphNodeParams*) { return CUDA_SUCCESS; }
DRYFIT_API(cuGraphExecMemcpyNodeSetParams)(CUgraphExec, CUgraphNode, const CUDA_MEMCPY3D*, CUcontext) {
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphExecMemsetNodeSetParams)(CUgraphExec, CUgraphNode, const CUDA_MEMSET_NODE_PARAMS*, CUcontext) {
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphExecChildGraphNodeSetParams)(CUgraphExec, CUgraphNode, CUgraph) { return CUDA_SUCCESS; }
DRYFIT_API(cuGraphNodeSetEnabled)(CUgraphExec, CUgraphNode, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuGraphNodeGetEnabled)(CUgraphExec, CUgraphNode, unsigned* enabled) {
  *enabled = 1;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphConditionalHandleCreate)(CUgraphConditionalHandle* handle, CUgraph, CUcontext, unsigned, unsigned) {
  *handle = next_id();
  return CUDA_SUCCESS;
}
DRYFIT_API(cuGraphDebugDotPrint)(CUgraph, const char*, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuDeviceGraphMemTrim)(CUdevice) { return CUDA_SUCCESS; }
DRYFIT_API(cuDeviceGetGraphMemAttribute)(CUdevice, CUgraphMem_attribute, void* value) {
  *static_cast<cuuint64_t*>(value) = 0;
  return CUDA_SUCCESS;
}
DRYFIT_API(cuDeviceSetGraphMemAttribute)(CUdevice, CUgraphMem_attribute, void*) { return CUDA_SUCCESS; }

// User objects live as long as the process: nothing here says when a graph is done with them.
DRYFIT_API(cuUserObjectCreate)(CUuserObject* object, void*, CUhostFn, unsigned, unsigned) {
  *object = reinterpret_cast<CUuserObject>(new std::uint64_t(next_id()));
  return CUDA_SUCCESS;
}
DRYFIT_API(cuUserObjectRetain)(CUuserObject, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuUserObjectRelease)(CUuserObject, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuGraphRetainUserObject)(CUgraph, CUuserObject, unsigned, unsigned) { return CUDA_SUCCESS; }
DRYFIT_API(cuGraphReleaseUserObject)(CUgraph, CUuserObject, unsigned) { return CUDA_SUCCESS; }
