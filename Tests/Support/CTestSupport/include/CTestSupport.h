#pragma once

#include <spawn.h>

// Five tests run at the same time in a test program that this module is linked into, unless `swift test` is given
// another number.
//
// Tests of this package start keyrings and apps. If all tests began at the same time, a call could wait longer for a
// processor than a call of the keyring may take. A manifest cannot set the number, so the test program starts itself
// again with the option for it.

/// Adds the closing of all descriptors from this number on to the actions of a child process. Swift's Glibc lacks the
/// function for it.
int csupport_close_from(posix_spawn_file_actions_t *actions, int first);
