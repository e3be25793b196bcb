#ifndef SHAREDAUTH_CGLIBSECRET_SHIM_H
#define SHAREDAUTH_CGLIBSECRET_SHIM_H

#include <gio/gio.h>
#include <libintl.h>
#include <libsecret/secret.h>
#include <sys/types.h>

/* statfs, which Swift's Glibc module omits. */
#include <sys/vfs.h>

/* unistd.h declares gettid only with _GNU_SOURCE, which Swift's importer does not define. */
extern pid_t gettid(void);

/* From glib-unix.h; including all of it would make this module the owner of C library types. */
extern GSource *g_unix_fd_source_new(gint fd, GIOCondition condition);

/* From libdispatch, for other run loops, such as Foundation's. On Linux the handle is an eventfd. */
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

/* glibc's header declares secure_getenv only for the GNU dialect of C. */
extern char *_Nullable secure_getenv(const char *_Nonnull name);

#endif
