// The items of the one collection, and calls that wait for their prompt.
#ifndef ITEMS_H
#define ITEMS_H

#include <gio/gio.h>

#define COLLECTION "/org/freedesktop/secrets/collection/scripted"
// One that a client may have made; no item goes there.
#define MADE "/org/freedesktop/secrets/collection/made"

struct item {
	char *path, *label, *maker;
	GVariant *attributes;
	GBytes *secret;
	gboolean is_shown;
};

guint items_count(void);
struct item *items_at(guint index);
struct item *items_find(const char *path);
void items_remove(const char *path);
gboolean item_has(struct item *item, GVariant *attributes);

// Takes the bytes from the secret among a call's arguments.
void item_set_secret(struct item *item, GVariant *arguments, gsize index);

// Carries the arguments of CreateItem out; whatever has at least the attributes is replaced, if asked for.
struct item *items_put(GVariant *arguments, const char *maker, gboolean replaces, gboolean *is_new);

// Keeps a call until its prompt, whose path is returned, completes.
const char *items_keep_call(const char *kind, GVariant *arguments);
GVariant *items_take_call(const char *prompt);

#endif
