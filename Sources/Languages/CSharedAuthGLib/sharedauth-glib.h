#pragma once

/* Shares the signed-in user between apps that use GLib: in C and, by introspection, in Python,
   JavaScript, Vala and other languages. */

#define SHARED_AUTH_GLIB_INSIDE
#include "shared-auth-blocking-calls.h"
#include "shared-auth-custom-provider.h"
#include "shared-auth-error.h"
#include "shared-auth-firebase-provider.h"
#include "shared-auth-oauth-provider-properties.h"
#include "shared-auth-oauth-provider.h"
#include "shared-auth-openid-provider.h"
#include "shared-auth-provider.h"
#include "shared-auth-request.h"
#include "shared-auth-session-enums.h"
#include "shared-auth-session-options.h"
#include "shared-auth-session-sign-in.h"
#include "shared-auth-session-users.h"
#include "shared-auth-session.h"
#include "shared-auth-user-calls.h"
#include "shared-auth-user.h"
#include "shared-auth-version.h"
#undef SHARED_AUTH_GLIB_INSIDE
