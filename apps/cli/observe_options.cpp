// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "observe_options.h"

#include "common_options.h"

namespace dryfit::cli {
namespace {

void declare_prediction(CLI::App& command, ObserveOptions& o) {
  auto& r = o.remarks;
  command.add_option("--median", r.median, "Predicted median")->type_name("SIZE");
  command.add_option("--upper", r.upper, "Predicted upper bound")->type_name("SIZE");
  command.add_option("--coverage", r.coverage, "Coverage of that bound")->type_name("X")->capture_default_str();
  command.add_option("--predicted-kind", r.predicted_kind, "Memory that was predicted, as for --kind")
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--model-file", r.model_file, "Model file that made the prediction")->type_name("FILE");
  command
      .add_option("--predicted", o.prediction_file,
                  "Output of `dryfit predict --json`, or JSON with median_bytes, upper_bytes and coverage; replaces "
                  "--median to --model-file")
      ->type_name("FILE");
}

}  // namespace

void declare(CLI::App& command, ObserveOptions& o) {
  auto& r = o.remarks;
  command.add_option("FILE", o.file, "Output of a tool that measured the job (docs/observe.md); - is standard input");
  command
      .add_option("--format", o.format,
                  "Format of FILE: torch-stats, snapshot, nvidia-smi, sacct, prometheus, dryfit-run, harvest or "
                  "history (default: detected)")
      ->type_name("FORMAT");
  command.add_option("--peak", o.peak, "Peak memory, instead of FILE: 11.2GiB")->type_name("SIZE");
  command.add_option("--kind", r.kind, "Memory that was measured: allocated, reserved, beside-context or device")
      ->type_name("KIND");
  command.add_option("--job", o.job_file, "JSON file that describes the job, like `job` in docs/harvest.md")
      ->type_name("FILE");
  command.add_option("--gpu", r.gpu, "GPU that the job ran on, as in `dryfit gpus`")->type_name("NAME");
  command.add_option("--outcome", r.outcome, "ok, or oom if it ran out of memory (default: from the file, else ok)")
      ->type_name("WORD");
  command.add_option("--job-id", r.job_id, "Job to select, or the ID to assign")->type_name("ID");
  command.add_option("--name", r.name, "Name for the job")->type_name("TEXT");
  command.add_option("--host", r.host, "Host that the job ran on (default: from the file, else this machine)")
      ->type_name("NAME");
  command
      .add_option("--when", r.when, "Time at which it ended: 2026-11-02T09:35:00 (default: from the file, else now)")
      ->type_name("TIME");
  command.add_option("--step-time", r.step_seconds, "Seconds per training step")->type_name("SECONDS");
  command.add_option("--tflops", r.tflops, "Compute throughput in 10^12 operations per second")->type_name("X");
  command.add_option("--software", r.software, "Software version, such as torch=2.6.0 (repeatable)")
      ->type_name("NAME=VERSION")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  declare_prediction(command, o);
  command.add_option("--history", o.history, "History to record into (default: ~/.local/share/dryfit/history.db)")
      ->type_name("FILE");
  add_gpu_file_option(command, o.cards);
  command.add_flag("--any-ending", o.any_ending, "Record a command even if it fails or is stopped");
  command.add_flag("--json", o.json, "Print JSON; with a command, to stderr");
}

}  // namespace dryfit::cli
