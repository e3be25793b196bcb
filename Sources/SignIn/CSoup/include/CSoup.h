/* The libsoup 3 functions that SharedAuthHTTP and LoopbackServer use, loaded at run time without linking the library.
   Tests compile these declarations together with libsoup's (Tests/Suites/SharedAuthHTTPTests/Declarations). */
#ifndef SHAREDAUTH_CSOUP_H
#define SHAREDAUTH_CSOUP_H

#include <gio/gio.h>

/* Nullability is marked only where it adds to GLib's headers. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

typedef struct _SoupSession SoupSession;
typedef struct _SoupMessage SoupMessage;
typedef struct _SoupMessageHeaders SoupMessageHeaders;

typedef void (*CSoupHeaderFunction)(const char *name, const char *value, gpointer data);

/* libsoup's enumerations, which have the size of an unsigned int. */
typedef guint CSoupMessageFlags;
typedef guint CSoupStatus;
enum { CSOUP_MESSAGE_NO_REDIRECT = 1 << 1, CSOUP_MESSAGE_NEW_CONNECTION = 1 << 2 };
enum { CSOUP_SESSION_ERROR_PARSING = 0, CSOUP_SESSION_ERROR_ENCODING = 1 };

/* One ENTRY(result, name, parameters) for each function. */
#define CSOUP_FUNCTIONS(ENTRY) \
    ENTRY(GType, soup_session_get_type, (void)) \
    ENTRY(void, soup_session_set_proxy_resolver, (SoupSession *, GProxyResolver *)) \
    ENTRY(void, soup_session_abort, (SoupSession *)) \
    ENTRY(void, soup_session_send_async, \
        (SoupSession *, SoupMessage *, int, GCancellable *, GAsyncReadyCallback, gpointer)) \
    ENTRY(GInputStream *, soup_session_send_finish, (SoupSession *, GAsyncResult *, GError **)) \
    ENTRY(GQuark, soup_session_error_quark, (void)) \
    ENTRY(SoupMessage *, soup_message_new, (const char *, const char *)) \
    ENTRY(void, soup_message_set_flags, (SoupMessage *, CSoupMessageFlags)) \
    ENTRY(void, soup_message_set_request_body_from_bytes, (SoupMessage *, const char *, GBytes *)) \
    ENTRY(SoupMessageHeaders *, soup_message_get_request_headers, (SoupMessage *)) \
    ENTRY(SoupMessageHeaders *, soup_message_get_response_headers, (SoupMessage *)) \
    ENTRY(CSoupStatus, soup_message_get_status, (SoupMessage *)) \
    ENTRY(GTlsCertificateFlags, soup_message_get_tls_peer_certificate_errors, (SoupMessage *)) \
    ENTRY(void, soup_message_headers_append, (SoupMessageHeaders *, const char *, const char *)) \
    ENTRY(void, soup_message_headers_foreach, (SoupMessageHeaders *, CSoupHeaderFunction, gpointer))

/* Pointers to libsoup's functions, with their original names. */
typedef struct {
#define CSOUP_MEMBER(result, name, parameters) result (*_Nonnull name) parameters;
    CSOUP_FUNCTIONS(CSOUP_MEMBER)
#undef CSOUP_MEMBER
} CSoupFunctions;

typedef struct _SoupServer SoupServer;
typedef struct _SoupServerMessage SoupServerMessage;
/* libsoup's type is an unnamed structure, which cannot be declared twice. */
#ifdef SOUP_TYPE_MESSAGE_BODY
typedef SoupMessageBody CSoupMessageBody;
#else
typedef struct _CSoupMessageBody CSoupMessageBody;
#endif

typedef void (*CSoupServerFunction)(
    SoupServer *server, SoupServerMessage *message, const char *path, GHashTable *query, gpointer data);

typedef guint CSoupListenOptions;
typedef guint CSoupMemoryUse;
enum { CSOUP_MEMORY_COPY = 2 };

