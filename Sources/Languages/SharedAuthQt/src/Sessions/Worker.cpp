#include "Worker.h"

#include <glib.h>

#include <QSemaphore>

#include <memory>

namespace SharedAuth::Worker {

static gpointer iterate(gpointer context)
{
    g_main_context_push_thread_default(static_cast<GMainContext *>(context));
    while (true)
        g_main_context_iteration(static_cast<GMainContext *>(context), TRUE);
}

static GMainContext *context()
{
    static GMainContext *const started = [] {
        GMainContext *made = g_main_context_new();
        g_thread_unref(g_thread_new("SharedAuthQt", iterate, made));
        return made;
    }();
    return started;
}

void post(std::function<void()> function)
{
    const auto call = +[](gpointer data) -> gboolean {
        (*static_cast<std::function<void()> *>(data))();
        return G_SOURCE_REMOVE;
    };
    const auto destroy = +[](gpointer data) { delete static_cast<std::function<void()> *>(data); };
    GSource *source = g_idle_source_new();
    g_source_set_priority(source, G_PRIORITY_DEFAULT);
    g_source_set_callback(source, call, new std::function<void()>(std::move(function)), destroy);
    g_source_attach(source, context());
    g_source_unref(source);
}

void run(const std::function<void()> &function)
{
    QSemaphore done;
    post([&] {
        function();
        done.release();
    });
    done.acquire();
}

} // namespace SharedAuth::Worker
