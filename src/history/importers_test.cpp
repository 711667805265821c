// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "history/dry_runs.h"
#include "history/formats.h"
#include "history/nvidia_smi.h"
#include "history/prometheus.h"
#include "history/record_json.h"
#include "history/slurm.h"
#include "history/testing.h"
#include "history/times.h"
#include "history/torch_snapshot.h"
#include "history/torch_statistics.h"

namespace dryfit::history {
namespace {

using namespace literals;
using Counts = std::map<std::string, std::size_t>;

std::string content_of(const std::string& path) {
  std::ifstream file(std::string(DRYFIT_SOURCE_DIR) + "/tests/" + path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string sample(const std::string& name) { return content_of("history/samples/" + name); }

/// What all importers must do with what is not theirs: say so, whatever it is.
void expect_refused(const Result<Imported>& imported, const std::string& part) {
  ASSERT_FALSE(imported) << part;
  EXPECT_NE(imported.error().what.find(part), std::string::npos) << imported.error().what;
  EXPECT_FALSE(imported.error().hint.empty());
}

TEST(TorchStatistics, The_reserved_peak_is_taken_and_the_allocated_one_on_request) {
  const auto reserved = import_torch_statistics(sample("memory-stats.json"));
  ASSERT_TRUE(reserved);
  EXPECT_EQ(reserved->records.at(0).peak, 1908408320_B);
  EXPECT_EQ(reserved->records[0].kind, PeakKind::reserved);
  EXPECT_EQ(reserved->records[0].outcome, Outcome::ok);
  EXPECT_EQ(import_torch_statistics(sample("memory-stats.json"), PeakKind::allocated)->records.at(0).peak,
            1890582528_B);
}

TEST(TorchStatistics, A_nested_dictionary_works_too) {
  const auto imported = import_torch_statistics(R"({"reserved_bytes": {"all": {"peak": 2097152}}, "num_ooms": 2})");
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->records.at(0).peak, 2_MiB);
  EXPECT_EQ(imported->records[0].outcome, Outcome::out_of_memory);
}

TEST(TorchStatistics, Wrong_content_is_refused) {
  expect_refused(import_torch_statistics("[]"), "not a JSON object");
  expect_refused(import_torch_statistics("{}"), "reserved_bytes.all.peak");
  expect_refused(import_torch_statistics(R"({"reserved_bytes.all.peak": -5})"), "reserved_bytes.all.peak");
  expect_refused(import_torch_statistics(R"({"reserved_bytes": {"all": 3}})"), "reserved_bytes.all.peak");
  expect_refused(import_torch_statistics("{}", PeakKind::device), "'device'");
}

snapshot::Entry entry(snapshot::Action action, Bytes size) { return {.action = action, .size = size}; }

TEST(TorchSnapshot, The_peak_is_found_from_the_end_backwards) {
  using enum snapshot::Action;
  snapshot::Snapshot recorded;
  recorded.segments.push_back({.device = 1, .size = 3_GiB});
  recorded.device_traces = {{}, {entry(segment_alloc, 5_GiB), entry(segment_free, 5_GiB), entry(segment_map, 1_GiB)}};
  const auto imported = import_torch_snapshot(recorded);
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->records.at(0).peak, 7_GiB);
  EXPECT_EQ(imported->records[0].outcome, Outcome::ok);
}

TEST(TorchSnapshot, A_last_request_that_failed_is_a_lower_limit) {
  using enum snapshot::Action;
  snapshot::Snapshot recorded;
  recorded.segments.push_back({.device = 0, .size = 3_GiB});
  recorded.device_traces = {{entry(segment_alloc, 3_GiB), entry(alloc, 3_GiB), entry(oom, 2_GiB)}};
  EXPECT_EQ(import_torch_snapshot(recorded)->records.at(0).peak, 5_GiB);
  EXPECT_EQ(import_torch_snapshot(recorded)->records[0].outcome, Outcome::out_of_memory);
  recorded.device_traces[0].push_back(entry(alloc, 1_MiB));
  EXPECT_EQ(import_torch_snapshot(recorded)->records.at(0).outcome, Outcome::ok);
}

TEST(TorchSnapshot, Without_recorded_events_there_is_no_peak) {
  snapshot::Snapshot recorded;
  recorded.segments.push_back({.device = 0, .size = 3_GiB});
  recorded.device_traces = {{}};
  expect_refused(import_torch_snapshot(recorded), "no recorded events");
}

TEST(NvidiaSmi, Accounted_processes_that_ended_are_taken) {
  const auto imported = import_nvidia_smi(sample("accounted-apps.csv"));
  ASSERT_TRUE(imported);
  ASSERT_EQ(imported->records.size(), 2u);
  const auto& record = imported->records[0];
  EXPECT_EQ(record.job_id, "pid-1906656-14193ms");
  EXPECT_EQ(record.source, "nvidia-smi-accounting");
  EXPECT_EQ(record.card, "NVIDIA A100-PCIE-40GB");
  EXPECT_EQ(record.peak, 4989_MiB);
  EXPECT_EQ(record.kind, PeakKind::device);
  EXPECT_EQ(imported->left_out,
            (Counts{{"the process was still running", 1}, {"nvidia-smi did not report the memory", 1}}));
}

TEST(NvidiaSmi, The_highest_of_repeated_samples_is_taken) {
  const auto imported = import_nvidia_smi(sample("compute-apps.csv"));
  ASSERT_TRUE(imported);
  ASSERT_EQ(imported->records.size(), 2u);
  EXPECT_EQ(imported->records[0].job_id, "pid-3858903");
  EXPECT_EQ(imported->records[0].peak, 11203_MiB);
  EXPECT_EQ(imported->left_out, (Counts{{"nvidia-smi did not report the memory", 1}}));
}

TEST(NvidiaSmi, Values_without_units_take_those_of_the_header) {
  EXPECT_EQ(import_nvidia_smi("pid, used_gpu_memory [MiB]\n7, 164\n")->records.at(0).peak, 164_MiB);
}

TEST(NvidiaSmi, Wrong_content_is_refused) {
  expect_refused(import_nvidia_smi(""), "no process");
  expect_refused(import_nvidia_smi("pid, used_gpu_memory [MiB]\n"), "no process");
  expect_refused(import_nvidia_smi("pid, name\n1, x\n"), "columns");
  expect_refused(import_nvidia_smi("pid, used_gpu_memory [MiB]\n1, many\n"), "line 2");
  expect_refused(import_nvidia_smi("pid, used_gpu_memory [MiB]\n1\n"), "line 2");
}

TEST(Slurm, Completed_jobs_of_one_GPU_are_taken) {
  const auto imported = import_sacct(sample("sacct.txt"));
  ASSERT_TRUE(imported) << imported.error().what;
  ASSERT_EQ(imported->records.size(), 2u);
  const auto& record = imported->records[0];
  EXPECT_EQ(record.job_id, "18194943");
  EXPECT_EQ(record.name, "resnet-nightly");
  EXPECT_EQ(record.host, "g1");
  EXPECT_EQ(record.card, "a100");
  EXPECT_EQ(record.peak, 38888_MiB);
  EXPECT_EQ(record.when, parse_time("2026-11-02T09:35:00"));
  EXPECT_EQ(imported->records[1].job_id, "18194960_3");
  EXPECT_EQ(imported->records[1].peak, 73216_MiB);
  EXPECT_EQ(imported->left_out, (Counts{{"the job did not complete", 2},
                                        {"the job had several GPUs", 1},
                                        {"Slurm did not measure its GPU memory", 1}}));
}

TEST(Slurm, Jobs_on_several_nodes_are_named_after_their_cluster) {
  const auto imported = import_sacct(
      "JobID|State|Cluster|NodeList|AllocTRES|TRESUsageInMax\n1|COMPLETED|blue|g[1-2]|gres/gpu=1|gres/gpumem=1G\n"
      "2|COMPLETED|||gres/gpu=1|gres/gpumem=1G\n");
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->records.at(0).host, "blue");
  EXPECT_EQ(imported->records.at(1).host, "slurm");
}

TEST(Slurm, Wrong_content_is_refused) {
  expect_refused(import_sacct(""), "'JobID'");
  expect_refused(import_sacct("JobID|State\n1|COMPLETED\n"), "'AllocTRES'");
  expect_refused(import_sacct("JobID|State|AllocTRES|TRESUsageInMax\n1|COMPLETED|gres/gpu=1|gres/gpumem=big\n"),
                 "line 2");
}

TEST(Prometheus, The_cards_of_a_job_are_one_record_with_the_fullest) {
  const auto imported = import_prometheus(sample("prometheus.json"));
  ASSERT_TRUE(imported) << imported.error().what;
  ASSERT_EQ(imported->records.size(), 2u);
  const auto& job = imported->records[0];
  EXPECT_EQ(job.job_id, "4711");
  EXPECT_EQ(job.host, "gsrh100-074");
  EXPECT_EQ(job.card, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(job.peak, 62500_MiB);
  EXPECT_EQ(job.when, 1793612115);
  const auto& pod = imported->records[1];
  EXPECT_EQ(pod.job_id, "team-a/trainer-0");
  EXPECT_EQ(pod.host, "10.0.3.7");
  EXPECT_EQ(pod.card, "NVIDIA A30 MIG 1g.6gb");
  EXPECT_EQ(imported->left_out, (Counts{{"the series has no samples above zero", 1}}));
}

TEST(Prometheus, An_instant_query_works_too) {
  const auto imported = import_prometheus(
      R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{"UUID":"GPU-1"},"value":[7,"12"]}]}})");
  ASSERT_TRUE(imported);
  EXPECT_EQ(imported->records.at(0).job_id, "GPU-1@7");
  EXPECT_EQ(imported->records[0].peak, 12_MiB);
}

