#ifndef SHAREDAUTH_CLIBPQ_SHIM_H
#define SHAREDAUTH_CLIBPQ_SHIM_H

#include <libpq-fe.h>

#endif
