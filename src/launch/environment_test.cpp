// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/environment.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace dryfit::launch {
namespace {

const GuestSettings kSettings{.driver_directory = "/opt/dryfit/driver",
                              .hooks_directory = "/opt/dryfit/hooks",
                              .machine_file = "/tmp/run/machine.txt",
                              .inductor_cache = "/tmp/run/inductor",
                              .steps = 3};

std::ptrdiff_t occurrences(const Environment& environment, std::string_view name) {
  return std::count_if(environment.begin(), environment.end(),
                       [&](const std::string& entry) { return entry.starts_with(std::string(name) + "="); });
}

TEST(Environment, The_value_of_a_variable_is_that_of_its_first_entry) {
  const Environment environment{"PATHS=no", "PATH=/bin", "PATH=/usr/bin", "EMPTY=", "ODD"};
  EXPECT_EQ(value_of(environment, "PATH"), "/bin");
  EXPECT_EQ(value_of(environment, "EMPTY"), "");
  EXPECT_EQ(value_of(environment, "ODD"), std::nullopt);
  EXPECT_EQ(value_of(environment, "PAT"), std::nullopt);
}

Environment and_offline(Environment environment) {
  for (const char* entry : {"WANDB_MODE=offline", "NEPTUNE_MODE=offline", "COMET_START_ONLINE=0",
                            "CLEARML_OFFLINE_MODE=1", "SWANLAB_MODE=offline", "HF_HUB_DISABLE_TELEMETRY=1"}) {
    environment.emplace_back(entry);
  }
  return environment;
}

TEST(Environment, An_empty_environment_gets_everything_the_guests_need) {
  EXPECT_EQ(
      guest_environment({}, kSettings),
      and_offline({"LD_LIBRARY_PATH=/opt/dryfit/driver", "PATH=/opt/dryfit/driver/path:/usr/local/bin:/usr/bin:/bin",
                   "PYTHONPATH=/opt/dryfit/hooks", "TRITON_LIBCUDA_PATH=/opt/dryfit/driver",
                   "TORCHINDUCTOR_CACHE_DIR=/tmp/run/inductor", "DRYFIT_MACHINE=/tmp/run/machine.txt", "DRYFIT_STEPS=3",
                   "DRYFIT_HISTORY=1", "DRYFIT_EXPLAIN=1", "DRYFIT_UNKNOWN_SIZES=full"}));
}

TEST(Environment, A_profile_is_kept_off_the_gpu_and_gets_no_driver) {
  const auto result = profile_environment(
      {"HOME=/home", "PYTHONPATH=/c", "CUDA_VISIBLE_DEVICES=0", "DRYFIT_MACHINE=/m", "DRYFIT_BATCH=7"},
      {.hooks_directory = "/hooks",
       .directory = "/tmp/run",
       .steps = 2,
       .version = "1.0",
       .command = {"a \"b\"", "\n"}});
  EXPECT_EQ(result, and_offline({"HOME=/home", "PYTHONPATH=/hooks:/c", "CUDA_VISIBLE_DEVICES=", "TORCHDYNAMO_DISABLE=1",
                                 "KINETO_LOG_LEVEL=99", "DRYFIT_PROFILE=/tmp/run", "DRYFIT_STEPS=2",
                                 "DRYFIT_VERSION=1.0", R"(DRYFIT_COMMAND=["a \"b\"", "\u000a"])"}));
}

TEST(Environment, The_batch_of_a_profile_reaches_the_hooks) {
  const auto result = profile_environment({"KINETO_LOG_LEVEL=0"}, {.hooks_directory = "/hooks", .batch = 4});
  EXPECT_EQ(value_of(result, "DRYFIT_BATCH"), "4");
  EXPECT_EQ(value_of(result, "DRYFIT_STEPS"), "all");
  EXPECT_EQ(value_of(result, "KINETO_LOG_LEVEL"), "0");
}

TEST(Environment, Only_we_can_switch_counting_on) {
  auto counting = kSettings;
  counting.count_flops = true;
  EXPECT_EQ(value_of(guest_environment({}, counting), "DRYFIT_FLOPS"), "1");
  EXPECT_EQ(value_of(guest_environment({"DRYFIT_FLOPS=1"}, kSettings), "DRYFIT_FLOPS"), std::nullopt);
}

TEST(Environment, A_fraction_reaches_the_hooks_with_all_its_digits) {
  auto capped = kSettings;
  capped.memory_fraction = 0.1 + 0.2;
  EXPECT_EQ(value_of(guest_environment({}, capped), "DRYFIT_MEMORY_FRACTION"), "0.30000000000000004");
  EXPECT_EQ(value_of(guest_environment({"DRYFIT_MEMORY_FRACTION=1"}, kSettings), "DRYFIT_MEMORY_FRACTION"),
            std::nullopt);
}

TEST(Environment, The_search_paths_of_the_user_follow_ours) {
  const auto result = guest_environment({"LD_LIBRARY_PATH=/a:/b", "PYTHONPATH=/c"}, kSettings);
  EXPECT_EQ(value_of(result, "LD_LIBRARY_PATH"), "/opt/dryfit/driver:/a:/b");
  EXPECT_EQ(value_of(result, "PYTHONPATH"), "/opt/dryfit/hooks:/c");
  EXPECT_EQ(occurrences(result, "LD_LIBRARY_PATH"), 1);
  EXPECT_EQ(occurrences(result, "PYTHONPATH"), 1);
}

TEST(Environment, An_empty_search_path_does_not_add_the_working_directory) {
  const auto result = guest_environment({"LD_LIBRARY_PATH=", "PYTHONPATH="}, kSettings);
  EXPECT_EQ(value_of(result, "LD_LIBRARY_PATH"), "/opt/dryfit/driver");
  EXPECT_EQ(value_of(result, "PYTHONPATH"), "/opt/dryfit/hooks");
}

TEST(Environment, What_torch_compile_tunes_does_not_reach_the_cache_of_the_user) {
  const auto result = guest_environment({"TORCHINDUCTOR_CACHE_DIR=/home/user/tuned"}, kSettings);
  EXPECT_EQ(value_of(result, "TORCHINDUCTOR_CACHE_DIR"), "/tmp/run/inductor");
  EXPECT_EQ(occurrences(result, "TORCHINDUCTOR_CACHE_DIR"), 1);
}

TEST(Environment, Variables_that_hide_cards_are_removed) {
  const auto result = guest_environment(
      {"CUDA_VISIBLE_DEVICES=-1", "NVIDIA_VISIBLE_DEVICES=void", "CUDA_VISIBLE_DEVICES=MIG-1"}, kSettings);
  EXPECT_EQ(value_of(result, "CUDA_VISIBLE_DEVICES"), std::nullopt);
  EXPECT_EQ(value_of(result, "NVIDIA_VISIBLE_DEVICES"), std::nullopt);
}

TEST(Environment, Everything_else_keeps_its_value_and_order) {
  const Environment user{"HOME=/home/a", "LD_PRELOAD=/x.so", "PYTORCH_NVML_BASED_CUDA_CHECK=1", "ODD", "A=b=c"};
  const auto result = guest_environment(user, kSettings);
  ASSERT_GE(result.size(), user.size());
  EXPECT_TRUE(std::equal(user.begin(), user.end(), result.begin()));
}

TEST(Environment, Trackers_are_offline_unless_the_user_says_otherwise) {
  EXPECT_EQ(value_of(guest_environment({}, kSettings), "WANDB_MODE"), "offline");
  EXPECT_EQ(value_of(guest_environment({}, kSettings), "COMET_START_ONLINE"), "0");
  EXPECT_EQ(value_of(profile_environment({}, {}), "NEPTUNE_MODE"), "offline");
  const auto online = guest_environment({"WANDB_MODE=online"}, kSettings);
  EXPECT_EQ(value_of(online, "WANDB_MODE"), "online");
  EXPECT_EQ(occurrences(online, "WANDB_MODE"), 1);
}

TEST(Environment, Models_can_be_downloaded_although_trackers_are_offline) {
  EXPECT_EQ(value_of(guest_environment({}, kSettings), "HF_HUB_OFFLINE"), std::nullopt);
}

TEST(Environment, Settings_of_an_outer_run_do_not_reach_the_inner_one) {
  const auto result = guest_environment(
      {"DRYFIT_MACHINE=/outer", "DRYFIT_STEPS=9", "DRYFIT_KEEP_INIT=1", "DRYFIT_HISTORY=0"}, kSettings);
  EXPECT_EQ(value_of(result, "DRYFIT_MACHINE"), "/tmp/run/machine.txt");
  EXPECT_EQ(value_of(result, "DRYFIT_STEPS"), "3");
  EXPECT_EQ(value_of(result, "DRYFIT_KEEP_INIT"), std::nullopt);
  EXPECT_EQ(value_of(result, "DRYFIT_HISTORY"), "1");
}

TEST(Environment, A_path_for_Triton_that_the_user_set_is_kept) {
  const auto result = guest_environment({"TRITON_LIBCUDA_PATH=/mine"}, kSettings);
  EXPECT_EQ(value_of(result, "TRITON_LIBCUDA_PATH"), "/mine");
  EXPECT_EQ(occurrences(result, "TRITON_LIBCUDA_PATH"), 1);
}

TEST(Environment, The_options_are_spelt_as_the_hooks_read_them) {
  GuestSettings settings = kSettings;
  settings.steps = std::nullopt;
  settings.most_steps = 10;
  settings.until_text = "server is ready";
  settings.keep_initialisation = true;
  settings.memory_history = false;
  settings.explain = false;
  const auto result = guest_environment({}, settings);
  EXPECT_EQ(value_of(result, "DRYFIT_STEPS"), "all");
  EXPECT_EQ(value_of(result, "DRYFIT_MOST_STEPS"), "10");
  EXPECT_EQ(value_of(result, "DRYFIT_UNTIL"), "server is ready");
  EXPECT_EQ(value_of(result, "DRYFIT_KEEP_INIT"), "1");
  EXPECT_EQ(value_of(result, "DRYFIT_HISTORY"), "0");
  EXPECT_EQ(value_of(result, "DRYFIT_EXPLAIN"), std::nullopt);
}

TEST(ObservedEnvironment, Only_the_hooks_are_put_in_the_way) {
  const Environment user{"A=1", "PYTHONPATH=/own", "DRYFIT_OBSERVE=/old", "LD_LIBRARY_PATH=/lib"};
  EXPECT_EQ(observed_environment(user, "/hooks", "/notes"),
            (Environment{"A=1", "LD_LIBRARY_PATH=/lib", "PYTHONPATH=/hooks:/own", "DRYFIT_OBSERVE=/notes"}));
  EXPECT_EQ(observed_environment({}, "/hooks", "/notes"), (Environment{"PYTHONPATH=/hooks", "DRYFIT_OBSERVE=/notes"}));
}

TEST(Environment, Torchrun_gets_a_port_of_its_own_unless_the_user_chose_one) {
  auto settings = kSettings;
  EXPECT_EQ(value_of(guest_environment({}, settings), "PET_MASTER_PORT"), std::nullopt);
  settings.rendezvous_port = 40001;
  EXPECT_EQ(value_of(guest_environment({}, settings), "PET_MASTER_PORT"), "40001");
  EXPECT_EQ(value_of(guest_environment({"PET_MASTER_PORT=1234"}, settings), "PET_MASTER_PORT"), "1234");
}

}  // namespace
}  // namespace dryfit::launch
