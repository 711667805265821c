// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/estimate.h"

#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "card/catalogue.h"
#include "commands.h"
#include "common_options.h"
#include "estimate_source.h"
#include "files.h"
#include "judgement.h"
#include "named_cards.h"
#include "replayed_limits.h"
#include "report/json.h"
#include "report/terminal.h"
#include "resources.h"
#include "screen.h"
#include "verdict/verdict.h"

namespace dryfit::cli {
namespace {

using Clock = std::chrono::steady_clock;
using estimate::Metadata;
using verdict::Verdict;

struct EstimateOptions {
  std::vector<std::filesystem::path> traces;
  std::optional<std::uint64_t> batch;
  std::vector<std::string> gpus;
  std::vector<std::filesystem::path> cards;
  std::string torch;
  std::string alloc_conf;
  std::string output;
  bool json = false;
  bool strict = false;
};

/// A progress line on the terminal, for large traces.
class ProgressLine {
 public:
  explicit ProgressLine(const char* doing) : doing_(doing) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (drawn_) std::fprintf(stderr, "\r\033[K");
  }

  void operator()(double share) {
    const auto now = Clock::now();
    if (!shown_ || now - last_ < std::chrono::milliseconds(200) || now - begun_ < std::chrono::seconds(1)) return;
    last_ = now;
    drawn_ = true;
    const double seconds = std::chrono::duration<double>(now - begun_).count();
    const double left = share > 0 ? seconds / share - seconds : 0;
    std::fprintf(stderr, "\rdryfit: %s, %.0f %%, %.0f s left\033[K\r", doing_, 100 * share, left);
  }

 private:
  const char* doing_;
  bool shown_ = is_terminal(STDERR_FILENO);
  bool drawn_ = false;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point last_ = begun_;
};

/// The profiled version, unless another is given.
Result<simulator::TorchVersion> torch_of(const EstimateOptions& options, const Metadata& metadata) {
  if (!options.torch.empty()) return simulator::parse_torch_version(options.torch);
  auto found = simulator::parse_torch_version(metadata.torch);
  return found ? found : Result<simulator::TorchVersion>(simulator::TorchVersion::newest());
}

/// The program's own, unless another is given.
std::string alloc_conf_of(const EstimateOptions& options, const Metadata& metadata) {
  if (!options.alloc_conf.empty()) return options.alloc_conf;
  const auto& environment = metadata.environment;
  for (const auto* name : {"PYTORCH_ALLOC_CONF", "PYTORCH_CUDA_ALLOC_CONF"}) {
    if (const auto set = environment.find(name); set != environment.end()) return set->second;
  }
  return "";
}

verdict::RunFacts facts_of_estimate(const std::string& damage, estimate::Estimate found, Clock::time_point begun) {
  verdict::RunFacts facts{.ended_by_us = true, .address_order_assumed = true, .estimate = verdict::EstimateFacts{}};
  facts.processes.push_back(std::move(found.process));
  facts.estimate->damage = damage;
  for (auto& gap : found.gaps) facts.estimate->gaps.push_back({std::move(gap.name), std::move(gap.text)});
  facts.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  struct rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0)
    facts.host_peak_rss = Bytes{static_cast<std::uint64_t>(usage.ru_maxrss) << 10};
  return facts;
}

int deliver(const EstimateOptions& options, const Metadata& metadata, const std::vector<Verdict>& verdicts) {
  const auto json = report::json_text(DRYFIT_VERSION, metadata.command, verdicts);
  if (!options.output.empty()) {
    if (const auto status = write_atomically(options.output, json); !status) return fail(status.error(), kCouldNotTell);
  }
  if (!print(options.json ? json : report::terminal_text(verdicts, style_for(STDOUT_FILENO)))) {
    return fail({"cannot write the report to stdout", ""}, kCouldNotTell);
  }
  return verdict::exit_code(verdicts, options.strict);
}