TEST(Prometheus, Wrong_content_is_refused) {
  expect_refused(import_prometheus("7"), "not a JSON object");
  expect_refused(import_prometheus(R"({"status":"error","error":"parse error"})"), "parse error");
  expect_refused(import_prometheus(R"({"status":"success"})"), "data.result");
  const auto with = [](const std::string& series) {
    return R"({"status":"success","data":{"result":[)" + series + "]}}";
  };
  expect_refused(import_prometheus(with(R"({"metric":{"__name__":"up"},"values":[]})")), "'up'");
  expect_refused(import_prometheus(with(R"({"metric":{}})")), "'values'");
  expect_refused(import_prometheus(with("7")), "'metric'");
  for (const char* value : {R"([1,2])", R"([1,"x"])", R"([1,"-4"])", R"(["1","2"])", "3"}) {
    expect_refused(import_prometheus(with(R"({"metric":{},"values":[)" + std::string(value) + "]}")), "a sample");
  }
}

TEST(DryRuns, A_report_gives_a_record_per_card_with_a_verdict) {
  const auto imported = import_report(content_of("golden/report-json.txt"));
  ASSERT_TRUE(imported) << imported.error().what;
  ASSERT_FALSE(imported->records.empty());
  for (const auto& record : imported->records) {
    EXPECT_TRUE(is_dry(record));
    EXPECT_TRUE(check(record));
    EXPECT_EQ(record.kind, PeakKind::device);
    EXPECT_FALSE(record.card.empty());
  }
}

