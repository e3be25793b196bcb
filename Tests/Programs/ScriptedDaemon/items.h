// The items of the single collection, and the calls that wait for their prompt.
#ifndef ITEMS_H
#define ITEMS_H

#include <gio/gio.h>

#define COLLECTION "/org/freedesktop/secrets/collection/scripted"
// A collection that a client may have created; it never holds items.
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

// Sets the bytes of an item from the secret in a call's arguments.
void item_set_secret(struct item *item, GVariant *arguments, gsize index);

// Carries out CreateItem. If `replaces` is true, replaces an item that has at least these attributes.
struct item *items_put(GVariant *arguments, const char *maker, gboolean replaces, gboolean *is_new);

// Keeps a call until its prompt completes. Returns the path of the prompt.
const char *items_keep_call(const char *kind, GVariant *arguments);
GVariant *items_take_call(const char *prompt);

#endif
