# SPDX-License-Identifier: Apache-2.0
# Installs for users of the package: the headers of include/parcast, the region API library (imported as
# parcast::region), the recorder and the command-line tool.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/parcast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/parcast-config-version.cmake COMPATIBILITY SameMajorVersion)
configure_package_config_file(cmake/parcast-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/parcast-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/parcast)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/parcast-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/parcast-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/parcast)
install(EXPORT parcast-targets NAMESPACE parcast:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/parcast)
