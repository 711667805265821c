// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "report/layout.h"
#include "report/limits_report.h"
#include "report/table.h"
#include "report/terminal_parts.h"
#include "report/wording.h"

namespace dryfit::report {
namespace {

using verdict::CapPoint;
using verdict::CapStudy;
using verdict::Limits;
using verdict::LimitSource;
using verdict::Verdict;

constexpr const char* kExpandable = "expandable_segments:True";

Cell faint(std::string text, Align align = Align::left) { return {std::move(text), align, true, Paint::faint}; }

/// "0.7547", rounded so that every version of PyTorch allows the cap.
std::string fraction_of(Bytes cap, const Verdict& verdict) {
  const auto fraction = verdict::fraction_for(cap, verdict.card.total_memory);
  return verdict::fraction_text(fraction.value_or(10'000));
}

/// Whether the GPU has what the job needs to run as when alone. Otherwise it runs only with retries.
bool has_comfort(const Limits& limits, const Verdict& verdict) { return limits.to_request <= verdict.capacity; }

std::string how(const Verdict& verdict) {
  const auto runs = verdict.caps ? verdict.caps->dry_runs : 0;
  if (verdict.limits->source == LimitSource::prediction) return "predicted";
  if (runs == 0) return "by replay";
  return fmt::format("by {} with a cap", runs == 1 ? "a dry run" : fmt::format("{} dry runs", runs));
}

const std::vector<CapPoint>& curve_of(const Verdict& verdict) {
  static const std::vector<CapPoint> kNoCurve;
  return verdict.caps ? verdict.caps->curve : kNoCurve;
}

const CapPoint* point_at(const std::vector<CapPoint>& curve, Bytes cap) {
  const auto found = std::ranges::find(curve, cap, &CapPoint::cap);
  return found == curve.end() ? nullptr : &*found;
}

/// "none", "2", "0.5"; a job that runs a few steps may still fail in the long run.
std::string retries_text(const std::optional<double>& retries) {
  if (!retries) return "not known";
  if (std::isinf(*retries)) return "fails in later steps";
  return *retries == 0 ? "none" : fmt::format("{:.2g}", *retries);
}

std::string least_note(const Limits& limits, const std::vector<CapPoint>& curve, const Verdict& verdict) {
  const auto note = "fraction " + fraction_of(limits.least_cap, verdict);
  const auto* point = point_at(curve, limits.least_cap);
  if (!point || !point->retries_per_step) return note;
  if (std::isinf(*point->retries_per_step)) return note + ", fails in later steps";
  if (*point->retries_per_step == 0) return note + ", retries only in the first steps";
  return fmt::format("{}, {} {} a step", note, retries_text(point->retries_per_step),
                     *point->retries_per_step == 1 ? "retry" : "retries");
}

std::string limit_table(const Limits& limits, const std::vector<CapPoint>& curve, const Verdict& verdict,
                        const Style& style) {
  const auto row = [](const char* name, Bytes size, std::string note) {
    return std::vector<Cell>{{name}, {to_text(size), Align::right}, faint(std::move(note))};
  };
  const bool comfort = has_comfort(limits, verdict);
  std::vector<std::vector<Cell>> rows{
      row("  to request", limits.to_request,
          comfort ? "of the GPU, to run as when alone" : "to run as when alone: more than this GPU has"),
      row("  comfortable cap", limits.comfortable_cap,
          comfort ? "fraction " + fraction_of(limits.comfortable_cap, verdict) + ", without a retry"
                  : "without a retry: more than this GPU has")};
  if (limits.source != LimitSource::prediction) {
    rows.push_back(row("  least cap", limits.least_cap, least_note(limits, curve, verdict)));
  }
  return aligned(rows, style);
}

std::string bound_line(const Limits& limits, const Style& style) {
  if (limits.upper_bound_because.empty()) return "";
  return wrapped(fmt::format("The least cap is an upper bound: {}.", limits.upper_bound_because), "  ", "  ", style);
}

/// What the job does with a cap; a failure with a larger cap than one that runs is a hole.
std::string outcome_text(const std::vector<CapPoint>& curve, std::size_t at) {
  if (curve[at].runs) return retries_text(curve[at].retries_per_step);
  const auto runs_below = [&](const CapPoint& below) { return below.cap < curve[at].cap && below.runs; };
  return std::ranges::any_of(curve, runs_below) ? "fails: a hole" : "fails";
}

/// The smallest cap from which every larger one that was looked at runs in the long run too.
Bytes lasting_cap(const std::vector<CapPoint>& curve, const Limits& limits) {
  auto cap = limits.comfortable_cap;
  for (const auto& point : curve) {
    if (point.cap < limits.least_cap || !point.runs) break;
    if (point.retries_per_step && std::isinf(*point.retries_per_step)) return cap;
    cap = std::min(cap, point.cap);
  }
  return limits.least_cap;
}

std::string lasting_line(const std::vector<CapPoint>& curve, const Limits& limits, const Verdict& verdict,
                         const Style& style) {
  const auto cap = lasting_cap(curve, limits);
  if (cap == limits.least_cap) return "";
  return wrapped(
      fmt::format("With the least cap the steps of the run fit, but when the last is repeated, it runs out of "
                  "memory. For a longer job, take {}, fraction {}.",
                  to_text(cap), fraction_of(cap, verdict)),
      "  ", "  ", style);
}

std::string curve_table(const std::vector<CapPoint>& curve, const Limits& limits, const Verdict& verdict,
                        const Style& style) {
  if (curve.empty()) return "";
  std::vector<std::vector<Cell>> rows{
      {faint("  cap", Align::right), faint("of the GPU", Align::right), faint("retries a step"), faint("")}};
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const auto& [cap, runs, retries, source] = curve[i];
    const double percent =
        100.0 * static_cast<double>(cap.count) / static_cast<double>(verdict.card.total_memory.count);
    std::string note = source == LimitSource::replay ? "by replay" : "dry run";
    if (cap == limits.comfortable_cap) note += ", comfortable";
    if (cap == limits.least_cap) note += ", least";
    rows.push_back({{"  " + to_text(cap), Align::right},
                    {fmt::format("{:.1f} %", percent), Align::right},
                    {outcome_text(curve, i), Align::left, !runs, Paint::bad},
                    faint(note)});
  }
  return "\n" + aligned(rows, style) + lasting_line(curve, limits, verdict, style);
}

/// What retries cost, where there are any.
std::string cost_line(const std::vector<CapPoint>& curve, const Style& style) {
  const bool retries = std::ranges::any_of(curve, [](const CapPoint& each) { return each.retries_per_step > 0.0; });
  if (!retries) return "";
  return wrapped(
      "A retry waits for the GPU to finish, returns PyTorch's cached memory to the driver and requests memory again. "
      "Less than one a step costs little; several a step slow training down.",
      "  ", "  ", style);
}

std::string expandable_part(const Verdict& verdict, const Style& style) {
  if (!verdict.caps || !verdict.caps->expandable) return "";
  const auto& limits = *verdict.caps->expandable;
  const auto& curve = verdict.caps->expandable_curve;
  return fmt::format("\nwith PYTORCH_CUDA_ALLOC_CONF={}\n", kExpandable) + limit_table(limits, curve, verdict, style) +
         curve_table(curve, limits, verdict, style);
}

struct Line {
  bool enforces;
  std::string text;
  std::string note;
};

/// As whole GiB and MiB, rounded up.
std::uint64_t whole(Bytes size, Bytes unit) { return round_up(size, unit).count / unit.count; }

std::vector<Line> lines_of(Bytes cap, Bytes request, const Verdict& verdict) {
  using namespace literals;
  const auto fraction = fraction_of(cap, verdict);
  const auto mib = whole(request, 1_MiB);
  return {
      {true, fmt::format("torch.cuda.set_per_process_memory_fraction({})", fraction), "Python: PyTorch's allocator"},
      {true, fmt::format("export PYTORCH_CUDA_ALLOC_CONF=per_process_memory_fraction:{}", fraction),
       "the same without a change of code, from PyTorch 2.10"},
      {true, fmt::format("export CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0={}M", mib),
       "CUDA MPS: all that the process has of GPU 0"},
      {true, fmt::format("echo \"nvidia/PCI_ADDRESS/vidmem {}\" > /sys/fs/cgroup/JOB/dmem.max", request.count),
       "GPU driver r615 on Linux 6.14: all processes of a cgroup; the first word is in dmem.capacity"},
      {false, fmt::format("#SBATCH --gres=shard:{}", whole(request, 1_GiB)),
       "Slurm, where a shard is 1 GiB of a GPU. --mem-per-gpu is host memory"},
      {false, "resources: {limits: {nvidia.com/gpu: 1}}", "Kubernetes: a whole GPU, or a time slice of one"},
      {true, fmt::format("resources: {{limits: {{nvidia.com/gpu: 1, nvidia.com/gpumem: {}}}}}", mib),
       "Kubernetes with HAMi, in MiB"},
  };
}

std::string painted_lines(const std::vector<Line>& lines, const Style& style) {
  std::string text;
  for (const auto& line : lines) {
    text += fmt::format("  {}  {}\n", painted(line.enforces ? "enforces" : "counts  ", Paint::faint, style), line.text);
    text += wrapped(line.note, "            ", "            ", Paint::faint, style);
  }
  return text;
}

/// Each with what it does: many requests are only counted by the scheduler, and nothing stops a job that takes more.
/// With the comfortable cap, if the GPU has that much.
std::string paste_part(const Verdict& verdict, const Style& style) {
  const auto& limits = *verdict.limits;
  const auto outside = limits.to_request - limits.comfortable_cap;
  const auto least = lasting_cap(curve_of(verdict), limits);
  const auto request = least + outside;
  if (!has_comfort(limits, verdict)) {
    return "\nto set it, with the least cap\n" + painted_lines(lines_of(least, request, verdict), style);
  }
  const auto text =
      "\nto set it\n" + painted_lines(lines_of(limits.comfortable_cap, limits.to_request, verdict), style);
  if (limits.source == LimitSource::prediction) return text;
  return text + wrapped(fmt::format("These use the comfortable cap, and what to request with it. With the least cap{}: "
                                    "{}, and {} of the GPU.",
                                    least == limits.least_cap ? "" : " that lasts", fraction_of(least, verdict),
                                    to_text(request)),
                        "  ", "  ", Paint::faint, style);
}

}  // namespace

std::string limits_text(const Verdict& verdict, const std::string& of, const Style& style) {
  const auto& limits = *verdict.limits;
  const auto& curve = curve_of(verdict);
  return painted("limits", Paint::strong, style) + fmt::format(" of {}\n", of) +
         wrapped(fmt::format("on {} ({}), {}", verdict.card.name, memory_text(verdict), how(verdict)), "  ", "  ",
                 Paint::faint, style) +
         limit_table(limits, curve, verdict, style) + bound_line(limits, style) +
         curve_table(curve, limits, verdict, style) + cost_line(curve, style) + expandable_part(verdict, style) +
         paste_part(verdict, style);
}

}  // namespace dryfit::report