TEST(DryRuns, Rows_of_a_harvest_are_taken_with_their_descriptions) {
  const auto imported = import_harvest(sample("harvest.jsonl"));
  ASSERT_TRUE(imported) << imported.error().what;
  ASSERT_EQ(imported->records.size(), 2u);
  EXPECT_EQ(imported->records[0].peak, 158334976_B);
  EXPECT_EQ(family_of(imported->records[0].job), "squeezenet");
  EXPECT_EQ(imported->records[0].card, "rtx-3060-12gb");
  EXPECT_EQ(imported->records[0].software.at("torch"), "2.6.0+cu124");
  EXPECT_EQ(imported->records[1].outcome, Outcome::out_of_memory);
  EXPECT_EQ(imported->records[1].peak, Bytes{12622168064 - 408354816 + 1239416832});
  EXPECT_EQ(imported->left_out, (Counts{{"the dry run has no verdict", 1}}));
}

TEST(DryRuns, Wrong_content_is_refused) {
  expect_refused(import_report("{}"), "not a report");
  expect_refused(import_report(R"({"results": [{"card": 5}]})"), "'card'");
  expect_refused(import_harvest("{\"key\": \"a\"}\nrubbish\n"), "line 2");
}

TEST(Formats, Content_is_recognised) {
  EXPECT_EQ(*recognise(sample("memory-stats.json")), Format::torch_statistics);
  EXPECT_EQ(*recognise(sample("accounted-apps.csv")), Format::nvidia_smi);
  EXPECT_EQ(*recognise(sample("compute-apps.csv")), Format::nvidia_smi);
  EXPECT_EQ(*recognise(sample("sacct.txt")), Format::sacct);
  EXPECT_EQ(*recognise(sample("prometheus.json")), Format::prometheus);
  EXPECT_EQ(*recognise(sample("harvest.jsonl")), Format::harvest);
  EXPECT_EQ(*recognise(content_of("golden/report-json.txt")), Format::report);
  EXPECT_EQ(*recognise(to_line(testing::full_record()) + "\n" + to_line(testing::full_record("2"))), Format::history);
  EXPECT_EQ(*recognise("\x80\x04..."), Format::torch_snapshot);
  for (const char* content : {"", "\n\n", "hello", "{}", "[1]", "{\"a\": 1"})
    EXPECT_FALSE(recognise(content)) << content;
}

TEST(Formats, Every_format_has_a_name) {
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(*parse_format(to_text(static_cast<Format>(i))), static_cast<Format>(i));
  }
  EXPECT_NE(parse_format("xml").error().hint.find("sacct"), std::string::npos);
}

TEST(Formats, An_export_is_read_back_and_a_wrong_line_is_named) {
  const auto text = to_line(testing::full_record("1")) + "\n\n" + to_line(testing::full_record("2")) + "\n";
  EXPECT_EQ(import_content(text, Format::history)->records.size(), 2u);
  expect_refused(import_content(text + "{\"job_id\": \"3\"}\n", Format::history), "line 4");
}

TEST(Importers, A_file_without_a_job_is_refused) {
  expect_refused(import_content("\n \n", Format::history), "no job");
  expect_refused(import_content("\n", Format::harvest), "no job");
  expect_refused(import_content(R"({"dryfit": "0.2.0", "results": []})", Format::report), "no job");
}

TEST(Formats, Content_of_another_format_never_crashes) {
  for (const char* name :
       {"memory-stats.json", "accounted-apps.csv", "sacct.txt", "prometheus.json", "harvest.jsonl"}) {
    const auto content = sample(name);
    const auto own = *recognise(content);
    for (int i = 0; i < 8; ++i) {
      const auto format = static_cast<Format>(i);
      for (std::size_t size = 0; size < content.size(); size += 97) {
        (void)import_content(std::string_view(content).substr(0, size), format);
      }
      EXPECT_EQ(static_cast<bool>(import_content(content, format)), format == own) << name << " as " << to_text(format);
    }
  }
}

}  // namespace
}  // namespace dryfit::history
