// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "estimate/profile_reader.h"

#include "estimate/event_parser.h"
#include "estimate/json_pieces.h"
#include "estimate/recording.h"

namespace dryfit::estimate {
namespace {

constexpr std::uint64_t kEventsBetweenReports = 1u << 14;
constexpr const char* kHowToMake =
    "Make one with `dryfit profile -- python train.py`, or with torch.profiler.profile(profile_memory=True, "
    "record_shapes=True).";

/// Reads into a profile. After each event it calls `after_event`, which may take what has been read so far.
template <class AfterEvent>
class ProfileReader {
 public:
  ProfileReader(ByteSource& source, Profile& profile, const Progress& progress, AfterEvent after_event)
      : source_(source),
        pieces_(source),
        progress_(progress),
        profile_(profile),
        parser_(profile),
        after_event_(after_event) {
    profile_.inputs.id_of("");
  }

  Status read(const std::string& name) {
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
      return Error{"'" + name + "' is not a torch.profiler trace: " + why, kHowToMake};
    }
    if (!pieces_.damage().empty()) profile_.damage = pieces_.damage();
    profile_.json_bytes = pieces_.position();
    if (!has_memory_) {
      const auto why = profile_.damage.empty() ? "" : " (" + profile_.damage + ")";
      return Error{"'" + name + "' contains no memory data: none of its " + std::to_string(profile_.events) +
                       " events is a [memory] event" + why,
                   kHowToMake};
    }
    return {};
  }

 private:
  void add_event(std::string_view text) {
    parser_.add(text);
    ++profile_.events;
    has_memory_ = has_memory_ || !profile_.memory.empty();
    after_event_();
    if (progress_ && profile_.events % kEventsBetweenReports == 0) progress_(source_.progress());
  }

  ByteSource& source_;
  JsonPieces pieces_;
  const Progress& progress_;
  Profile& profile_;
  EventParser parser_;
  AfterEvent after_event_;
  bool has_memory_ = false;
};

}  // namespace

Result<Profile> read_profile(ByteSource& source, const std::string& name, const Progress& progress) {
  Profile profile;
  const auto status = ProfileReader(source, profile, progress, [] {}).read(name);
  if (!status) return status.error();
  return profile;
}

Result<Recording> read_recording(ByteSource& source, const std::string& name, const Progress& progress) {
  Recording recording{Profile{}};
  const auto status = ProfileReader(source, recording.profile(), progress, [&] { recording.drain(); }).read(name);
  if (!status) return status.error();
  return recording;
}

Result<Profile> read_profile(const std::filesystem::path& path, const Progress& progress) {
  auto source = open_file(path);
  if (!source) return source.error();
  return read_profile(**source, path.string(), progress);
}

Result<Recording> read_recording(const std::filesystem::path& path, const Progress& progress) {
  auto source = open_file(path);
  if (!source) return source.error();
  return read_recording(**source, path.string(), progress);
}

}  // namespace dryfit::estimate
