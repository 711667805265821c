// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "verdict/doubts.h"

#include <algorithm>
#include <csignal>
#include <map>

#include "verdict/failed_program.h"
#include "verdict/memory_failure.h"

namespace dryfit::verdict {
namespace {

constexpr const char* kOutputAbove = "its own output is above";

std::string signal_name(int number) {
  static const std::map<int, std::string> names{
      {SIGHUP, "SIGHUP"},   {SIGINT, "SIGINT"},   {SIGQUIT, "SIGQUIT"}, {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"},
      {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},   {SIGKILL, "SIGKILL"}, {SIGSEGV, "SIGSEGV"}, {SIGPIPE, "SIGPIPE"},
      {SIGALRM, "SIGALRM"}, {SIGTERM, "SIGTERM"}, {SIGXCPU, "SIGXCPU"}, {SIGXFSZ, "SIGXFSZ"},
  };
  const auto found = names.find(number);
  return found == names.end() ? "signal " + std::to_string(number) : found->second;
}

/// "before its first optimizer step", "after 2 optimizer steps".
std::string when(std::uint64_t steps) {
  if (steps == 0) return "before its first optimizer step";
  return "after " + std::to_string(steps) + (steps == 1 ? " optimizer step" : " optimizer steps");
}

std::string note(const Case& run, const std::string& key) {
  for (const auto& process : run.facts.processes) {
    const auto found = process.notes.find(key);
    if (found != process.notes.end()) return found->second;
  }
  return "";
}

template <class Predicate>
bool any_process(const Case& run, Predicate predicate) {
  return std::ranges::any_of(run.facts.processes, predicate);
}

bool hooks_active(const Case& run) {
  return any_process(run, [](const auto& process) { return process.hooks; });
}

std::uint64_t diagnostic(const Case& run, const std::string& name) {
  std::uint64_t count = 0;
  for (const auto& process : run.facts.processes) {
    const auto found = process.diagnostics.counts().find(name);
    if (found != process.diagnostics.counts().end()) count += found->second;
  }
  return count;
}

std::optional<Doubt> interrupted(const Case& run) {
  if (!run.facts.interrupted) return std::nullopt;
  return Doubt{"the run was interrupted " + when(run.steps), "Run it again and let it finish."};
}

std::optional<Doubt> cpu_only_torch(const Case& run) {
  if (note(run, "torch.cuda_build") != "0" || !run.devices.empty()) return std::nullopt;
  return Doubt{"PyTorch " + note(run, "software.torch") + " is a CPU-only build and cannot use a GPU",
               "Install a CUDA build of PyTorch in this Python environment. That needs no GPU."};
}

/// Libraries look for code that they may not have, and do without it. What the program failed with decides.
std::optional<Doubt> unsupported_chip(const Case& run) {
  if (diagnostic(run, "driver.no_kernel_image") == 0 || !failed(run.facts)) return std::nullopt;
  const auto error = error_of(run.facts);
  const bool is_it = error && (error->text.find("no kernel image") != std::string::npos ||
                               error->text.find("cudaErrorNoKernelImageForDevice") != std::string::npos);
  if (!is_it && hooks_active(run)) return std::nullopt;
  const auto [major, minor] = run.card.compute_capability;
  const auto torch = note(run, "software.torch");
  return Doubt{"the installed CUDA libraries" + (torch.empty() ? "" : " (PyTorch " + torch + ")") +
                   " have no code for compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                   " of " + run.card.name,
               "Install a PyTorch build that supports this chip, or try another GPU."};
}

/// The kernel also sends SIGKILL at the hard limit on processor time.
std::string hint_on_kill(const Case& run) {
  const auto& limit = run.facts.cpu_limit_seconds;
  return (limit ? "It may have used up the " + std::to_string(*limit) + " s of CPU time that `ulimit -t` allows, or the"
                : "The") +
         std::string(" host may have run out of memory (the largest process used ") + to_text(run.facts.host_peak_rss) +
         "). Use a machine with more memory" + (limit ? ", raise that limit" : "") +
         ", or drop --keep-init if you gave it.";
}

std::string hint_on_signal(const Case& run, int signal) {
  switch (signal) {
    case SIGKILL:
      return hint_on_kill(run);
    case SIGXCPU:
      return "It reached the limit on CPU time; raise it (`ulimit -t`).";
    case SIGXFSZ:
      return "It reached the limit on the size of files; raise it (`ulimit -f`).";
    case SIGSEGV:
    case SIGBUS:
    case SIGABRT:
    case SIGILL:
    case SIGFPE:
      return "A library crashed. If the program works on a real GPU, please report it with the folder kept by --save.";
    default:
      return "Find out why it was killed.";
  }
}

std::optional<Doubt> killed(const Case& run) {
  if (!failed(run.facts) || !run.facts.signal) return std::nullopt;
  const int signal = *run.facts.signal;
  return Doubt{"the program was killed by " + signal_name(signal) + " " + when(run.steps), hint_on_signal(run, signal)};
}

std::optional<Doubt> waits(const Case& run) {
  const auto where = note(run, "program.waits_at");
  if (where.empty()) return std::nullopt;
  return Doubt{"a limit of Dryfit, not an error of the program: it waits at " + where +
                   " for a condition or a number that only a GPU computes, and Dryfit ended it " + when(run.steps),
               "Bound the rounds of that loop. The limit is described at docs/limitations.md#unknown-values."};
}

std::optional<Doubt> stalled(const Case& run) {
  if (run.facts.stall.empty()) return std::nullopt;
  return Doubt{
      "the run stood still and was ended " + when(run.steps) + ": " + run.facts.stall,
      "Start everything that it waits for in the same command, and give it the input that it reads. End a server "
      "with --until TEXT. If the wait is right, give it more time with --stall-timeout."};
}

std::optional<Doubt> our_limit(const Case& run) {
  if (!failed(run.facts)) return std::nullopt;
  const auto error = error_of(run.facts);
  const auto limit = error ? limit_behind(*error, run.facts) : std::nullopt;
  if (!limit) return std::nullopt;
  const auto place = error->where.empty() ? "" : " (" + error->where + ")";
  return Doubt{"a limit of Dryfit, not an error of the program: " + limit->text + place + "; it failed " +
                   when(run.steps) + " with " + error->text,
               "The limit is described at docs/limitations.md#" + limit->name + "."};
}

std::string exit_sentence(const Case& run) {
  const int code = run.facts.exit_code.value_or(1);
  std::string sentence = "the program failed with exit code " + std::to_string(code);
  if (code > 128 && code < 160) sentence += " (one of its processes was killed by " + signal_name(code - 128) + ")";
  return sentence;
}

std::optional<Doubt> exited_with_error(const Case& run) {
  if (!failed(run.facts) || run.facts.signal) return std::nullopt;
  const auto sentence = exit_sentence(run);
  if (const auto error = error_of(run.facts)) {
    const auto place = error->where.empty() ? "" : " (" + error->where + ")";
    return Doubt{sentence + " " + when(run.steps) + ": " + error->text + place, advice_for(*error, run.facts)};
  }
  if (run.facts.processes.empty()) {
    return Doubt{sentence + " before it loaded the CUDA driver; " + kOutputAbove,
                 "Fix the error, then run it again. If PyTorch is missing, install it in this Python environment."};
  }
  if (hooks_active(run) && note(run, "software.torch").empty()) {
    return Doubt{sentence + " before it imported PyTorch; " + kOutputAbove,
                 "Check that PyTorch is installed in this Python environment."};
  }
  return Doubt{sentence + " " + when(run.steps) + "; " + kOutputAbove, "Fix the error, then run it again."};
}

std::optional<Doubt> timed_out(const Case& run) {
  if (!run.facts.timed_out || run.steps > 0) return std::nullopt;
  return Doubt{"the program did not complete an optimizer step within the --timeout",
               "Allow more time, or reduce the work before the first step (data loading, downloads)."};
}

std::optional<Doubt> no_driver(const Case& run) {
  if (!run.facts.processes.empty()) return std::nullopt;
  return Doubt{"the command ended without loading the CUDA driver",
               "Give a program that trains with PyTorch on a GPU, such as `python train.py`."};
}

std::optional<Doubt> no_torch(const Case& run) {
  if (!hooks_active(run) || !run.devices.empty() || !note(run, "software.torch").empty()) return std::nullopt;
  return Doubt{"the command ran Python but never imported PyTorch",
               "Check that this is the training script and that PyTorch is installed in this Python environment."};
}

std::optional<Doubt> trace_cut_off(const Case& run) {
  if (!run.facts.estimate || run.facts.estimate->damage.empty()) return std::nullopt;
  return Doubt{"the trace is incomplete (" + run.facts.estimate->damage +
                   "); the numbers cover only the part that could be used",
               "Record the trace again. If the program was killed while writing it, profile fewer steps."};
}

std::optional<Doubt> capture_incomplete(const Case& run) {
  for (const auto& process : run.facts.processes) {
    if (process.complete) continue;
    const auto which = process.pid == 0 ? "a process" : "process " + std::to_string(process.pid);
    return Doubt{"the trace of " + which + " is incomplete: " + process.incomplete_why,
                 "Free some space in the folder of TMPDIR, or raise the limits set by ulimit, then run it again."};
  }
  return std::nullopt;
}

std::optional<Doubt> no_device(const Case& run) {
  if (!run.devices.empty()) return std::nullopt;
  return Doubt{"the program ended without using the GPU",
               "Check that it moves its model to \"cuda\" (many scripts have an option such as --device)."};
}

/// A program that ran to its end on the GPU, or to where the user wanted it, used what it uses, whether it trained or not.
bool ran_to_its_end(const Case& run) {
  if (run.facts.estimate || run.facts.timed_out) return false;
  if (!run.facts.ended_by_us && run.facts.exit_code != 0) return false;
  return std::ranges::any_of(run.devices, [](const auto& total) {
    return total.device.peak_torch_reserved.count > 0 || total.device.peak_libraries.count > 0;
  });
}

std::optional<Doubt> steps_unknown(const Case& run) {
  if (run.steps > 0 || hooks_active(run) || ran_to_its_end(run)) return std::nullopt;
  return Doubt{
      "the program used the GPU, but its optimizer steps could not be counted because Dryfit's hooks were not loaded",
      "Run it with Python and without -S, -I or -E. The numbers below are for the whole program."};
}

std::optional<Doubt> never_stepped(const Case& run) {
  if (run.steps > 0 || ran_to_its_end(run)) return std::nullopt;
  const bool forward = any_process(run, [](const auto& process) { return process.forward_seen; });
  const bool backward = any_process(run, [](const auto& process) { return process.backward_seen; });
  const std::string seen = backward  ? "forward and backward passes were seen, but no step"
                           : forward ? "forward passes were seen, but no backward pass and no step"
                                     : "no module's forward pass was seen either";
  const std::string subject = run.facts.estimate ? "the trace has no optimizer.step() of a torch.optim optimizer"
                                                 : "the program put nothing on the GPU and made no training step";
  return Doubt{subject + "; " + seen,
               "Check that this is the training script. The numbers below are for the whole program."};
}

std::optional<Doubt> crowded_device(const Case& run) {
  for (const auto& total : run.devices) {
    if (total.processes < 2 || total.shared || total.device.peak <= run.card.available()) continue;
    const auto why = note(run, "ledger.problem");
    return Doubt{std::to_string(total.processes) + " processes share GPU " + std::to_string(total.device.slot) +
                     "; each fits alone, but together they may need up to " + to_text(total.device.peak) + " of " +
                     to_text(run.card.available()) +
                     (why.empty() ? "" : ", and their memory couldn't be counted together: " + why),
                 "Give each process its own GPU (--count), or run fewer processes."};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Doubt> first_doubt(const Case& run) {
  static constexpr std::optional<Doubt> (*kDoubts[])(const Case&) = {
      interrupted, stalled,           cpu_only_torch,     unsupported_chip, waits,          our_limit,
      killed,      exited_with_error, capture_incomplete, trace_cut_off,    timed_out,      no_driver,
      no_torch,    no_device,         steps_unknown,      never_stepped,    crowded_device,
  };
  for (const auto doubt : kDoubts) {
    if (auto found = doubt(run)) return found;
  }
  return std::nullopt;
}

}  // namespace dryfit::verdict
