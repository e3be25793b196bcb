#pragma once

/* Wrappers for the parts of GLib that Swift cannot import: macros and variadic functions. This
   header is not installed. */

#include <gio/gio.h>

#include "sharedauth-glib.h"

/* The start of every instance of this library. The core is the Swift object that implements it. */
typedef struct {
  GObject parent_instance;
  gpointer core;
} SharedAuthInstance;

/* The instances of the final classes, which only this library knows. */
struct _SharedAuthUser
{
  GObject parent_instance;
  gpointer core;
};

struct _SharedAuthRequest
{
  GObject parent_instance;
  gpointer core;
};

struct _SharedAuthLocalProvider
{
  SharedAuthIdentityProvider parent_instance;
};

struct _SharedAuthOpenIDProvider
{
  SharedAuthIdentityProvider parent_instance;
};

struct _SharedAuthOAuthProvider
{
  SharedAuthIdentityProvider parent_instance;
};

struct _SharedAuthFirebaseProvider
{
  SharedAuthIdentityProvider parent_instance;
};

static inline GType
shared_auth_glue_object_type (void)
{
  return G_TYPE_OBJECT;
}

static inline gboolean
shared_auth_glue_is (gconstpointer instance, GType type)
{
  return instance != NULL && g_type_check_instance_is_a ((GTypeInstance *) instance, type);
}

static inline GType
shared_auth_glue_type_of (gconstpointer instance)
{
  return G_TYPE_FROM_INSTANCE (instance);
}

static inline GParamFlags
shared_auth_glue_readable (void)
{
  return G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY;
}

static inline GParamFlags
shared_auth_glue_construct_only (void)
{
  return G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY;
}

/* A construct-only property whose value changes later. */
static inline GParamFlags
shared_auth_glue_construct_only_notified (void)
{
  return G_PARAM_READWRITE | G_PARAM_CONSTRUCT_ONLY | G_PARAM_EXPLICIT_NOTIFY;
}

static inline GParamSpec *
shared_auth_glue_string (const char *name, GParamFlags flags)
{
  return g_param_spec_string (name, NULL, NULL, NULL, flags);
}

static inline GParamSpec *
shared_auth_glue_strings (const char *name, GParamFlags flags)
{
  return g_param_spec_boxed (name, NULL, NULL, G_TYPE_STRV, flags);
}

static inline GParamSpec *
shared_auth_glue_error (const char *name, GParamFlags flags)
{
  return g_param_spec_boxed (name, NULL, NULL, G_TYPE_ERROR, flags);
}

static inline GParamSpec *
shared_auth_glue_model (const char *name, GParamFlags flags)
{
  return g_param_spec_object (name, NULL, NULL, G_TYPE_LIST_MODEL, flags);
}

static inline GParamSpec *
shared_auth_glue_cancellable (const char *name, GParamFlags flags)
{
  return g_param_spec_object (name, NULL, NULL, G_TYPE_CANCELLABLE, flags);
}

/* Registers a signal without a return value, with one argument or, for G_TYPE_NONE, without one. */
static inline guint
shared_auth_glue_signal (const char *name, GType owner, GType argument)
{
  return argument == G_TYPE_NONE
    ? g_signal_new (name, owner, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0)
    : g_signal_new (name, owner, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, argument);
}

/* Registers a signal that passes an address, up to the first handler that returns TRUE. */
static inline guint
shared_auth_glue_address_signal (const char *name, GType owner)
{
  return g_signal_new (name, owner, G_SIGNAL_RUN_LAST, 0, g_signal_accumulator_true_handled, NULL,
                       NULL, G_TYPE_BOOLEAN, 1, G_TYPE_STRING);
}

static inline guint
shared_auth_glue_code_signal (const char *name, GType owner)
{
  return g_signal_new (name, owner, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 3,
                       G_TYPE_STRING, G_TYPE_STRING, G_TYPE_STRING);
}

static inline void
shared_auth_glue_emit (gpointer instance, guint signal, gpointer argument)
{
  g_signal_emit (instance, signal, 0, argument);
}

static inline gboolean
shared_auth_glue_emit_address (gpointer instance, guint signal, const char *address)
{
  gboolean is_opened = FALSE;
  g_signal_emit (instance, signal, 0, address, &is_opened);
  return is_opened;
}

static inline void
shared_auth_glue_emit_code (gpointer instance, guint signal, const char *code, const char *address,
                            const char *complete_address)
{
  g_signal_emit (instance, signal, 0, code, address, complete_address);
}

static inline gulong
shared_auth_glue_watch (GCancellable *cancellable, void (*cancelled) (GCancellable *, gpointer),
                        gpointer data, GDestroyNotify release)
{
  return g_cancellable_connect (cancellable, G_CALLBACK (cancelled), data, release);
}

static inline void
shared_auth_glue_log (GLogLevelFlags level, const char *text)
{
  g_log ("SharedAuth", level, "%s", text);
}

static inline GListModel *
shared_auth_glue_list (GListStore *store)
{
  return G_LIST_MODEL (store);
}

static inline GAsyncResult *
shared_auth_glue_result (GTask *task)
{
  return G_ASYNC_RESULT (task);
}
