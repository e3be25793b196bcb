#define _GNU_SOURCE
#include "CSoup.h"

#include <dlfcn.h>

/* Each libsoup version aborts on loading if it finds the other. Only libsoup 2 has soup_uri_new; the symbol also
   reveals a statically linked copy. */
static int has_libsoup_2(void) {
    void *library = dlopen("libsoup-2.4.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL) {
        dlclose(library);
        return 1;
    }
    return dlsym(RTLD_DEFAULT, "soup_uri_new") != NULL;
}

static void *load(const char *name, CSoupOutcome *outcome) {
    *outcome = CSOUP_OTHER_VERSION_LOADED;
    if (has_libsoup_2()) return NULL;
    *outcome = CSOUP_MISSING;
    /* The library registers GObject types, so it must never be unloaded. */
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

#define LOOK_UP(result, name, parameters) \
    functions.name = (result (*) parameters)dlsym(library, #name); \
    if (functions.name == NULL) return NULL;

const CSoupFunctions *csoup_load(const char *name, CSoupOutcome *outcome) {
    static CSoupFunctions functions;
    void *library = load(name, outcome);
    if (library == NULL) return NULL;
    *outcome = CSOUP_INCOMPLETE;
    CSOUP_FUNCTIONS(LOOK_UP)
    *outcome = CSOUP_LOADED;
    return &functions;
}

const CSoupServerFunctions *csoup_load_server(const char *name, CSoupOutcome *outcome) {
    static CSoupServerFunctions functions;
    void *library = load(name, outcome);
    if (library == NULL) return NULL;
    *outcome = CSOUP_INCOMPLETE;
    CSOUP_SERVER_FUNCTIONS(LOOK_UP)
    *outcome = CSOUP_LOADED;
    return &functions;
}

SoupSession *csoup_session_new(const CSoupFunctions *functions, GTlsDatabase *authorities) {
    /* With libsoup's default limits, 10 connections and 2 per host, a request would wait for others that hang. */
    SoupSession *session = g_object_new(functions->soup_session_get_type(), "max-conns", 128, "max-conns-per-host", 32,
                                        "timeout", 0, "user-agent", "SharedAuth", NULL);
    if (authorities != NULL) g_object_set(session, "tls-database", authorities, NULL);
    return session;
}

SoupServer *csoup_server_new(const CSoupServerFunctions *functions, const char *name) {
    return g_object_new(functions->soup_server_get_type(), "server-header", name, NULL);
}
