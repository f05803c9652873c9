# SPDX-License-Identifier: Apache-2.0
# SOCI has no CMake configuration of its own. Defines SOCI::core and SOCI::sqlite3 and, with COMPONENTS
# postgresql, SOCI::postgresql.
#
#   find_package(SOCI 4.0 REQUIRED COMPONENTS sqlite3)
find_path(SOCI_INCLUDE_DIR soci/soci.h)
find_library(SOCI_core_LIBRARY soci_core)
mark_as_advanced(SOCI_INCLUDE_DIR SOCI_core_LIBRARY)

if(SOCI_INCLUDE_DIR)
  file(STRINGS ${SOCI_INCLUDE_DIR}/soci/version.h soci_version_line REGEX "define SOCI_LIB_VERSION \"")
  string(REGEX REPLACE ".*\"([0-9_]+)\".*" "\\1" SOCI_VERSION "${soci_version_line}")
  string(REPLACE "_" "." SOCI_VERSION "${SOCI_VERSION}")
  unset(soci_version_line)
endif()

# The back ends include the header of their database.
set(soci_header_sqlite3 sqlite3.h)
set(soci_header_postgresql libpq-fe.h)
foreach(backend IN LISTS SOCI_FIND_COMPONENTS)
  find_library(SOCI_${backend}_LIBRARY soci_${backend})
  find_path(SOCI_${backend}_INCLUDE_DIR ${soci_header_${backend}} PATH_SUFFIXES ${backend})
  mark_as_advanced(SOCI_${backend}_LIBRARY SOCI_${backend}_INCLUDE_DIR)
  if(SOCI_${backend}_LIBRARY AND SOCI_${backend}_INCLUDE_DIR)
    set(SOCI_${backend}_FOUND TRUE)
  endif()
endforeach()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(SOCI REQUIRED_VARS SOCI_core_LIBRARY SOCI_INCLUDE_DIR
  VERSION_VAR SOCI_VERSION HANDLE_COMPONENTS)

if(SOCI_FOUND AND NOT TARGET SOCI::core)
  add_library(SOCI::core UNKNOWN IMPORTED)
  set_target_properties(SOCI::core PROPERTIES IMPORTED_LOCATION ${SOCI_core_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${SOCI_INCLUDE_DIR})
endif()
foreach(backend IN LISTS SOCI_FIND_COMPONENTS)
  if(SOCI_${backend}_FOUND AND NOT TARGET SOCI::${backend})
    add_library(SOCI::${backend} UNKNOWN IMPORTED)
    set_target_properties(SOCI::${backend} PROPERTIES IMPORTED_LOCATION ${SOCI_${backend}_LIBRARY}
      INTERFACE_INCLUDE_DIRECTORIES ${SOCI_${backend}_INCLUDE_DIR} INTERFACE_LINK_LIBRARIES SOCI::core)
  endif()
endforeach()
unset(soci_header_sqlite3)
unset(soci_header_postgresql)
