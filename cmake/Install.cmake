# One layout everywhere, found by the executable relative to itself:
#   bin/dryfit   lib/dryfit/libcuda.so.1, libnvidia-ml.so.1   share/dryfit/cards, share/dryfit/hooks
# `make build` installs it into build/<preset>/stage, a wheel into the package's folder.
install(TARGETS dryfit_cli RUNTIME DESTINATION bin)
install(TARGETS dryfit_cuda dryfit_nvml LIBRARY DESTINATION lib/dryfit NAMELINK_SKIP)
install(DIRECTORY cards DESTINATION share/dryfit FILES_MATCHING PATTERN "*.toml")
install(DIRECTORY python/dryfit/hooks DESTINATION share/dryfit FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
