#define _GNU_SOURCE
#include "CTestSupport.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/// Waits until the process is killed, at most ten minutes.
static void wait_for_end(void) {
    alarm(600);
    for (;;) pause();
}

pid_t csupport_fork(void) {
    pid_t child = fork();
    if (child == 0) wait_for_end();
    return child;
}

int csupport_run_forked(int (*function)(void)) {
    pid_t child = fork();
    if (child == 0) {
        alarm(600);
        _exit(function());
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
    return WEXITSTATUS(status);
}

pid_t csupport_fork_heir(const char *path, pid_t *parent) {
    int channel[2];
    if (pipe2(channel, O_CLOEXEC) != 0) return -1;
    // The grandchild becomes this process's child when its parent ends.
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    *parent = fork();
    if (*parent == 0) {
        int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (file < 0 || flock(file, LOCK_EX) != 0) _exit(1);
        pid_t heir = fork();
        if (heir == 0) wait_for_end();
        _exit(write(channel[1], &heir, sizeof heir) == sizeof heir ? 0 : 1);
    }
    close(channel[1]);
    pid_t heir = -1;
    if (read(channel[0], &heir, sizeof heir) != sizeof heir) heir = -1;
    close(channel[0]);
    waitpid(*parent, NULL, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 0);
    return heir;
}
