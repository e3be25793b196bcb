/* The order in which a process meets GObject's types, and system calls that Swift cannot see. */
#ifndef SHAREDAUTH_CDESKTOPSUPPORT_H
#define SHAREDAUTH_CDESKTOPSUPPORT_H

#include <stdint.h>

/* Registers GTask, unless it is registered. Call it before libsoup makes its classes, outside a class initializer.
   It starts GLib's worker thread. */
void cdesktop_register_task(void);

/* Creates a timer of the clock that cannot be set and that continues while the machine is suspended. Returns its
   descriptor, or -1. */
int cdesktop_timer_create(void);

/* Has a read of the timer return after so many nanoseconds; with 0, not at all. */
void cdesktop_timer_set(int timer, int64_t nanoseconds);

/* Accepts a connection that does not block and is closed by exec, from its first moment on. Returns its descriptor, or
   -1. */
int cdesktop_accept(int listener);

/* Returns the path of the library or program that has this code, as it was loaded; NULL if that is unknown. */
const char *cdesktop_own_file(void);

#endif
