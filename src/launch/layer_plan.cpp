// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "launch/layer_plan.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <optional>

namespace dryfit::launch {
namespace {

namespace fs = std::filesystem;
using Kind = LayerStep::Kind;

/// Devices, sockets, locks and the kernel's own files: what is written there is no file of the user's.
constexpr std::array<const char*, 4> kNeverCovered = {"/dev", "/proc", "/run", "/sys"};

bool is_never_covered(const fs::path& path) {
  return std::ranges::any_of(kNeverCovered, [&](const char* folder) { return is_within(path, folder); });
}

bool is_real_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::directory;
}

bool is_mount(const fs::path& path, const LayerGround& ground) {
  return std::ranges::find(ground.mounts, path, &MountPoint::path) != ground.mounts.end();
}

bool is_to_be_covered(const MountPoint& mount) {
  return holds_files(mount) && !mount.read_only && is_real_folder(mount.path) && !is_never_covered(mount.path);
}

class Planner {
 public:
  explicit Planner(const LayerGround& ground) : ground_(ground) {}

  void add(LayerStep step) { plan_.steps.push_back(std::move(step)); }

  void keep_folders() {
    for (const auto& folder : ground_.kept) add({.kind = Kind::open_kept, .from = folder});
  }

  /// Volatile: what is thrown away need not reach the disk. Else the end of each run would wait for the disk to take what
  /// everybody has written to it.
  void cover(const fs::path& folder, const fs::path& at, std::string_view style, bool freeze_instead) {
    const auto place = ground_.scratch / std::to_string(plan_.covered.size());
    const auto upper = place / "changes";
    if (!make(upper) || !make(place / "work") || !make(place / "through")) return;
    if (const auto status = imitate(folder, upper); !status) return fail(status.error());
    const bool is_around = is_around_scratch(folder);
    add({.kind = is_around ? Kind::cover_through : Kind::cover,
         .at = at,
         .from = folder,
         .options = std::string(style) + ",volatile,lowerdir=.,upperdir=" + upper.string() +
                    ",workdir=" + (place / "work").string(),
         .through = place / "through",
         .empty = empty(),
         .freeze_instead = freeze_instead && !is_around});
    plan_.covered.push_back({folder, upper});
  }

  void begin(LayerStep own_namespace) {
    add(std::move(own_namespace));
    add({.kind = Kind::part_mounts});
    make(empty());
    add({.kind = Kind::empty_folder, .at = empty()});
    keep_folders();
  }

  void prepare(const fs::path& target, bool below) {
    for (const auto& covered : plan_.covered) {
      if (is_within(target, covered.folder)) prepare_foreign_folders(covered, target, below);
    }
  }

  /// `root`: where the layer's root is now.
  void restore_kept_and_hide_scratch(const fs::path& root) {
    add({.kind = Kind::empty_folder, .at = below(root, ground_.scratch)});
    for (const auto& folder : ground_.kept) add({.kind = Kind::restore_kept, .at = below(root, folder)});
  }

  Result<LayerPlan> done() && {
    add({.kind = Kind::change_folder, .at = ground_.working_directory});
    if (error_) return *error_;
    return std::move(plan_);
  }

  static fs::path below(const fs::path& root, const fs::path& path) { return root / path.relative_path(); }

  fs::path new_root() {
    const auto root = ground_.scratch / "root";
    make(root);
    return root;
  }

 private:
  /// In the same mount; what is mounted in the folder is not part of an overlay over it.
  bool is_around_scratch(const fs::path& folder) const {
    const auto is_between = [&](const MountPoint& mount) {
      return mount.path != folder && is_within(mount.path, folder) && is_within(ground_.scratch, mount.path);
    };
    return is_within(ground_.scratch, folder) && std::ranges::none_of(ground_.mounts, is_between);
  }

  fs::path empty() const { return ground_.scratch / "empty"; }

  bool make(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) fail({"cannot create '" + folder.string() + "': " + error.message(), ""});
    return !error;
  }

  void fail(const Error& error) {
    if (!error_) error_ = error;
  }

  const LayerGround& ground_;
  LayerPlan plan_;
  std::optional<Error> error_;
};

