/* The smallest app in C on the GObject library, as BenchmarkApp is in Swift.
 *
 *     glib read ID            prints the current user's uid, and ends
 *     glib listen ID GROUP    prints the time in nanoseconds at each announcement
 *     glib write ID GROUP     for each line of input, prints the time, and signs a guest in or the user out
 */
#include <sharedauth-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static GMainLoop *loop;

static void print_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    printf("%lld\n", time.tv_sec * 1000000000LL + time.tv_nsec);
    fflush(stdout);
}

static void fail(GError *error)
{
    fprintf(stderr, "glib: %s\n", error->message);
    exit(1);
}

static void print_user(SharedAuthSession *session, SharedAuthUser *user)
{
    (void)session;
    if (user == NULL)
        exit(1);
    printf("%s\n", shared_auth_user_get_uid(user));
    g_main_loop_quit(loop);
}

static void next_round(SharedAuthSession *session);

static void signed_in(GObject *object, GAsyncResult *result, gpointer data)
{
    GError *error = NULL;
    SharedAuthSession *session = SHARED_AUTH_SESSION(object);
    g_autoptr(SharedAuthUser) user = shared_auth_session_sign_in_anonymously_finish(session, result, &error);
    (void)data;
    if (user == NULL)
        fail(error);
    next_round(session);
}

static void signed_out(GObject *object, GAsyncResult *result, gpointer data)
{
    GError *error = NULL;
    SharedAuthSession *session = SHARED_AUTH_SESSION(object);
    (void)data;
    if (!shared_auth_session_sign_out_finish(session, result, &error))
        fail(error);
    next_round(session);
}

static gboolean has_user(SharedAuthSession *session)
{
    g_autoptr(SharedAuthUser) user = NULL;
    g_object_get(session, "user", &user, NULL);
    return user != NULL;
}

static void next_round(SharedAuthSession *session)
{
    char line[8];
    if (fgets(line, sizeof line, stdin) == NULL) {
        g_main_loop_quit(loop);
        return;
    }
    print_time();
    if (has_user(session))
        shared_auth_session_sign_out_async(session, NULL, signed_out, NULL);
    else
        shared_auth_session_sign_in_anonymously_async(session, NULL, signed_in, NULL);
}

static void joined(GObject *object, GAsyncResult *result, gpointer data)
{
    GError *error = NULL;
    SharedAuthSession *session = SHARED_AUTH_SESSION(object);
    if (!shared_auth_session_use_access_group_finish(session, result, &error))
        fail(error);
    if (strcmp(data, "write") == 0) {
        next_round(session);
        return;
    }
    /* The group's user was announced, or is announced next: one line in either case. */
    if (has_user(session))
        print_time();
    g_signal_connect(session, "announced", G_CALLBACK(print_time), NULL);
}

int main(int argc, char **argv)
{
    g_autoptr(SharedAuthLocalProvider) provider = NULL;
    g_autoptr(SharedAuthSession) session = NULL;
    if (argc < 3)
        return 64;
    loop = g_main_loop_new(NULL, FALSE);
    if (strcmp(argv[1], "write") == 0)
        provider = shared_auth_local_provider_new();
    session = shared_auth_session_new(argv[2], (SharedAuthIdentityProvider *)provider);
    if (argc == 3)
        g_signal_connect(session, "announced", G_CALLBACK(print_user), NULL);
    else
        shared_auth_session_use_access_group_async(session, argv[3], NULL, joined, argv[1]);
    g_main_loop_run(loop);
    return 0;
}
