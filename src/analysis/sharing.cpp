// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "analysis/sharing.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <variant>

#include "analysis/replay.h"
#include "trace/reader.h"

namespace dryfit::analysis {
namespace {

constexpr std::string_view kEnded = "process.ended";

/// One process, replayed up to some moment.
struct Stream {
  Stream(trace::Reader its_reader, const ProcessSummary& its_summary)
      : reader(std::move(its_reader)), summary(&its_summary), next(reader.next()) {}

  std::uint64_t start() const { return reader.capture().start_monotonic; }
  std::uint64_t time() const { return start() + next->time; }
  Bytes used(std::uint32_t slot) const {
    const auto* const device = ended ? nullptr : replay.device_in_slot(slot);
    return device ? device->used() : Bytes{};
  }

  trace::Reader reader;
  const ProcessSummary* summary;
  std::optional<trace::Event> next;
  Replay replay;
  bool ended = false;
  std::set<std::uint32_t> touched;  ///< slots
};

Bytes own_peak(const ProcessSummary& process, std::uint32_t slot) {
  const auto found = std::ranges::find(process.devices, slot, &DeviceSummary::slot);
  return found == process.devices.end() ? Bytes{} : found->peak;
}

class Merge {
 public:
  Merge(std::vector<Stream> streams, const std::set<std::uint32_t>& slots, std::span<const ProcessSummary> summaries)
      : streams_(std::move(streams)), summaries_(summaries) {
    for (const auto slot : slots) devices_[slot].slot = slot;
  }

  std::vector<SharedDevice> run() {
    while (Stream* const stream = earliest()) step(*stream);
    std::vector<SharedDevice> result;
    for (auto& [slot, device] : devices_) result.push_back(std::move(device));
    return result;
  }

 private:
  Stream* earliest() {
    Stream* found = nullptr;
    for (auto& stream : streams_) {
      if (stream.next && (!found || stream.time() < found->time())) found = &stream;
    }
    return found;
  }

  void step(Stream& stream) {
    const auto event = *stream.next;
    const auto time = stream.time();
    stream.replay.apply(event);
    if (const auto* value = std::get_if<trace::Value>(&event.payload)) {
      if (stream.replay.text(value->key) == kEnded) end(value->value, stream, time);
    } else if (std::holds_alternative<trace::Allocate>(event.payload)) {
      for (auto& [slot, device] : devices_) note(device, stream);
    }
    stream.next = stream.reader.next();
  }

  /// Also the former self of a process that replaced itself by exec: it has the same pid.
  void end(std::uint64_t pid, const Stream& noticed_by, std::uint64_t time) {
    for (auto& stream : streams_) {
      if (&stream != &noticed_by && stream.summary->pid == pid && stream.start() <= time) stream.ended = true;
    }
  }

  void note(SharedDevice& device, Stream& stream) {
    if (stream.used(device.slot) == Bytes{}) return;
    if (stream.touched.insert(device.slot).second) note_arrival(device);
    Bytes sum;
    for (const auto& each : streams_) sum += each.used(device.slot);
    if (sum > device.peak.peak) note_peak(device, stream.replay.now());
  }

  void note_arrival(SharedDevice& device) const {
    Bytes sum;
    for (const auto& each : streams_) {
      if (!each.ended && each.touched.contains(device.slot)) sum += own_peak(*each.summary, device.slot);
    }
    device.coinciding_peak = std::max(device.coinciding_peak, sum);
  }

  void note_peak(SharedDevice& device, const Moment& now) const {
    clear_peak(device.peak);
    device.peak.peak_at = now;
    device.holders.clear();
    for (const auto& each : streams_) {
      const auto held = each.used(device.slot);
      if (held == Bytes{}) continue;
      each.replay.device_in_slot(device.slot)->add_to(device.peak);
      device.holders.push_back({each.summary->pid, command_of(each.summary->pid, summaries_), held});
    }
  }

  std::vector<Stream> streams_;
  std::span<const ProcessSummary> summaries_;
  std::map<std::uint32_t, SharedDevice> devices_;
};

std::set<std::uint32_t> slots_of_several(std::span<const ProcessSummary> summaries) {
  std::set<std::uint32_t> seen, several;
  for (const auto& process : summaries) {
    for (const auto& device : process.devices) {
      if (!seen.insert(device.slot).second) several.insert(device.slot);
    }
  }
  return several;
}

}  // namespace

std::vector<SharedDevice> shared_devices(std::span<const ProcessSummary> summaries,
                                         std::span<const std::filesystem::path> traces) {
  const auto slots = slots_of_several(summaries);
  if (slots.empty()) return {};
  std::vector<Stream> streams;
  for (std::size_t i = 0; i < std::min(summaries.size(), traces.size()); ++i) {
    auto reader = trace::Reader::open(traces[i].string());
    if (reader) streams.emplace_back(std::move(reader).value(), summaries[i]);
  }
  return Merge(std::move(streams), slots, summaries).run();
}

void name_holders(std::span<ProcessSummary> summaries) {
  const auto name = [&](FailedRequest& request) {
    for (auto& holder : request.others) holder.command = command_of(holder.pid, summaries);
  };
  for (auto& process : summaries) {
    for (auto& device : process.devices) {
      if (device.last_oom) name(*device.last_oom);
      if (device.last_refusal) name(device.last_refusal->request);
    }
  }
}

std::string command_of(std::uint32_t pid, std::span<const ProcessSummary> summaries) {
  const auto key = "process." + std::to_string(pid);
  for (const auto& process : summaries) {
    if (const auto found = process.notes.find(key); found != process.notes.end()) return found->second;
  }
  return "";
}

}  // namespace dryfit::analysis
