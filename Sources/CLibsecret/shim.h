#ifndef SHAREDAUTH_CLIBSECRET_SHIM_H
#define SHAREDAUTH_CLIBSECRET_SHIM_H

#include <gio/gio.h>
#include <libsecret/secret.h>
#include <sys/types.h>

/* unistd.h declares it for _GNU_SOURCE only, which Swift's importer does not define. */
extern pid_t gettid(void);

#endif