/* The functions of libsoup's server. */
#define CSOUP_SERVER_FUNCTIONS(ENTRY) \
    ENTRY(GType, soup_server_get_type, (void)) \
    ENTRY(gboolean, soup_server_listen_local, (SoupServer *, guint, CSoupListenOptions, GError **)) \
    ENTRY(GSList *, soup_server_get_uris, (SoupServer *)) \
    ENTRY(void, soup_server_disconnect, (SoupServer *)) \
    ENTRY(void, soup_server_add_handler, (SoupServer *, const char *, CSoupServerFunction, gpointer, GDestroyNotify)) \
    ENTRY(void, soup_server_add_early_handler, \
        (SoupServer *, const char *, CSoupServerFunction, gpointer, GDestroyNotify)) \
    ENTRY(void, soup_server_pause_message, (SoupServer *, SoupServerMessage *)) \
    ENTRY(void, soup_server_unpause_message, (SoupServer *, SoupServerMessage *)) \
    ENTRY(SoupMessageHeaders *, soup_server_message_get_request_headers, (SoupServerMessage *)) \
    ENTRY(SoupMessageHeaders *, soup_server_message_get_response_headers, (SoupServerMessage *)) \
    ENTRY(CSoupMessageBody *, soup_server_message_get_request_body, (SoupServerMessage *)) \
    ENTRY(const char *, soup_server_message_get_method, (SoupServerMessage *)) \
    ENTRY(GUri *, soup_server_message_get_uri, (SoupServerMessage *)) \
    ENTRY(const char *, soup_server_message_get_remote_host, (SoupServerMessage *)) \
    ENTRY(void, soup_server_message_set_status, (SoupServerMessage *, guint, const char *)) \
    ENTRY(void, soup_server_message_set_response, \
        (SoupServerMessage *, const char *, CSoupMemoryUse, const char *, gsize)) \
    ENTRY(GIOStream *, soup_server_message_steal_connection, (SoupServerMessage *)) \
    ENTRY(void, soup_message_body_set_accumulate, (CSoupMessageBody *, gboolean)) \
    ENTRY(GBytes *, soup_message_body_flatten, (CSoupMessageBody *)) \
    ENTRY(void, soup_message_headers_append, (SoupMessageHeaders *, const char *, const char *)) \
    ENTRY(void, soup_message_headers_remove, (SoupMessageHeaders *, const char *)) \
    ENTRY(void, soup_message_headers_foreach, (SoupMessageHeaders *, CSoupHeaderFunction, gpointer))

typedef struct {
#define CSOUP_MEMBER(result, name, parameters) result (*_Nonnull name) parameters;
    CSOUP_SERVER_FUNCTIONS(CSOUP_MEMBER)
#undef CSOUP_MEMBER
} CSoupServerFunctions;

typedef enum {
    CSOUP_LOADED,
    /* The process has loaded libsoup 2, and would abort if both were loaded. */
    CSOUP_OTHER_VERSION_LOADED,
    /* The library, or one of its dependencies, is missing. */
    CSOUP_MISSING,
    /* The library lacks a required function. */
    CSOUP_INCOMPLETE,
} CSoupOutcome;

/* Loads the library of this file name permanently, and returns its functions; NULL unless the outcome is CSOUP_LOADED.
   Call it on one thread at a time. */
const CSoupFunctions *_Nullable csoup_load(const char *_Nonnull library, CSoupOutcome *_Nonnull outcome);

/* Like csoup_load, for the server's functions; a process that only sends requests does not need them. */
const CSoupServerFunctions *_Nullable csoup_load_server(const char *_Nonnull library, CSoupOutcome *_Nonnull outcome);

/* Creates a session without cookies, cache or timeouts; its caller sets time limits. It trusts the given authorities,
   or the system's if NULL. */
SoupSession *_Nonnull csoup_session_new(const CSoupFunctions *_Nonnull functions, GTlsDatabase *_Nullable authorities);

/* Creates a server with this name in its Server header. It does not listen yet. */
SoupServer *_Nonnull csoup_server_new(const CSoupServerFunctions *_Nonnull functions, const char *_Nonnull name);

#pragma clang diagnostic pop

#endif
