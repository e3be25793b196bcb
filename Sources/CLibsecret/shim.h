#ifndef SHAREDAUTH_CLIBSECRET_SHIM_H
#define SHAREDAUTH_CLIBSECRET_SHIM_H

#include <gio/gio.h>
#include <libsecret/secret.h>
#include <sys/types.h>

/* statfs, which Swift's Glibc leaves out. */
#include <sys/vfs.h>

/* unistd.h declares it for _GNU_SOURCE only, which Swift's importer does not define. */
extern pid_t gettid(void);

/* Of glib-unix.h, which as a whole would make this module the owner of types of the C library's. */
extern GSource *g_unix_fd_source_new(gint fd, GIOCondition condition);

/* libdispatch's, for run loops other than its own; Foundation's is one. On Linux the handle is an eventfd. */
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

/* glibc's header has it for GNU's dialect of C alone. */
extern char *_Nullable secure_getenv(const char *_Nonnull name);

#endif
