# SPDX-License-Identifier: Apache-2.0
# Installs for users of the package: the headers of include/parcast, the region API library (imported as
# parcast::region), the recorder, the command-line tool and its man pages.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/parcast DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/parcast-config-version.cmake
  COMPATIBILITY SameMajorVersion)
configure_package_config_file(cmake/parcast-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/parcast-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/parcast)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/parcast-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/parcast-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/parcast)
install(EXPORT parcast-targets NAMESPACE parcast:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/parcast)

# Man pages, written from the help of the program that was built.
if(TARGET parcast)
  find_package(Python3 REQUIRED COMPONENTS Interpreter)
  set(man ${PROJECT_BINARY_DIR}/share/man/man1)
  add_custom_command(OUTPUT ${man}/parcast.1
    COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/manual man --bin $<TARGET_FILE_DIR:parcast>
      --to ${man}
    DEPENDS parcast ${PROJECT_SOURCE_DIR}/tools/manual)
  add_custom_target(parcast_man ALL DEPENDS ${man}/parcast.1)
  install(DIRECTORY ${man}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
