// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
//   latency_bench <folder of the data sets> <rounds> <descriptions in the batch> [<kind> <features> <library>
//   <model>]...
//
// How long our networks and tree models take to answer for one job, interleaved in one run on one thread; and how many
// plain descriptions two threads answer per second. Started by bench/latency, which trains the trees and reads the JSON
// printed here.
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "latency_contestants.h"
#include "predictor/timm_memory.h"

namespace dryfit::bench {
namespace {

using Clock = std::chrono::steady_clock;
using predictor::Job;

constexpr std::size_t kQuestions = 512;
/// Calls of one contestant before the next one's turn: the first ones find the caches full of another's data.
constexpr std::size_t kTurn = 64;

double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }

/// The processor time of all threads, in seconds.
double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Measured jobs with the largest number of blocks, each different from the others.
Result<Questions> questions_in(const std::string& folder) {
  const auto tables = predictor::read_timm_tables(folder);
  if (!tables) return tables.error();
  const auto memory = predictor::join_timm_memory(*tables, "module5_s0");
  if (!memory) return memory.error();
  Questions questions;
  for (std::size_t place = 0; place < memory->jobs.size() && questions.jobs.size() < kQuestions; ++place) {
    const auto& job = memory->jobs[place].job;
    if (job.blocks.size() != predictor::kMostBlocks) continue;
    questions.rows.push_back(memory->rows[place]);
    questions.jobs.push_back(job);
    questions.plain.push_back(job);
    questions.plain.back().blocks.clear();
  }
  if (questions.jobs.size() < kQuestions) return Error{"'" + folder + "' has too few jobs with 16 blocks", ""};
  return questions;
}

struct Timed {
  Contestant contestant;
  std::vector<double> times;
  double mean_answer = 0;
};

void take_turn(Timed& timed, std::size_t first) {
  for (std::size_t i = first; i < first + kTurn; ++i) {
    const auto start = Clock::now();
    const double answer = timed.contestant.answer(i);
    timed.times.push_back(microseconds(Clock::now() - start));
    timed.mean_answer += answer / static_cast<double>(kQuestions);
  }
}

double quantile(std::vector<double>& times, double share) {
  const auto place = times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), place, times.end());
  return *place;
}

void print(Timed& timed, int rounds, const char* after) {
  std::printf("  {\"name\": \"%s\", \"features\": \"%s\", \"p10\": %.3f, \"p50\": %.3f, \"p90\": %.3f, \"p99\": %.3f, ",
              timed.contestant.name.c_str(), timed.contestant.features.c_str(), quantile(timed.times, 0.1),
              quantile(timed.times, 0.5), quantile(timed.times, 0.9), quantile(timed.times, 0.99));
  std::printf("\"mean_answer\": %.9g}%s\n", timed.mean_answer / rounds, after);
}

void race(const Questions& questions, std::vector<Timed>& all, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t first = 0; first < kQuestions; first += kTurn) {
      for (auto& timed : all) take_turn(timed, first);
    }
  }
  std::printf("{\"question_rows\": [");
  for (const auto row : questions.rows) std::printf("%s%zu", row == questions.rows.front() ? "" : ", ", row);
  std::printf("], \"questions\": %zu, \"rounds\": %d, \"kernels\": \"%s\", \"rows\": [\n", kQuestions, rounds,
              predictor::best_kernels().name);
  for (auto& timed : all) print(timed, rounds, &timed == &all.back() ? "]," : ",");
}

/// Many plain descriptions, all different, through the whole path on two threads.
void run_batch(const Questions& questions, std::size_t size) {
  constexpr std::size_t kThreads = 2;
  std::vector<Job> jobs;
  for (std::size_t i = 0; i < size; ++i) {
    jobs.push_back(questions.plain[i % kQuestions]);
    jobs.back().batch = static_cast<double>(1 + i / kQuestions);
  }
  const auto model = untrained_model(questions, predictor::FeatureSet::plain, predictor::Core::bigru_transformer);
  const auto predictor = predictor::MemoryPredictor::of(model);
  const double processor = processor_seconds();
  const auto start = Clock::now();
  const auto peaks = predictor->peaks_mib(jobs, kThreads);
  const double wall = microseconds(Clock::now() - start) / 1e6;
  const double used = processor_seconds() - processor;
  const bool all = std::ranges::all_of(peaks, [](const auto& peak) { return static_cast<bool>(peak); });
  std::printf(
      "\"batch\": {\"size\": %zu, \"threads\": %zu, \"answered\": %s, \"wall_seconds\": %.4f, "
      "\"processor_seconds\": %.4f}}\n",
      size, kThreads, all ? "true" : "false", wall, used);
}

int fail(const Error& error) {
  std::fprintf(stderr, "latency_bench: %s\n", error.what.c_str());
  if (!error.hint.empty()) std::fprintf(stderr, "%s\n", error.hint.c_str());
  return 1;
}

int run(std::vector<std::string> arguments) {
  if (arguments.size() < 3 || (arguments.size() - 3) % 4 != 0) return fail({"wrong arguments", "Run bench/latency."});
  const auto questions = questions_in(arguments[0]);
  if (!questions) return fail(questions.error());
  std::vector<Timed> all{{{"(the clock alone)", "", [](std::size_t) { return 0.0; }}, {}}};
  for (auto& network : networks(*questions)) all.push_back({std::move(network), {}});
  for (std::size_t i = 3; i < arguments.size(); i += 4) {
    auto contestant = tree({arguments[i], arguments[i + 1], arguments[i + 2], arguments[i + 3]}, *questions);
    if (!contestant) return fail(contestant.error());
    all.push_back({std::move(*contestant), {}});
  }
  race(*questions, all, std::atoi(arguments[1].c_str()));
  run_batch(*questions, static_cast<std::size_t>(std::atoll(arguments[2].c_str())));
  return 0;
}

}  // namespace
}  // namespace dryfit::bench

int main(int argc, char** argv) { return dryfit::bench::run({argv + 1, argv + argc}); }
