// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "driver/cuda/api.h"

namespace dryfit::driver {

struct Graph;

/// A node of a graph: the kind of work, not the work itself.
struct GraphNode {
  CUgraphNodeType type;
  Graph* child = nullptr;  ///< of child-graph nodes
};

/// A graph. CUgraph handles point at these.
struct Graph {
  std::vector<std::unique_ptr<GraphNode>> nodes;
  std::uint64_t kernels_ns = 0;  ///< virtual time of the kernels in it and its children

  CUgraphNode add(CUgraphNodeType type, Graph* child = nullptr);
};

/// A recording of a stream's work into a graph.
struct Capture {
  std::uint64_t id;
  Graph* graph;
};

/// A stream. CUstream handles point at these, except the null, legacy and per-thread ones.
struct Stream {
  int device = 0;
  unsigned flags = 0;
  int priority = 0;
  std::uint64_t id = 1;
  std::shared_ptr<Capture> capture;  ///< shared by all streams that joined the capture; null: not capturing
};

/// An event. CUevent handles point at these.
struct Event {
  unsigned flags = 0;
  std::uint64_t time_ns = 0;
  std::shared_ptr<Capture> capture;  ///< of the stream it was recorded on
};

/// The stream behind a handle; the special handles share one.
Stream& stream_of(CUstream handle);

/// True if work on this stream is recorded rather than done; adds it to the graph. The driver's lock must be held.
bool captured(CUstream handle, CUgraphNodeType type);

}  // namespace dryfit::driver
