#ifndef SHAREDAUTH_CLIBSECRET_SHIM_H
#define SHAREDAUTH_CLIBSECRET_SHIM_H

#include <gio/gio.h>
#include <libsecret/secret.h>

#endif
