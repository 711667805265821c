// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "slurm_script.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/temporary_folder.h"
#include "captured.h"

namespace dryfit::cli {
namespace {

TEST(SlurmScript, It_requests_what_the_user_wants) {
  const SlurmArray array{.tasks = 8,
                         .folder = "/data/jobs.jsonl.slurm",
                         .working_directory = "/home/me",
                         .command = {"/bin/dryfit", "harvest", "--grid", "/data/share-%task%.json"}};
  const SlurmRequest request{.cpus = 4, .partition = "cpu", .time = "2:00:00", .arguments = {"--mem=8G", "--qos=low"}};
  EXPECT_EQ(script_text(array, request),
            "#!/bin/sh\n"
            "#SBATCH '--job-name=dryfit-harvest'\n"
            "#SBATCH '--array=0-7'\n"
            "#SBATCH '--cpus-per-task=4'\n"
            "#SBATCH '--output=/data/jobs.jsonl.slurm/task-%a.log'\n"
            "#SBATCH '--open-mode=append'\n"
            "#SBATCH '--chdir=/home/me'\n"
            "#SBATCH '--partition=cpu'\n"
            "#SBATCH '--time=2:00:00'\n"
            "#SBATCH '--mem=8G'\n"
            "#SBATCH '--qos=low'\n"
            "exec '/bin/dryfit' 'harvest' '--grid' '/data/share-'\"$SLURM_ARRAY_TASK_ID\"'.json'\n");
}

TEST(SlurmScript, What_the_user_leaves_open_is_up_to_the_site) {
  const auto text = script_text({.tasks = 1, .folder = "/f", .working_directory = "/", .command = {"true"}}, {});
  EXPECT_EQ(text.find("--partition"), std::string::npos);
  EXPECT_EQ(text.find("--time"), std::string::npos);
  EXPECT_NE(text.find("--array=0-0"), std::string::npos);
}

TEST(SlurmScript, Names_with_anything_in_them_reach_the_command) {
  const TemporaryFolder folder;
  const auto script = folder / "script.sh";
  std::ofstream(script) << script_text({.tasks = 1,
                                        .folder = "/a %b's",
                                        .working_directory = "/",
                                        .command = {"printf", "%s|", "it's $HOME", "x-%task%-%task%", "\"`id`\""}},
                                       {});
  ::setenv("SLURM_ARRAY_TASK_ID", "3", 1);
  const auto ran = run_captured({"sh", script.string()});
  ::unsetenv("SLURM_ARRAY_TASK_ID");
  EXPECT_EQ(ran->output, "it's $HOME|x-3-3|\"`id`\"|");
  EXPECT_NE(script_text({.tasks = 1, .folder = "/a %b", .working_directory = "/", .command = {}}, {}).find("/a %%b/"),
            std::string::npos);
}

}  // namespace
}  // namespace dryfit::cli
