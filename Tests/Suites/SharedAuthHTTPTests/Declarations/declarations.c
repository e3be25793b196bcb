/* Compiled by DeclarationTests. Fails if a declaration of CSoup differs from libsoup's own header. */
#define SOUP_VERSION_MIN_REQUIRED SOUP_VERSION_3_0
#include <libsoup/soup.h>

#include "CSoup.h"

#define SAME(result, name, parameters) \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) parameters), #name " is declared otherwise");
CSOUP_FUNCTIONS(SAME)
CSOUP_SERVER_FUNCTIONS(SAME)

#ifdef WRONG_DECLARATION
SAME(int, soup_session_abort, (SoupSession *))
#endif

_Static_assert((int)CSOUP_MESSAGE_NO_REDIRECT == (int)SOUP_MESSAGE_NO_REDIRECT, "NO_REDIRECT has another value");
_Static_assert((int)CSOUP_MESSAGE_NEW_CONNECTION == (int)SOUP_MESSAGE_NEW_CONNECTION, "NEW_CONNECTION has another value");
_Static_assert((int)CSOUP_SESSION_ERROR_PARSING == (int)SOUP_SESSION_ERROR_PARSING, "PARSING has another value");
_Static_assert((int)CSOUP_SESSION_ERROR_ENCODING == (int)SOUP_SESSION_ERROR_ENCODING, "ENCODING has another value");
_Static_assert((int)CSOUP_MEMORY_COPY == (int)SOUP_MEMORY_COPY, "MEMORY_COPY has another value");
