include(CMakeFindDependencyMacro)
find_dependency(SharedAuthQt6)
include("${CMAKE_CURRENT_LIST_DIR}/OfficeTargets.cmake")
