// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "trace/events.h"
#include "trace/format.h"

/// Events to bytes and back, in pairs. The text of a wire::Name is handled by the writer and the reader.
namespace dryfit::trace {

template <class Id>
constexpr std::uint32_t number(Id id) {
  return static_cast<std::uint32_t>(id);
}

inline wire::Device to_wire(const Device& e) { return {e.ordinal, number(e.card), e.total.count}; }
inline Device from_wire(const wire::Device& w) { return {w.ordinal, {w.total}, NameId{w.card}}; }

inline wire::Allocate to_wire(const Allocate& e) {
  return {e.device, number(e.purpose), e.address, e.requested.count, e.charged.count, number(e.library), 0};
}
inline Allocate from_wire(const wire::Allocate& w) {
  return {w.device, Purpose(w.purpose), w.address, {w.requested}, {w.charged}, NameId{w.library}};
}

inline wire::Release to_wire(const Release& e) { return {e.device, number(e.purpose), e.address, e.charged.count}; }
inline Release from_wire(const wire::Release& w) { return {w.device, Purpose(w.purpose), w.address, {w.charged}}; }

inline wire::AllocateFailed to_wire(const AllocateFailed& e) {
  return {e.device, number(e.library), e.requested.count, e.used.count};
}
inline AllocateFailed from_wire(const wire::AllocateFailed& w) {
  return {w.device, {w.requested}, {w.used}, NameId{w.library}};
}

inline wire::ModuleLoaded to_wire(const ModuleLoaded& e) {
  return {number(e.id), number(e.library), e.image.count, e.architecture, 0};
}
inline ModuleLoaded from_wire(const wire::ModuleLoaded& w) {
  return {ModuleId{w.id}, NameId{w.library}, {w.image}, w.architecture};
}

inline wire::KernelLoaded to_wire(const KernelLoaded& e) {
  return {number(e.id), number(e.module), number(e.name), 0, e.code.count, e.launches};
}
inline KernelLoaded from_wire(const wire::KernelLoaded& w) {
  return {KernelId{w.id}, ModuleId{w.module}, NameId{w.name}, {w.code}, w.launches};
}

inline wire::Counter to_wire(const Counter& e) { return {number(e.name), 0, e.count, e.bytes.count}; }
inline Counter from_wire(const wire::Counter& w) { return {NameId{w.name}, w.count, {w.bytes}}; }

inline wire::Phase to_wire(const Phase& e) { return {number(e.name), 0}; }
inline Phase from_wire(const wire::Phase& w) { return {NameId{w.name}}; }

inline wire::Step to_wire(const Step& e) { return {e.completed}; }
inline Step from_wire(const wire::Step& w) { return {w.completed}; }

inline wire::Note to_wire(const Note& e) { return {number(e.key), number(e.value)}; }
inline Note from_wire(const wire::Note& w) { return {NameId{w.key}, NameId{w.value}}; }

inline wire::Value to_wire(const Value& e) { return {number(e.key), e.device, e.value}; }
inline Value from_wire(const wire::Value& w) { return {NameId{w.key}, w.device, w.value}; }

inline wire::OutOfMemory to_wire(const OutOfMemory& e) { return {e.device, 0, e.requested.count, e.device_free.count}; }
inline OutOfMemory from_wire(const wire::OutOfMemory& w) { return {w.device, {w.requested}, {w.device_free}}; }

inline wire::Assumed to_wire(const Assumed& e) { return {number(e.what), number(e.where), e.elements, e.of}; }
inline Assumed from_wire(const wire::Assumed& w) { return {NameId{w.what}, NameId{w.where}, w.elements, w.of}; }

}  // namespace dryfit::trace
