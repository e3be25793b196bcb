#define _GNU_SOURCE
#include "CSoup.h"

#include <dlfcn.h>
#include <gmodule.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

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

/* Loads the library of this name from the directory of GLib, with GLib's function for modules.

   The constructor of libsoup before 3.7 calls that function, which waits for the lock of GLib's modules, while dlopen
   holds the dynamic linker's. A thread that loads another module, such as GTK's, takes these locks in the other order,
   and both wait for ever; so this takes them in the order of that thread. It passes a whole path, because GLib's
   function looks for a bare name in the working directory, too. */
static void load_as_module(const char *name) {
    __typeof__(g_module_open) *open = dlsym(RTLD_DEFAULT, "g_module_open");
    __typeof__(g_module_make_resident) *keep = dlsym(RTLD_DEFAULT, "g_module_make_resident");
    Dl_info glib;
    if (open == NULL || keep == NULL || dladdr((void *)open, &glib) == 0 || glib.dli_fname[0] != '/') return;
    char path[PATH_MAX];
    int directory = (int)(strrchr(glib.dli_fname, '/') - glib.dli_fname);
    int length = snprintf(path, sizeof path, "%.*s/%s", directory, glib.dli_fname, name);
    if (length >= (int)sizeof path || !g_file_test(path, G_FILE_TEST_IS_REGULAR)) return;
    GModule *module = open(path, G_MODULE_BIND_LOCAL);
    if (module != NULL) keep(module);
}

static void *load(const char *name, CSoupOutcome *outcome) {
    *outcome = CSOUP_OTHER_VERSION_LOADED;
    if (has_libsoup_2()) return NULL;
    *outcome = CSOUP_MISSING;
    /* The library registers GObject types, so it must never be unloaded. */
    int mode = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;
    void *loaded = dlopen(name, mode | RTLD_NOLOAD);
    if (loaded != NULL) return loaded;
    load_as_module(name);
    return dlopen(name, mode);
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