/// Folders of the user's that can hold something to write to, in the order in which they are covered.
class Coverage {
 public:
  explicit Coverage(const LayerGround& ground) : ground_(ground) {
    for (const auto& mount : ground.mounts) {
      if (!holds_files(mount) || is_never_covered(mount.path)) continue;
      std::error_code unreachable;
      if (fs::is_regular_file(mount.path, unreachable)) frozen_files_.push_back(mount.path);
      if (is_to_be_covered(mount)) visit(mount.path);
    }
    // Once it is covered, the scratch folder can't be reached any more.
    std::ranges::stable_partition(covered_, [&](const auto& folder) { return !is_within(ground.scratch, folder); });
  }

  const std::vector<fs::path>& covered() const { return covered_; }
  const std::vector<fs::path>& frozen() const { return frozen_; }
  const std::vector<fs::path>& frozen_files() const { return frozen_files_; }

 private:
  void visit(const fs::path& folder) {
    if (folder == ground_.scratch || ::access(folder.c_str(), X_OK) != 0) return;
    if (!is_split(folder)) return covered_.push_back(folder);
    if (::access(folder.c_str(), W_OK) == 0) frozen_.push_back(folder);
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      const auto& path = entry->path();
      if (is_real_folder(path) && !is_mount(path, ground_) && !is_never_covered(path)) visit(path);
    }
  }

  bool is_split(const fs::path& folder) const {
    return has_mount_below(folder, ground_.mounts) ||
           std::ranges::any_of(kNeverCovered, [&](const char* never) { return is_within(never, folder); });
  }

  const LayerGround& ground_;
  std::vector<fs::path> covered_;
  std::vector<fs::path> frozen_;
  std::vector<fs::path> frozen_files_;
};

std::string only_own(unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; }

/// What is mounted below /dev comes with /dev.
bool comes_with_its_folder(const fs::path& path) {
  return is_never_covered(path) && std::ranges::find(kNeverCovered, path) == kNeverCovered.end();
}

/// At its place below the new root.
void plan_mount(const MountPoint& mount, const fs::path& root, Planner& planner) {
  const auto at = Planner::below(root, mount.path);
  if (is_to_be_covered(mount)) return planner.cover(mount.path, at, "redirect_dir=on", mount.path != "/");
  planner.add({.kind = Kind::bind, .at = at, .from = mount.path});
  if (!is_real_folder(mount.path)) planner.add({.kind = Kind::freeze, .at = at});
}

}  // namespace

Result<LayerPlan> plan_with_privileges(const LayerGround& ground) {
  Planner planner(ground);
  planner.begin({.kind = Kind::own_mounts});
  const auto root = planner.new_root();
  for (const auto& mount : ground.mounts) {
    std::error_code hidden;
    const bool is_there = fs::exists(fs::symlink_status(mount.path, hidden));
    if (is_there && !comes_with_its_folder(mount.path)) plan_mount(mount, root, planner);
  }
  for (const char* folder : kNeverCovered) {
    if (is_mount(folder, ground) || !is_real_folder(folder)) continue;
    planner.add({.kind = Kind::bind, .at = Planner::below(root, folder), .from = folder});
  }
  planner.restore_kept_and_hide_scratch(root);
  planner.add({.kind = Kind::change_root, .at = root});
  return std::move(planner).done();
}

Result<LayerPlan> plan_without_privileges(const LayerGround& ground) {
  Planner planner(ground);
  planner.begin({.kind = Kind::own_user, .from = only_own(::geteuid()), .options = only_own(::getegid())});
  const Coverage coverage(ground);
  for (const auto& file : coverage.frozen_files()) planner.add({.kind = Kind::freeze, .at = file});
  for (const auto& folder : coverage.frozen()) planner.add({.kind = Kind::freeze_folder, .at = folder});
  for (const auto& folder : coverage.covered()) {
    planner.cover(folder, folder, "userxattr", !is_within(ground.working_directory, folder));
  }
  for (const auto& folder : ground.likely) planner.prepare(folder, false);
  planner.prepare(ground.working_directory, true);
  planner.restore_kept_and_hide_scratch("/");
  return std::move(planner).done();
}

}  // namespace dryfit::launch
