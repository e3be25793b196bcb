/* The yardstick: an app that uses libsecret directly.
 *
 *     libsecret serve SIZE    for each line "lookup N" or "store N": does it N times, with a secret of SIZE bytes, and
 *                             prints the nanoseconds of each
 *     libsecret read          looks the item up once, as a program that was just started
 *     libsecret watch         loads the default collection and prints a line for each signal of it
 */
#include <libsecret/secret.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const SecretSchema schema = {
    "org.example.Yardstick", SECRET_SCHEMA_NONE, {{"account", SECRET_SCHEMA_ATTRIBUTE_STRING}, {NULL, 0}}};

static long long now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int fail(const char *what, GError *error)
{
    fprintf(stderr, "libsecret: %s: %s\n", what, error ? error->message : "not there");
    return 1;
}

static GHashTable *attributes(void)
{
    return secret_attributes_build(&schema, "account", "bench", NULL);
}

static int serve(size_t size)
{
    GError *error = NULL;
    SecretService *service = secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, NULL, &error);
    if (service == NULL)
        return fail("no service", error);
    char *text = g_malloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\0';
    GHashTable *query = attributes();
    char verb[16];
    int count;
    while (scanf("%15s %d", verb, &count) == 2) {
        for (int i = 0; i < count; i++) {
            long long start = now();
            if (strcmp(verb, "store") == 0) {
                SecretValue *value = secret_value_new(text, -1, "text/plain");
                if (!secret_service_store_sync(
                        service, &schema, query, SECRET_COLLECTION_DEFAULT, "bench", value, NULL, &error))
                    return fail("store", error);
                secret_value_unref(value);
            } else {
                SecretValue *value = secret_service_lookup_sync(service, &schema, query, NULL, &error);
                if (value == NULL)
                    return fail("lookup", error);
                secret_value_unref(value);
            }
            printf("%lld ", now() - start);
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}

static int read_once(void)
{
    GError *error = NULL;
    GHashTable *query = attributes();
    char *text = secret_password_lookupv_sync(&schema, query, NULL, &error);
    if (text == NULL)
        return fail("lookup", error);
    printf("%zu\n", strlen(text));
    secret_password_free(text);
    return 0;
}

static void on_signal(GDBusProxy *proxy, const char *sender, const char *signal, GVariant *arguments, void *data)
{
    (void)proxy, (void)sender, (void)arguments, (void)data;
    printf("%s\n", signal);
    fflush(stdout);
}

static int watch(void)
{
    GError *error = NULL;
    SecretService *service =
        secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION | SECRET_SERVICE_LOAD_COLLECTIONS, NULL, &error);
    if (service == NULL)
        return fail("no service", error);
    SecretCollection *collection = secret_collection_for_alias_sync(
        service, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_LOAD_ITEMS, NULL, &error);
    if (collection == NULL)
        return fail("no default collection", error);
    g_signal_connect(collection, "g-signal", G_CALLBACK(on_signal), NULL);
    printf("ready\n");
    fflush(stdout);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
    return 0;
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    if (strcmp(verb, "serve") == 0 && argc == 3)
        return serve(strtoul(argv[2], NULL, 10));
    if (strcmp(verb, "read") == 0)
        return read_once();
    if (strcmp(verb, "watch") == 0)
        return watch();
    fprintf(stderr, "usage: libsecret serve SIZE | read | watch\n");
    return 64;
}
