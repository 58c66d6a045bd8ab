# SPDX-License-Identifier: Apache-2.0
# Runs the portfile, with as much of vcpkg as this one asks for.
#
# usage: cmake -DPORT_FOLDER=FOLDER -DTARBALL=FILE -DWORK=FOLDER -DSOURCES=FOLDER -DLINKAGE=static|dynamic -P port.cmake
cmake_minimum_required(VERSION 3.21)
set(PORT npu-partition)
set(TARGET_TRIPLET x64-linux)
set(VCPKG_LIBRARY_LINKAGE ${LINKAGE})
set(VCPKG_CONCURRENCY 2)
set(CURRENT_PACKAGES_DIR "${WORK}/packages")
set(CURRENT_INSTALLED_DIR "${WORK}/installed")
set(CURRENT_HOST_INSTALLED_DIR "${WORK}/host")
foreach(tool protoc=protobuf protoc-gen-c=protobuf-c)
    string(REPLACE = ";" pair ${tool})
    list(GET pair 0 name)
    list(GET pair 1 folder)
    find_program(found_${name} ${name} REQUIRED)
    file(MAKE_DIRECTORY "${CURRENT_HOST_INSTALLED_DIR}/tools/${folder}")
    file(CREATE_LINK "${found_${name}}" "${CURRENT_HOST_INSTALLED_DIR}/tools/${folder}/${name}" SYMBOLIC)
endforeach()

# The checksum that stands in the port is the file's.
function(vcpkg_download_distfile out)
    cmake_parse_arguments(PARSE_ARGV 1 is "" "FILENAME;SHA512" "URLS")
    file(SHA512 "${TARBALL}" sum)
    if(NOT sum STREQUAL is_SHA512 OR NOT is_URLS MATCHES "/${is_FILENAME}$")
        message(FATAL_ERROR "port: ${is_FILENAME} is not the file of its checksum or address")
    endif()
    set(${out} "${TARBALL}" PARENT_SCOPE)
endfunction()

# Into one folder for both kinds of library, so that it is built once.
function(vcpkg_extract_source_archive out)
    cmake_parse_arguments(PARSE_ARGV 1 is "" "ARCHIVE" "")
    if(NOT EXISTS "${SOURCES}")
        file(ARCHIVE_EXTRACT INPUT "${is_ARCHIVE}" DESTINATION "${SOURCES}")
    endif()
    file(GLOB folders "${SOURCES}/*")
    list(GET folders 0 first)
    set(${out} "${first}" PARENT_SCOPE)
endfunction()

function(vcpkg_execute_required_process)
    cmake_parse_arguments(PARSE_ARGV 0 is "" "WORKING_DIRECTORY;LOGNAME" "COMMAND")
    execute_process(COMMAND ${is_COMMAND} WORKING_DIRECTORY "${is_WORKING_DIRECTORY}" OUTPUT_QUIET
        COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(vcpkg_copy_tools)
    cmake_parse_arguments(PARSE_ARGV 0 is "AUTO_CLEAN" "" "TOOL_NAMES")
    foreach(name ${is_TOOL_NAMES})
        file(COPY "${CURRENT_PACKAGES_DIR}/bin/${name}" DESTINATION "${CURRENT_PACKAGES_DIR}/tools/${PORT}")
    endforeach()
    file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/bin")
endfunction()

function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS "${CURRENT_PACKAGES_DIR}/lib/pkgconfig/npu-partition.pc")
        message(FATAL_ERROR "port: no file for pkg-config")
    endif()
endfunction()

function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 is "" "" "FILE_LIST")
    file(COPY_FILE ${is_FILE_LIST} "${CURRENT_PACKAGES_DIR}/share/${PORT}/copyright")
endfunction()

include("${PORT_FOLDER}/portfile.cmake")
