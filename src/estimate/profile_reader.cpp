// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/profile_reader.h"

#include "estimate/event_parser.h"
#include "estimate/json_pieces.h"

namespace dryfit::estimate {
namespace {

constexpr std::uint64_t kEventsBetweenReports = 1u << 14;
constexpr const char* kHowToMake =
    "Make one with `dryfit profile -- python train.py`, or with torch.profiler.profile(profile_memory=True, "
    "record_shapes=True).";

class ProfileReader {
 public:
  ProfileReader(ByteSource& source, const Progress& progress)
      : source_(source), pieces_(source), progress_(progress), parser_(profile_) {
    profile_.inputs.id_of("");
  }

  Result<Profile> read(const std::string& name) {
    while (const auto piece = pieces_.next()) {
      if (piece->key == "traceEvents") {
        add_event(piece->text);
      } else if (piece->key == "dryfit") {
        auto metadata = parse_metadata(piece->text);
        if (!metadata) return Error{name + ": " + metadata.error().what, metadata.error().hint};
        profile_.metadata = std::move(metadata).value();
      }
    }
    if (!pieces_.is_trace()) {
      const auto why = pieces_.damage().empty() ? "it has no \"traceEvents\"" : pieces_.damage();
      return Error{"'" + name + "' is no trace of torch.profiler: " + why, kHowToMake};
    }
    profile_.damage = pieces_.damage();
    profile_.json_bytes = pieces_.position();
    if (profile_.memory.empty()) {
      const auto why = profile_.damage.empty() ? "" : " (" + profile_.damage + ")";
      return Error{"'" + name + "' tells nothing about memory: none of its " + std::to_string(profile_.events) +
                       " events is a [memory] event" + why,
                   kHowToMake};
    }
    return std::move(profile_);
  }

 private:
  void add_event(std::string_view text) {
    parser_.add(text);
    ++profile_.events;
    if (progress_ && profile_.events % kEventsBetweenReports == 0) progress_(source_.progress());
  }

  ByteSource& source_;
  JsonPieces pieces_;
  const Progress& progress_;
  Profile profile_;
  EventParser parser_;
};

}  // namespace

Result<Profile> read_profile(ByteSource& source, const std::string& name, const Progress& progress) {
  return ProfileReader(source, progress).read(name);
}

Result<Profile> read_profile(const std::filesystem::path& path, const Progress& progress) {
  auto source = open_file(path);
  if (!source) return source.error();
  return read_profile(**source, path.string(), progress);
}

}  // namespace dryfit::estimate
