#include "items.h"
#include <string.h>

static GPtrArray *items;
static GHashTable *calls;
static int made, asked;

guint items_count(void)
{
	return items ? items->len : 0;
}

struct item *items_at(guint index)
{
	return g_ptr_array_index(items, index);
}

struct item *items_find(const char *path)
{
	for (guint i = 0; i < items_count(); i++)
		if (!strcmp(items_at(i)->path, path))
			return items_at(i);
	return NULL;
}

void items_remove(const char *path)
{
	for (guint i = 0; i < items_count(); i++)
		if (!strcmp(items_at(i)->path, path))
			g_ptr_array_remove_index(items, i--);
}

gboolean item_has(struct item *item, GVariant *attributes)
{
	GVariantIter iterator;
	const char *key, *value, *own;
	g_variant_iter_init(&iterator, attributes);
	while (g_variant_iter_next(&iterator, "{&s&s}", &key, &value))
		if (!g_variant_lookup(item->attributes, key, "&s", &own) || strcmp(own, value))
			return FALSE;
	return TRUE;
}

void item_set_secret(struct item *item, GVariant *arguments, gsize index)
{
	GVariant *secret = g_variant_get_child_value(arguments, index);
	GVariant *value = g_variant_get_child_value(secret, 2);
	g_clear_pointer(&item->secret, g_bytes_unref);
	gsize size;
	gconstpointer bytes = g_variant_get_fixed_array(value, &size, 1);
	item->secret = g_bytes_new(bytes, size);
	g_variant_unref(value);
	g_variant_unref(secret);
}

struct item *items_put(GVariant *arguments, const char *maker, gboolean replaces, gboolean *is_new)
{
	GVariant *properties = g_variant_get_child_value(arguments, 0);
	GVariant *attributes =
		g_variant_lookup_value(properties, "org.freedesktop.Secret.Item.Attributes", G_VARIANT_TYPE("a{ss}"));
	struct item *item = NULL;
	for (guint i = 0; replaces && !item && i < items_count(); i++)
		if (item_has(items_at(i), attributes))
			item = items_at(i);
	*is_new = !item;
	if (!item) {
		item = g_new0(struct item, 1);
		item->path = g_strdup_printf("%s/%d", COLLECTION, ++made);
		if (!items)
			items = g_ptr_array_new();
		g_ptr_array_add(items, item);
	}
	g_free(item->label);
	item->label = NULL;
	g_variant_lookup(properties, "org.freedesktop.Secret.Item.Label", "s", &item->label);
	g_free(item->maker);
	item->maker = g_strdup(maker);
	item->attributes = attributes;
	item_set_secret(item, arguments, 1);
	g_variant_unref(properties);
	return item;
}

const char *items_keep_call(const char *kind, GVariant *arguments)
{
	if (!calls)
		calls = g_hash_table_new(g_str_hash, g_str_equal);
	char *path = g_strdup_printf("/org/freedesktop/secrets/prompt/%s%d", kind, ++asked);
	if (arguments)
		g_hash_table_insert(calls, path, g_variant_ref(arguments));
	return path;
}

GVariant *items_take_call(const char *prompt)
{
	return calls ? g_hash_table_lookup(calls, prompt) : NULL;
}
