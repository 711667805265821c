// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "observe_options.h"

namespace dryfit::cli {
namespace {

void declare_prediction(CLI::App& command, ObserveOptions& o) {
  auto& r = o.remarks;
  command.add_option("--median", r.median, "What had been predicted")->type_name("SIZE");
  command.add_option("--upper", r.upper, "The upper bound that had been predicted")->type_name("SIZE");
  command.add_option("--coverage", r.coverage, "How often that bound was to hold")
      ->type_name("X")
      ->capture_default_str();
  command.add_option("--predicted-kind", r.predicted_kind, "Which memory was predicted, as --kind")
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--model-file", r.model_file, "The model file that predicted it")->type_name("FILE");
  command
      .add_option(
          "--predicted", o.prediction_file,
          "An answer of `dryfit predict --json`, or JSON with median_bytes, upper_bytes and coverage, instead of "
          "the options before")
      ->type_name("FILE");
}

}  // namespace

void declare(CLI::App& command, ObserveOptions& o) {
  auto& r = o.remarks;
  command.add_option("FILE", o.file, "The output of whatever measured the job (docs/observe.md); -: standard input");
  command
      .add_option("--format", o.format,
                  "torch-stats, snapshot, nvidia-smi, sacct, prometheus, dryfit-run, harvest or history (default: "
                  "recognised)")
      ->type_name("FORMAT");
  command.add_option("--peak", o.peak, "The most memory it took, without a file: 11.2GiB")->type_name("SIZE");
  command.add_option("--kind", r.kind, "Which memory that is: allocated, reserved, beside-context or device")
      ->type_name("KIND");
  command.add_option("--job", o.job_file, "A JSON file that describes the job, as `job` in docs/harvest.md")
      ->type_name("FILE");
  command.add_option("--gpu", r.gpu, "The card it ran on, as in `dryfit gpus`")->type_name("NAME");
  command.add_option("--outcome", r.outcome, "ok, or oom: it ran out of memory (default: as the file says, else ok)")
      ->type_name("WORD");
  command.add_option("--job-id", r.job_id, "Of several jobs in the file this one; else what the job is to be called")
      ->type_name("ID");
  command.add_option("--name", r.name, "A name of your own for the job")->type_name("TEXT");
  command.add_option("--host", r.host, "Where it ran (default: as the file says, else this machine)")
      ->type_name("NAME");
  command.add_option("--when", r.when, "When it ended: 2026-11-02T09:35:00 (default: as the file says, else now)")
      ->type_name("TIME");
  command.add_option("--step-time", r.step_seconds, "Seconds of a training step")->type_name("SECONDS");
  command.add_option("--tflops", r.tflops, "What it computed, 10^12 operations a second")->type_name("X");
  command.add_option("--software", r.software, "A version: torch=2.6.0; may be given again")
      ->type_name("NAME=VERSION")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  declare_prediction(command, o);
  command.add_option("--history", o.history, "The history to record into (default: ~/.local/share/dryfit/history.db)")
      ->type_name("FILE");
  command.add_option("--cards", o.cards, "A card file of your own, or a folder of them")
      ->type_name("PATH")
      ->expected(1)
      ->take_all()
      ->allow_extra_args(false);
  command.add_flag("--any-ending", o.any_ending, "Record a command also when it fails or is stopped");
  command.add_flag("--json", o.json, "Print JSON; of a command to stderr");
}

}  // namespace dryfit::cli
