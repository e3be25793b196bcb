#pragma once

#include "Accounts.h"
#include "AuthError.h"
#include "BrowserProvider.h"
#include "IdentityProvider.h"
#include "OAuthProvider.h"
#include "OpenIdProvider.h"
#include "Request.h"
#include "Result.h"
#include "Session.h"
#include "SessionOptions.h"
#include "User.h"
