#define _GNU_SOURCE
#include "CDesktopSupport.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>

int cdesktop_timer_create(void) { return timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC); }

void cdesktop_timer_set(int timer, int64_t nanoseconds) {
    struct itimerspec due = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
    timerfd_settime(timer, 0, &due, NULL);
}

int cdesktop_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

const char *cdesktop_own_file(void) {
    Dl_info place;
    return dladdr((const void *)&cdesktop_own_file, &place) ? place.dli_fname : NULL;
}
