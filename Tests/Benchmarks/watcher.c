/* The yardstick for memory: a C program that loads the Secret Service through libsecret and watches its default
 * collection for items created, changed and deleted, as an app without SharedAuth would. */
#include <libsecret/secret.h>
#include <stdio.h>

static void on_signal(GDBusProxy *proxy, const char *sender, const char *signal, GVariant *arguments, void *data)
{
    (void)proxy, (void)sender, (void)arguments, (void)data;
    printf("%s\n", signal);
    fflush(stdout);
}

int main(void)
{
    GError *error = NULL;
    SecretService *service =
        secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION | SECRET_SERVICE_LOAD_COLLECTIONS, NULL, &error);
    if (service == NULL) {
        fprintf(stderr, "watcher: %s\n", error->message);
        return 1;
    }
    SecretCollection *collection = secret_collection_for_alias_sync(
        service, SECRET_COLLECTION_DEFAULT, SECRET_COLLECTION_LOAD_ITEMS, NULL, &error);
    if (collection == NULL) {
        fprintf(stderr, "watcher: no default collection\n");
        return 1;
    }
    g_signal_connect(collection, "g-signal", G_CALLBACK(on_signal), NULL);
    printf("ready\n");
    fflush(stdout);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
    return 0;
}
