// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#include "trace/text.h"

#include <cinttypes>
#include <cstdio>

#include "trace/codec.h"

namespace dryfit::trace {
namespace {

std::string seconds(Nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%" PRIu64 ".%09" PRIu64, time / 1'000'000'000, time % 1'000'000'000);
  return text;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      result += escaped;
    }
  }
  return result + '"';
}

/// One line, built field by field.
class Line {
 public:
  Line(std::string start, const Reader& reader) : text_(std::move(start)), reader_(reader) {}

  Line& kind(std::string_view name) { return put(" ", name); }
  Line& field(std::string_view key, std::int64_t value) { return put(key, std::to_string(value)); }
  Line& field(std::string_view key, std::uint64_t value) { return put(key, std::to_string(value)); }
  Line& field(std::string_view key, std::uint32_t value) { return put(key, std::to_string(value)); }
  Line& field(std::string_view key, Bytes size) { return put(key, std::to_string(size.count)); }
  Line& field(std::string_view key, NameId id) { return put(key, quoted(reader_.text(id))); }
  Line& field(std::string_view key, Purpose purpose) { return put(key, to_text(purpose)); }
  Line& field(std::string_view key, std::string_view text) { return put(key, quoted(text)); }
  Line& address(std::uint64_t address) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, address);
    return put(" address=", text);
  }
  std::string take() { return std::move(text_); }

 private:
  Line& put(std::string_view key, std::string_view value) {
    text_ += key;
    text_ += value;
    return *this;
  }

  std::string text_;
  const Reader& reader_;
};

void write(Line& line, const Name& e) { line.kind("name").field(" id=", number(e.id)).field(" text=", e.text); }

void write(Line& line, const Device& e) {
  line.kind("device").field(" ordinal=", e.ordinal).field(" total=", e.total).field(" card=", e.card);
}

void write(Line& line, const Allocate& e) {
  line.kind("allocate").field(" device=", e.device).field(" purpose=", e.purpose).address(e.address);
  line.field(" requested=", e.requested).field(" charged=", e.charged).field(" library=", e.library);
}

void write(Line& line, const Release& e) {
  line.kind("release").field(" device=", e.device).field(" purpose=", e.purpose).address(e.address);
  line.field(" charged=", e.charged);
}

void write(Line& line, const AllocateFailed& e) {
  line.kind("allocate_failed").field(" device=", e.device).field(" requested=", e.requested).field(" used=", e.used);
  line.field(" library=", e.library);
}

void write(Line& line, const ModuleLoaded& e) {
  line.kind("module_loaded").field(" id=", number(e.id)).field(" library=", e.library).field(" image=", e.image);
  line.field(" architecture=", e.architecture);
}

void write(Line& line, const KernelLoaded& e) {
  line.kind("kernel_loaded").field(" id=", number(e.id)).field(" module=", number(e.module)).field(" name=", e.name);
  line.field(" code=", e.code).field(" launches=", e.launches);
}

void write(Line& line, const Counter& e) {
  line.kind("counter").field(" name=", e.name).field(" count=", e.count).field(" bytes=", e.bytes);
}

void write(Line& line, const Phase& e) { line.kind("phase").field(" name=", e.name); }

void write(Line& line, const Step& e) { line.kind("step").field(" completed=", e.completed); }

void write(Line& line, const Note& e) { line.kind("note").field(" key=", e.key).field(" value=", e.value); }

void write(Line& line, const Value& e) {
  line.kind("value").field(" key=", e.key).field(" device=", std::int64_t{e.device}).field(" value=", e.value);
}

void write(Line& line, const OutOfMemory& e) {
  line.kind("out_of_memory").field(" device=", e.device).field(" requested=", e.requested);
  line.field(" device_free=", e.device_free);
}

void write(Line& line, const Assumed& e) {
  line.kind("assumed").field(" what=", e.what).field(" where=", e.where).field(" elements=", e.elements);
  line.field(" of=", e.of);
}

}  // namespace

std::string to_text(const Event& event, const Reader& reader) {
  Line line(seconds(event.time), reader);
  std::visit([&](const auto& payload) { write(line, payload); }, event.payload);
  return line.take();
}

std::string to_text(const Capture& capture) {
  std::string text = "trace version=" + std::to_string(capture.version) + " pid=" + std::to_string(capture.pid) +
                     " parent=" + std::to_string(capture.parent);
  text += capture.closed_cleanly ? " state=closed" : " state=open";
  if (capture.incomplete != Incomplete::no) text.append(" incomplete=").append(to_text(capture.incomplete));
  if (capture.dropped > 0) text += " dropped=" + std::to_string(capture.dropped);
  return text;
}

std::string_view to_text(Incomplete reason) {
  switch (reason) {
    case Incomplete::no:
      return "no";
    case Incomplete::disk_full:
      return "disk_full";
    case Incomplete::file_size_limit:
      return "file_size_limit";
    case Incomplete::address_space:
      return "address_space";
    case Incomplete::input_output:
      return "input_output";
    case Incomplete::out_of_memory:
      return "out_of_memory";
  }
  return "unknown";
}

std::string_view to_text(Purpose purpose) {
  switch (purpose) {
    case Purpose::allocation:
      return "allocation";
    case Purpose::physical:
      return "physical";
    case Purpose::pool:
      return "pool";
    case Purpose::context:
      return "context";
    case Purpose::code:
      return "code";
  }
  return "unknown";
}

}  // namespace dryfit::trace
