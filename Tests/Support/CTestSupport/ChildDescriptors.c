#define _GNU_SOURCE
#include "CTestSupport.h"
#include <sys/syscall.h>
#include <unistd.h>

int csupport_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

// Glibc has a function for it from version 2.36 on.
int csupport_open_process(pid_t process) { return (int)syscall(SYS_pidfd_open, process, 0); }
