#pragma once

#include <spawn.h>
#include <sys/types.h>

// Five tests run at the same time in a test program that this module is linked into, unless `swift test` is given
// another number.
//
// Tests of this package start keyrings and apps. If all tests began at the same time, a call could wait longer for a
// processor than a call of the keyring may take. A manifest cannot set the number, so the test program starts itself
// again with the option for it.

/// Adds the closing of all descriptors from this number on to the actions of a child process. Swift's Glibc lacks the
/// function for it.
int csupport_close_from(posix_spawn_file_actions_t *actions, int first);

/// Opens a descriptor of a child process that is not reaped yet; -1 after a failure. waitid can wait for it, and never
/// means another process that has the same id later.
int csupport_open_process(pid_t process);

/// Forks a child that shares the open files of this process and does nothing. Returns its process ID. Kill it, and wait
/// for it.
pid_t csupport_fork(void);

/// Forks a child that runs a function, at most ten minutes. Returns the function's result, or -1 if the child has not
/// ended by itself.
int csupport_run_forked(int (*function)(void));

/// Forks a process that locks a file, forks a child and ends. Returns the process ID of the child, which has the lock
/// then; -1 after a failure. Kill it.
pid_t csupport_fork_heir(const char *path, pid_t *parent);
