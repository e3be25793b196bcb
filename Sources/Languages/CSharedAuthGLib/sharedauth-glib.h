#pragma once

/* Shares the signed-in user between apps that use GLib: in C and, by introspection, in Python,
   JavaScript, Vala and other languages. */

#include "shared-auth-error.h"
#include "shared-auth-provider.h"
#include "shared-auth-request.h"
#include "shared-auth-session.h"
#include "shared-auth-session-sign-in.h"
#include "shared-auth-session-users.h"
#include "shared-auth-user.h"
