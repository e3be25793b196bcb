# Defines the target SharedAuthQt::SharedAuthQt and, with COMPONENTS Qml, the target SharedAuthQt::Qml.
#
#     find_package(SharedAuthQt REQUIRED)
#     target_link_libraries(app PRIVATE SharedAuthQt::SharedAuthQt)
#
# The code is in headers. Each target is a static library that contains moc's output for them, compiled with the
# project's version of Qt.
include(CMakeFindDependencyMacro)
find_dependency(Qt6 6.2 COMPONENTS Core)
if("Qml" IN_LIST SharedAuthQt_FIND_COMPONENTS)
    find_dependency(Qt6 6.2 COMPONENTS Qml)
endif()
find_dependency(PkgConfig)

# The GObject library is installed below the same prefix, or in a directory that pkg-config searches.
get_filename_component(_sharedauth_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(NOT TARGET PkgConfig::SharedAuthGLib)
    set(_sharedauth_former "$ENV{PKG_CONFIG_PATH}")
    set(ENV{PKG_CONFIG_PATH} "${_sharedauth_prefix}/lib/pkgconfig:${_sharedauth_former}")
    pkg_check_modules(SharedAuthGLib QUIET IMPORTED_TARGET GLOBAL sharedauth-glib-1)
    set(ENV{PKG_CONFIG_PATH} "${_sharedauth_former}")
endif()
if(NOT TARGET PkgConfig::SharedAuthGLib)
    set(SharedAuthQt_FOUND FALSE)
    set(SharedAuthQt_NOT_FOUND_MESSAGE "pkg-config does not find sharedauth-glib-1, the GObject library of SharedAuth.")
    return()
endif()

function(_sharedauth_add name)
    if(TARGET SharedAuthQt::${name})
        return()
    endif()
    cmake_parse_arguments(PARSE_ARGV 1 "" "" "" "HEADERS;LIBRARIES")
    set(target ${name})
    if(NOT name STREQUAL "SharedAuthQt")
        set(target SharedAuthQt${name})
    endif()
    list(TRANSFORM _HEADERS PREPEND "${_sharedauth_prefix}/include/SharedAuthQt/")
    add_library(${target} STATIC EXCLUDE_FROM_ALL ${_HEADERS})
    add_library(SharedAuthQt::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES AUTOMOC ON LINKER_LANGUAGE CXX POSITION_INDEPENDENT_CODE ON)
    target_compile_features(${target} PUBLIC cxx_std_17)
    target_include_directories(${target} SYSTEM PUBLIC "${_sharedauth_prefix}/include")
    target_link_libraries(${target} PUBLIC ${_LIBRARIES})
endfunction()

_sharedauth_add(SharedAuthQt
    HEADERS Accounts.h AuthError.h BrowserProviders.h Call.h GLib.h IdentityProvider.h Request.h
        Session.h SessionCalls.h SessionOptions.h User.h
    LIBRARIES Qt6::Core PkgConfig::SharedAuthGLib)
if("Qml" IN_LIST SharedAuthQt_FIND_COMPONENTS)
    _sharedauth_add(Qml HEADERS Qml.h LIBRARIES SharedAuthQt Qt6::Qml)
endif()
