# libtorch out of the wheel of a Python environment, for training on the CPU. The wheel's own TorchConfig.cmake insists on
# a CUDA toolkit, and its libtorch.so loads a gigabyte of CUDA libraries, so only what the CPU needs is named here.
# The wheel must use the C++11 ABI of libstdc++: that of torch 2.6.0 does not, those since 2.7 do.
set(DRYFIT_TORCH "" CACHE PATH "The folder 'torch' of an installed wheel; empty: that of .venv/torch-latest")
if(NOT DRYFIT_TORCH)
  file(GLOB found_torch ${CMAKE_SOURCE_DIR}/.venv/torch-latest/lib/python3*/site-packages/torch)
else()
  set(found_torch ${DRYFIT_TORCH})
endif()
if(NOT EXISTS "${found_torch}/lib/libtorch_cpu.so")
  message(FATAL_ERROR "libtorch not found. Run `make venv-latest`, or set DRYFIT_TORCH to the folder 'torch' of a wheel.")
endif()
add_library(dryfit_torch INTERFACE)
target_include_directories(dryfit_torch SYSTEM INTERFACE ${found_torch}/include
                           ${found_torch}/include/torch/csrc/api/include)
set(dryfit_torch_libraries ${found_torch}/lib)
target_link_libraries(dryfit_torch INTERFACE ${dryfit_torch_libraries}/libtorch_cpu.so ${dryfit_torch_libraries}/libc10.so)
