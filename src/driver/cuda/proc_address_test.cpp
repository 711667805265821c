// SPDX-FileCopyrightText: The Dryfit authors
// SPDX-License-Identifier: Apache-2.0
// Every entry point that the public headers name can be had, by symbol and through cuGetProcAddress, in every version.
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "driver/cuda/testing.h"

namespace dryfit::driver {
namespace {

constexpr const char* kWindowsOnly = "cuWGLGetDevice";

std::string header(const char* name) {
  std::ifstream file(std::string(DRYFIT_CUDA_INCLUDE "/") + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::set<std::string> declared_functions(const char* name) {
  const std::string text = header(name);
  static const std::regex declaration(R"(CUresult\s+CUDAAPI\s+(cu[A-Z]\w*)\s*\()");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), declaration), end; it != end; ++it) names.insert((*it)[1]);
  return names;
}

/// name → the versions its typedefs list, in order.
std::map<std::string, std::set<int>> typedef_versions(const char* file) {
  const std::string text = header(file);
  static const std::regex type(R"(\*PFN_(cu\w+?)_v(\d+)\))");
  std::map<std::string, std::set<int>> versions;
  for (std::sregex_iterator it(text.begin(), text.end(), type), end; it != end; ++it) {
    versions[(*it)[1]].insert(std::stoi((*it)[2]));
  }
  return versions;
}

/// A process of its own for each test: the library stays loaded for the life of a process.
void with_library(const std::function<void(const Library&)>& body) {
  const TestMachine machine(Machine{.cards = {test_card()}});
  in_a_process([&] { body(Library()); });
}

TEST(ProcAddress, Every_function_of_the_headers_is_exported) {
  with_library([](const Library& library) {
    int functions = 0;
    for (const char* const file : {"cuda.h", "cudaGL.h", "cudaEGL.h"}) {
      for (const auto& name : declared_functions(file)) {
        if (name == kWindowsOnly) continue;
        EXPECT_NE(library.get<void()>(name.c_str()), nullptr) << name << " of " << file;
        ++functions;
      }
    }
    EXPECT_GT(functions, 550) << "the headers were read";
  });
}

TEST(ProcAddress, Every_version_of_every_function_resolves_to_its_own_symbol) {
  with_library([](const Library& library) {
    auto* const get = library.get<decltype(cuGetProcAddress_v2)>("cuGetProcAddress_v2");
    ASSERT_NE(get, nullptr);
    int resolved = 0;
    for (const char* const file :
         {"cudaTypedefs.h", "cudaGLTypedefs.h", "cudaEGLTypedefs.h", "cudaProfilerTypedefs.h"}) {
      for (const auto& [name, versions] : typedef_versions(file)) {
        if (name == kWindowsOnly) continue;
        int ordinal = 0;
        for (const int version : versions) {
          const std::string symbol = ++ordinal == 1 ? name : name + "_v" + std::to_string(ordinal);
          void* address = nullptr;
          CUdriverProcAddressQueryResult query{};
          EXPECT_EQ(get(name.c_str(), &address, version, 0, &query), CUDA_SUCCESS) << name << " " << version;
          EXPECT_EQ(query, CU_GET_PROC_ADDRESS_SUCCESS);
          EXPECT_EQ(address, reinterpret_cast<void*>(library.get<void()>(symbol.c_str()))) << symbol << " " << version;
          ++resolved;
        }
      }
    }
    EXPECT_GT(resolved, 550);
  });
}

TEST(ProcAddress, A_caller_older_than_a_function_gets_a_version_error) {
  with_library([](const Library& library) {
    void* address = &address;
    CUdriverProcAddressQueryResult query{};
    EXPECT_EQ(CALL(library, cuGetProcAddress_v2)("cuLibraryLoadData", &address, 11000, 0, &query),
              CUDA_ERROR_NOT_FOUND);
    EXPECT_EQ(query, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    EXPECT_EQ(address, nullptr);
  });
}

TEST(ProcAddress, An_unknown_or_empty_name_is_not_found) {
  with_library([](const Library& library) {
    for (const char* const name : {"cuFortyTwo", ""}) {
      void* address = nullptr;
      CUdriverProcAddressQueryResult query{};
      EXPECT_EQ(CALL(library, cuGetProcAddress_v2)(name, &address, 13000, 0, &query), CUDA_ERROR_NOT_FOUND);
      EXPECT_EQ(query, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    }
  });
}

TEST(ProcAddress, A_caller_gets_the_newest_version_it_was_built_for) {
  with_library([](const Library& library) {
    void* older = nullptr;
    void* newer = nullptr;
    CALL(library, cuGetProcAddress_v2)("cuStreamGetCaptureInfo", &older, 11030, 0, nullptr);
    CALL(library, cuGetProcAddress_v2)("cuStreamGetCaptureInfo", &newer, 12030, 0, nullptr);
    EXPECT_EQ(older, reinterpret_cast<void*>(library.get<void()>("cuStreamGetCaptureInfo_v2")));
    EXPECT_EQ(newer, reinterpret_cast<void*>(library.get<void()>("cuStreamGetCaptureInfo_v3")));
  });
}

TEST(ProcAddress, Every_result_has_a_name_and_a_description) {
  with_library([](const Library& library) {
    const char* text = nullptr;
    EXPECT_EQ(CALL(library, cuGetErrorName)(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
    EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_EQ(CALL(library, cuGetErrorString)(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
    EXPECT_STREQ(text, "out of memory");
    EXPECT_EQ(CALL(library, cuGetErrorName)(static_cast<CUresult>(123456), &text), CUDA_ERROR_INVALID_VALUE);
  });
}

}  // namespace
}  // namespace dryfit::driver
