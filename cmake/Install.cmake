# One layout everywhere, found by the executable relative to itself:
#   bin/dryfit   lib/dryfit/libcuda.so.1, libnvidia-ml.so.1, path/nvidia-smi   share/dryfit/cards, share/dryfit/hooks, share/dryfit/models
# `make build` installs it into build/<preset>/stage, a wheel into the package's folder. The developers' tools are a component
# of their own, because they are built with the tests.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME product)
install(TARGETS dryfit_cli RUNTIME DESTINATION bin)
install(TARGETS dryfit_smi RUNTIME DESTINATION lib/dryfit/path)
if(NOT SKBUILD)
  install(TARGETS dryfit_evaluate dryfit_oracle dryfit_train_compute RUNTIME DESTINATION bin COMPONENT developer)
endif()
if(DRYFIT_TRAINING)
  install(TARGETS dryfit_train RUNTIME DESTINATION bin COMPONENT training)
endif()
# The one library that Debian has only as a shared one goes along, in a folder that no other program looks into.
find_package(simdjson REQUIRED)
install(FILES $<TARGET_FILE:simdjson::simdjson> DESTINATION lib/dryfit/command
        RENAME $<TARGET_SONAME_FILE_NAME:simdjson::simdjson>)
set_target_properties(dryfit_cli PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/dryfit/command")
install(TARGETS dryfit_cuda dryfit_nvml LIBRARY DESTINATION lib/dryfit NAMELINK_SKIP)
install(DIRECTORY cards DESTINATION share/dryfit FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY data/convolutions DESTINATION share/dryfit FILES_MATCHING PATTERN "*.csv")
install(DIRECTORY models DESTINATION share/dryfit FILES_MATCHING PATTERN "*.dryfit-model" PATTERN "*.jsonl")
install(DIRECTORY python/dryfit/hooks DESTINATION share/dryfit
        FILES_MATCHING PATTERN "*.py" PATTERN "grid.toml" PATTERN __pycache__ EXCLUDE)

# Programs that link against the driver (Triton's launchers) look for libcuda.so. A wheel cannot hold a link, and a second
# copy would be a second driver, so there it is a linker script.
if(SKBUILD)
  file(WRITE ${CMAKE_BINARY_DIR}/libcuda.so "INPUT(libcuda.so.1)\n")
  install(FILES ${CMAKE_BINARY_DIR}/libcuda.so DESTINATION lib/dryfit)
else()
  install(CODE [[file(CREATE_LINK libcuda.so.1 "${CMAKE_INSTALL_PREFIX}/lib/dryfit/libcuda.so" SYMBOLIC)]])
endif()
