# The public CUDA and NVML headers, for their types. They come from the vendor's own packages (nvidia-cuda-runtime,
# nvidia-nvml-dev) and are never part of this repository. Unless DRYFIT_CUDA_INCLUDE names their folder they are looked
# for in build/headers (`make headers`), then in the packages of the Python that builds: an isolated wheel build has
# them there, because pyproject.toml requires them, in a folder that is another one each time. So nothing is cached.
set(DRYFIT_CUDA_INCLUDE "" CACHE PATH "Folder with cuda.h, cudaTypedefs.h and nvml.h; empty: look for it")
if(NOT DRYFIT_CUDA_INCLUDE)
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_FOUND)
    execute_process(
      COMMAND ${Python3_EXECUTABLE} -c "import sys; print(';'.join(p + '/nvidia/cu13/include' for p in sys.path if p))"
      OUTPUT_VARIABLE python_paths OUTPUT_STRIP_TRAILING_WHITESPACE)
  endif()
  find_path(found_cuda_include cuda.h NO_CACHE NO_DEFAULT_PATH
            PATHS ${CMAKE_SOURCE_DIR}/build/headers/nvidia/cu13/include ${python_paths})
  set(DRYFIT_CUDA_INCLUDE "${found_cuda_include}")
endif()
if(NOT EXISTS "${DRYFIT_CUDA_INCLUDE}/cuda.h" OR NOT EXISTS "${DRYFIT_CUDA_INCLUDE}/nvml.h")
  message(FATAL_ERROR "cuda.h and nvml.h not found. Run `make headers`, or set DRYFIT_CUDA_INCLUDE to the folder that holds them.")
endif()
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE ${DRYFIT_CUDA_INCLUDE})