int run(const EstimateOptions& options) {
  const auto begun = Clock::now();
  const auto resources = find_resources();
  if (!resources) return fail(resources.error(), kCouldNotTell);
  const auto catalogue = Catalogue::load(resources->cards, options.cards);
  if (!catalogue) return fail(catalogue.error(), kWrongUsage);
  const auto cards = named_cards(*catalogue, options.gpus);
  if (!cards) return fail(cards.error(), kWrongUsage);
  if (!options.output.empty()) {
    if (const auto status = check_writable(options.output); !status) return fail(status.error(), kWrongUsage);
  }

  auto recording = [&] {
    ProgressLine line("reading the trace");
    return read_traces(options.traces, options.batch, std::ref(line));
  }();
  if (!recording) return fail(recording.error(), kWrongUsage);
  const auto& profile = recording->profile();
  const auto torch = torch_of(options, profile.metadata);
  if (!torch) return fail(torch.error(), kWrongUsage);
  const auto config = simulator::parse_alloc_config(alloc_conf_of(options, profile.metadata), *torch);
  if (!config) return fail(config.error(), kWrongUsage);

  std::vector<Card> plain;
  std::vector<ComputeCapability> chips;
  for (const auto* card : *cards) {
    plain.push_back(card->card);
    chips.push_back(card->card.compute_capability);
  }
  const auto workspaces = estimate::Workspaces::load(resources->convolutions, chips);
  if (!workspaces) return fail(workspaces.error(), kCouldNotTell);

  auto estimates = [&] {
    ProgressLine line("simulating the GPU");
    return estimate::estimate(*recording, plain, {.torch = *torch, .config = *config, .workspaces = &*workspaces},
                              std::ref(line));
  }();
  std::vector<Verdict> verdicts;
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const auto played = std::move(estimates[i].recording);
    verdicts.push_back(verdict::judge(plain[i], facts_of_estimate(profile.damage, std::move(estimates[i]), begun)));
    add_provenance(verdicts.back(), *(*cards)[i]);
    if (played) verdicts.back().limits = limits_by_replay(verdicts.back(), *played);
  }
  return deliver(options, profile.metadata, verdicts);
}

void declare(CLI::App& command, EstimateOptions& options) {
  command
      .add_option("TRACE", options.traces,
                  "torch.profiler trace from the CPU, .json or .json.gz; for --batch, two or more at smaller batches")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--batch", options.batch, "Batch size to estimate for, from several traces (default: the program's)")
      ->type_name("N")
      ->check(whole_number(1, 100'000'000));
  add_gpus_option(command, options.gpus, "GPU to estimate for, as listed by `dryfit gpus`; several: a,b,c")->required();
  command.add_option("--torch", options.torch, "PyTorch version on the GPU machine (default: the profiled one)")
      ->type_name("VERSION");
  command
      .add_option("--alloc-conf", options.alloc_conf,
                  "PYTORCH_CUDA_ALLOC_CONF on the GPU machine (default: the program's)")
      ->type_name("CONF");
  add_gpu_file_option(command, options.cards);
  command.add_flag("--strict", options.strict, "Treat a tight fit as a failure (exit code 3)");
  command.add_flag("--json", options.json, "Print JSON instead of the report");
  command.add_option("-o,--output", options.output, "Also write the JSON to this file")->type_name("FILE");
}

}  // namespace

void add_estimate(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("estimate", "Estimate memory from a CPU profile, without a CUDA build of PyTorch")
                      ->group(kAsk);
  command->footer(
      "Examples:\n  dryfit estimate trace.json.gz --gpu rtx-3060-12gb,a100-40gb\n"
      "  dryfit estimate trace.batch-4.json.gz trace.batch-8.json.gz --batch 256 --gpu rtx-4090\n\n"
      "`dryfit profile` makes the trace. One that torch.profiler wrote with profile_memory=True and record_shapes=True "
      "works too.\n\n"
      "Exit code: 0 fits on every GPU (tight fits included, unless --strict), 3 does not fit on at least one, 2 wrong "
      "usage, 1 cannot tell.");
  auto options = std::make_shared<EstimateOptions>();
  declare(*command, *options);
  command->callback([options, &exit_code] {
    std::erase(options->gpus, "");
    exit_code = run(*options);
  });
}

}  // namespace dryfit::cli
