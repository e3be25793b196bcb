// A small Secret Service in memory that follows a script.
//
// The words on its command line set its behavior from the start:
//     prompts=OUTCOME     creating (also a second collection), deleting and unlocking take a prompt, which ends with:
//                         complete, dismiss, twice (it completes two times), silent (it never completes) or vanish (the
//                         daemon exits)
//     silent=METHOD       never replies to calls of this method; silent1= replies only to the first call
//     error=METHOD:NAME   refuses calls of this method with this D-Bus error; error1= refuses only the first call
//     vanish=METHOD       carries out the first call of this method, and exits before it replies
//     once=FILE           ignores all these words if the file exists, and creates it otherwise, so that the next such
//                         daemon works normally
//     unknown=N           refuses its first N calls as unknown methods
//     unmet=N             handles its first N calls as GNOME Keyring handles those of a client that is new to it: it
//                         exits at a request for a session or for a property of a collection or an item, returns no
//                         properties for GetAll, never replies to their other calls, and refuses every method of the
//                         service as unknown
//     aliasless=N         replies to its first N calls of ReadAlias that there is no such collection
//     slow=METHOD:MS      replies to calls of this method MS milliseconds late
//     fragile             exits when a client leaves while a slow reply to it is pending
//     wrong=METHOD        replies to calls of this method with a number
//     omitting            leaves all secrets out of the replies to GetSecrets
//     signals=N           emits each signal except a prompt's N times instead of once
//     owning=NAME         also owns this bus name, which it acquires before the name of the Secret Service
//     locked              starts locked
//     confirming          shows an item only to its maker until it has been unlocked
//     reversed            finds the newest item first
//     duplicating         creates a second item instead of replacing the first
//     doubling            lists each item twice in search results and in its collection
//     empty               returns empty secrets
//     hiding              returns no attributes of any item, but finds items by them
// Lines on its standard input change the behavior later: any word above except "once" and "locked", and "lock",
// "unlock" or "remove" (the collection). It replies to each line with "obeyed".
#include "items.h"
#include "scripted_daemon.h"
#include <gio/gunixinputstream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static GHashTable *words;
static GDBusConnection *bus;
static gboolean locked, removed;
static char *made; // The label of a second collection, once there is one.
static int sessions;

static const char *word(const char *name)
{
	return g_hash_table_lookup(words, name);
}

// Decrements a word's number. Returns true if it was greater than 0.
static gboolean take_one(const char *name)
{
	int count = word(name) ? atoi(word(name)) : 0;
	if (count > 0)
		g_hash_table_replace(words, g_strdup(name), g_strdup_printf("%d", count - 1));
	return count > 0;
}

static gboolean is(const char *name, const char *value)
{
	return !g_strcmp0(word(name), value);
}

static void emit(const char *path, const char *interface, const char *member, GVariant *body)
{
	int times = word("signals") ? atoi(word("signals")) : 1;
	g_variant_ref_sink(body);
	for (int i = 0; i < times; i++)
		g_dbus_connection_emit_signal(bus, NULL, path, interface, member, body, NULL);
	g_variant_unref(body);
}

static void tell_item(const char *member, const char *path)
{
	emit(COLLECTION, "org.freedesktop.Secret.Collection", member, g_variant_new("(o)", path));
}

static void tell_lock(void)
{
	GVariantBuilder changed;
	g_variant_builder_init(&changed, G_VARIANT_TYPE("a{sv}"));
	g_variant_builder_add(&changed, "{sv}", "Locked", g_variant_new_boolean(locked));
	emit(COLLECTION, "org.freedesktop.DBus.Properties", "PropertiesChanged",
		g_variant_new("(sa{sv}as)", "org.freedesktop.Secret.Collection", &changed, NULL));
}

// Acquires the bus name of the word "owning". Does nothing without a bus connection.
static void own_name(void)
{
	GVariant *answer;
	if (!bus || !word("owning"))
		return;
	answer = g_dbus_connection_call_sync(bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus",
		"RequestName", g_variant_new("(su)", word("owning"), 0), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
	if (answer)
		g_variant_unref(answer);
}

static void set_word(const char *text)
{
	if (!strcmp(text, "lock") || !strcmp(text, "unlock")) {
		locked = text[0] == 'l';
		tell_lock();
	} else if (!strcmp(text, "remove")) {
		removed = TRUE;
		while (items_count())
			items_remove(items_at(0)->path);
		emit("/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "CollectionDeleted",
			g_variant_new("(o)", COLLECTION));
	} else {
		char **pair = g_strsplit(text, "=", 2);
		g_hash_table_replace(words, g_strdup(pair[0]), g_strdup(pair[1] ? pair[1] : "yes"));
		g_strfreev(pair);
		if (g_str_has_prefix(text, "owning="))
			own_name();
	}
}

static gboolean is_hidden(struct item *item, const char *caller)
{
	return locked || (word("confirming") && !item->is_shown && g_strcmp0(item->maker, caller));
}

static GVariant *search(GVariant *arguments, const char *caller)
{
	GVariant *wanted = g_variant_get_child_value(arguments, 0);
	GVariantBuilder open, hidden;
	g_variant_builder_init(&open, G_VARIANT_TYPE("ao"));
	g_variant_builder_init(&hidden, G_VARIANT_TYPE("ao"));
	for (guint i = 0; i < items_count(); i++) {
		struct item *item = items_at(word("reversed") ? items_count() - 1 - i : i);
		for (int times = word("doubling") ? 2 : 1; times && item_has(item, wanted); times--)
			g_variant_builder_add(is_hidden(item, caller) ? &hidden : &open, "o", item->path);
	}
	g_variant_unref(wanted);
	return g_variant_new("(aoao)", &open, &hidden);
}

static GVariant *secret_of(struct item *item)
{
	char *session = g_strdup_printf("/org/freedesktop/secrets/session/s%d", sessions);
	GBytes *bytes = word("empty") ? g_bytes_new(NULL, 0) : g_bytes_ref(item->secret);
	GVariant *secret = g_variant_new("(o@ay@ays)", session, g_variant_new_from_data(G_VARIANT_TYPE("ay"), "", 0, TRUE, NULL, NULL),
		g_variant_new_from_bytes(G_VARIANT_TYPE("ay"), bytes, TRUE), "text/plain");
	g_bytes_unref(bytes);
	g_free(session);
	return secret;
}

static GVariant *secrets(GVariant *arguments, const char *caller)
{
	GVariantBuilder found;
	g_variant_builder_init(&found, G_VARIANT_TYPE("a{o(oayays)}"));
	GVariant *paths = g_variant_get_child_value(arguments, 0);
	for (gsize i = 0; i < g_variant_n_children(paths); i++) {
		const char *path;
		g_variant_get_child(paths, i, "&o", &path);
		struct item *item = items_find(path);
		if (item && !is_hidden(item, caller) && !word("omitting"))
			g_variant_builder_add(&found, "{o@(oayays)}", path, secret_of(item));
	}
	g_variant_unref(paths);
	return g_variant_new("(a{o(oayays)})", &found);
}

static GVariant *listing(void)
{
	GVariantBuilder paths;
	g_variant_builder_init(&paths, G_VARIANT_TYPE("ao"));
	for (guint i = 0; i < items_count(); i++)
		for (int times = word("doubling") ? 2 : 1; times; times--)
			g_variant_builder_add(&paths, "o", items_at(i)->path);
	return g_variant_builder_end(&paths);
}

static GVariant *property(struct item *item, const char *path, const char *name, const char *caller)
{
	const char *collections[] = {COLLECTION, MADE};
	if (!strcmp(name, "Locked"))
		return g_variant_new_boolean(item ? is_hidden(item, caller) : locked);
	if (!strcmp(name, "Collections"))
		return g_variant_new_objv(collections, removed ? 0 : made ? 2 : 1);
	if (!strcmp(name, "Items") && !strcmp(path, COLLECTION))
		return listing();
	if (!strcmp(name, "Attributes") && item && word("hiding"))
		return g_variant_new("a{ss}", NULL);
	if (!strcmp(name, "Attributes") && item)
		return item->attributes;
	if (!strcmp(path, MADE) && made)
		return g_variant_new_string(made);
	return g_variant_new_string(item ? item->label : "scripted");
}

static GVariant *properties(struct item *item, const char *path, const char *caller)
{
	static const char *const names[] = {"Label", "Locked", "Attributes"};
	GVariantBuilder all;
	g_variant_builder_init(&all, G_VARIANT_TYPE_VARDICT);
	for (int i = 0; i < (item ? 3 : 2); i++)
		g_variant_builder_add(&all, "{sv}", names[i], property(item, path, names[i], caller));
	return g_variant_new("(a{sv})", &all);
}

static void make_collection(GVariant *arguments)
{
	GVariant *properties = g_variant_get_child_value(arguments, 0);
	g_variant_lookup(properties, "org.freedesktop.Secret.Collection.Label", "s", &made);
	g_variant_unref(properties);
	emit("/org/freedesktop/secrets", "org.freedesktop.Secret.Service", "CollectionCreated", g_variant_new("(o)", MADE));
}

static const char *create(GVariant *arguments, const char *caller)
{
	gboolean replaces;
	g_variant_get_child(arguments, 2, "b", &replaces);
	gboolean is_new;
	struct item *item = items_put(arguments, caller, replaces && !word("duplicating"), &is_new);
	tell_item(is_new ? "ItemCreated" : "ItemChanged", item->path);
	return item->path;
}

// Carries out the action of a prompt that completes. The path of the prompt selects the action.
static GVariant *carry_out(const char *prompt, const char *caller)
{
	GVariant *call = items_take_call(prompt);
	if (strstr(prompt, "/create"))
		return g_variant_new_object_path(call ? create(call, caller) : "/");
	if (strstr(prompt, "/collect") && call) {
		make_collection(call);
		return g_variant_new_object_path(MADE);
	}
	if (strstr(prompt, "/delete") && call) {
		const char *path;
		g_variant_get_child(call, 0, "&o", &path);
		items_remove(path);
		tell_item("ItemDeleted", path);
		return g_variant_new_string("");
	}
	locked = FALSE;
	for (guint i = 0; i < items_count(); i++) {
		items_at(i)->is_shown = TRUE;
		tell_item("ItemChanged", items_at(i)->path);
	}
	tell_lock();
	return g_variant_new_objv(NULL, 0);
}

static GVariant *answer(const char *member, const char *path, GVariant *arguments, const char *caller, const char **error)
{
	struct item *item = items_find(path);
	gboolean prompts = word("prompts") != NULL;
	if (!strcmp(member, "OpenSession")) {
		char *session = g_strdup_printf("/org/freedesktop/secrets/session/s%d", ++sessions);
		return g_variant_new("(vo)", g_variant_new_string(""), session);
	}
	if (!strcmp(member, "ReadAlias"))
		return g_variant_new("(o)", removed || take_one("aliasless") ? "/" : COLLECTION);
	if (!strcmp(member, "SearchItems"))
		return search(arguments, caller);
	if (!strcmp(member, "GetSecrets"))
		return secrets(arguments, caller);
	if (g_str_equal(member, "Get") || g_str_equal(member, "GetAll")) {
		if ((g_str_has_prefix(path, COLLECTION "/") && !item) || (removed && !strcmp(path, COLLECTION)))
			*error = "org.freedesktop.DBus.Error.UnknownObject";
		if (*error)
			return NULL;
		if (g_str_equal(member, "GetAll"))
			return properties(item, path, caller);
		const char *name;
		g_variant_get_child(arguments, 1, "&s", &name);
		return g_variant_new("(v)", property(item, path, name, caller));
	}
	if (!strcmp(member, "Unlock")) {
		if (prompts)
			return g_variant_new("(aoo)", NULL, items_keep_call("unlock", NULL));
		carry_out("/unlock", caller);
		return g_variant_new("(@aoo)", g_variant_get_child_value(arguments, 0), "/");
	}
	if (!strcmp(member, "CreateCollection")) {
		if (prompts)
			return g_variant_new("(oo)", "/", items_keep_call("collect", arguments));
		make_collection(arguments);
		return g_variant_new("(oo)", MADE, "/");
	}
	if (!strcmp(member, "CreateItem")) {
		if (locked)
			*error = "org.freedesktop.Secret.Error.IsLocked";
		if (removed)
			*error = "org.freedesktop.DBus.Error.UnknownMethod";
		if (*error)
			return NULL;
		return prompts ? g_variant_new("(oo)", "/", items_keep_call("create", arguments))
			       : g_variant_new("(oo)", create(arguments, caller), "/");
	}
	if (!strcmp(member, "Delete") && prompts)
		return g_variant_new("(o)", items_keep_call("delete", g_variant_ref_sink(g_variant_new("(o)", path))));
	if (!item) {
		*error = "org.freedesktop.DBus.Error.UnknownObject";
		return NULL;
	}
	if (is_hidden(item, caller)) {
		*error = "org.freedesktop.Secret.Error.IsLocked";
		return NULL;
	}
	if (!strcmp(member, "GetSecret"))
		return g_variant_new("(@(oayays))", secret_of(item));
	if (!strcmp(member, "SetSecret")) {
		item_set_secret(item, arguments, 0);
		tell_item("ItemChanged", path);
		return g_variant_new("()");
	}
	// Delete.
	items_remove(path);
	tell_item("ItemDeleted", path);
	return g_variant_new("(o)", "/");
}

static void send(GDBusMessage *message)
{
	g_dbus_connection_send_message(bus, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL);
	g_object_unref(message);
}

static void leave(void)
{
	g_dbus_connection_flush_sync(bus, NULL, NULL);
	exit(0);
}

static void complete(const char *prompt, const char *caller)
{
	gboolean dismissed = is("prompts", "dismiss");
	GVariant *result = g_variant_ref_sink(dismissed ? g_variant_new_string("") : carry_out(prompt, caller));
	for (int i = 0; i < (is("prompts", "twice") ? 2 : 1); i++) {
		GDBusMessage *signal = g_dbus_message_new_signal(prompt, "org.freedesktop.Secret.Prompt", "Completed");
		g_dbus_message_set_destination(signal, caller);
		g_dbus_message_set_body(signal, g_variant_new("(bv)", dismissed, result));
		send(signal);
	}
	g_variant_unref(result);
}

struct late {
	GDBusMessage *reply;
	guint watch;
};

static gboolean send_late(gpointer data)
{
	struct late *late = data;
	g_bus_unwatch_name(late->watch);
	send(late->reply);
	g_free(late);
	return G_SOURCE_REMOVE;
}

static void client_left(GDBusConnection *connection, const char *name, gpointer data)
{
	if (word("fragile"))
		exit(1);
}

// Sends a reply, immediately or late.
static void send_in_time(GDBusMessage *reply, const char *member)
{
	const char *slow = word("slow");
	gsize length = strlen(member);
	if (!slow || strncmp(slow, member, length) || slow[length] != ':') {
		send(reply);
		return;
	}
	struct late *late = g_new(struct late, 1);
	late->reply = reply;
	late->watch = g_bus_watch_name_on_connection(bus, g_dbus_message_get_destination(reply),
		G_BUS_NAME_WATCHER_FLAGS_NONE, NULL, client_left, NULL, NULL);
	g_timeout_add(atoi(slow + length + 1), send_late, late);
}

// Returns the reply to a call of a client that the daemon does not know yet, or NULL if it does not reply.
static GDBusMessage *reply_to_stranger(GDBusMessage *call)
{
	const char *member = g_dbus_message_get_member(call);
	if (g_str_equal(member, "OpenSession"))
		exit(1);
	if (g_str_equal(g_dbus_message_get_path(call), "/org/freedesktop/secrets"))
		return g_dbus_message_new_method_error_literal(call, "org.freedesktop.DBus.Error.UnknownMethod", "not yet");
	if (g_str_equal(member, "Get"))
		exit(1);
	if (!g_str_equal(member, "GetAll"))
		return NULL;
	GDBusMessage *reply = g_dbus_message_new_method_reply(call);
	g_dbus_message_set_body(reply, g_variant_new("(a{sv})", NULL));
	return reply;
}

// Runs on the main thread, so that calls are carried out one after another.
static gboolean obey(gpointer data)
{
	GDBusMessage *call = data;
	const char *member = g_dbus_message_get_member(call), *path = g_dbus_message_get_path(call);
	const char *caller = g_dbus_message_get_sender(call), *error = NULL;
	GDBusMessage *reply = NULL;
	gboolean is_met = !take_one("unmet");
	if (!is_met)
		reply = reply_to_stranger(call);
	if (is("silent", member) || (!is_met && !reply)) {
		g_object_unref(call);
		return G_SOURCE_REMOVE;
	}
	if (is("silent1", member))
		g_hash_table_replace(words, g_strdup("silent"), g_strdup(member));
	if (!reply && take_one("unknown"))
		reply = g_dbus_message_new_method_error_literal(call, "org.freedesktop.DBus.Error.UnknownMethod", "not yet");
	for (int once = 0; !reply && once < 2; once++) {
		const char *refusal = word(once ? "error1" : "error");
		if (refusal && g_str_has_prefix(refusal, member) && refusal[strlen(member)] == ':') {
			reply = g_dbus_message_new_method_error_literal(call, refusal + strlen(member) + 1, "as the script says");
			if (once)
				g_hash_table_remove(words, "error1");
			break;
		}
	}
	if (!reply && !strcmp(member, "Prompt")) {
		// Completes before the reply: a client that subscribes only after the reply is too late.
		if (!is("prompts", "silent") && !is("prompts", "vanish"))
			complete(path, caller);
		reply = g_dbus_message_new_method_reply(call);
	} else if (!reply && !strcmp(member, "Dismiss")) {
		reply = g_dbus_message_new_method_reply(call);
	} else if (!reply) {
		GVariant *body = answer(member, path, g_dbus_message_get_body(call), caller, &error);
		if (is("vanish", member))
			leave();
		reply = error ? g_dbus_message_new_method_error_literal(call, error, "it cannot be")
			      : g_dbus_message_new_method_reply(call);
		if (body && is("wrong", member)) {
			g_variant_unref(g_variant_ref_sink(body));
			body = strcmp(member, "Get") ? g_variant_new("(i)", 1) : g_variant_new("(v)", g_variant_new_int32(1));
		}
		if (body)
			g_dbus_message_set_body(reply, body);
	}
	send_in_time(reply, member);
	if (!strcmp(member, "Prompt") && is("prompts", "vanish"))
		leave();
	g_object_unref(call);
	return G_SOURCE_REMOVE;
}

static GDBusMessage *receive(GDBusConnection *connection, GDBusMessage *message, gboolean incoming, gpointer data)
{
	const char *interface = g_dbus_message_get_interface(message);
	if (!incoming || g_dbus_message_get_message_type(message) != G_DBUS_MESSAGE_TYPE_METHOD_CALL || !interface ||
		(!g_str_has_prefix(interface, "org.freedesktop.Secret.") && strcmp(interface, "org.freedesktop.DBus.Properties")))
		return message;
	g_idle_add_full(G_PRIORITY_DEFAULT, obey, message, NULL);
	return NULL;
}

static void read_line(GObject *source, GAsyncResult *result, gpointer data)
{
	char *line = g_data_input_stream_read_line_finish_utf8(G_DATA_INPUT_STREAM(source), result, NULL, NULL);
	if (!line)
		return;
	set_word(line);
	g_free(line);
	puts("obeyed");
	fflush(stdout);
	g_data_input_stream_read_line_async(G_DATA_INPUT_STREAM(source), G_PRIORITY_DEFAULT, NULL, read_line, NULL);
}

int scripted_daemon_run(const char *const *arguments)
{
	words = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	for (; *arguments; arguments++)
		set_word(*arguments);
	if (word("once") && g_file_test(word("once"), G_FILE_TEST_EXISTS))
		g_hash_table_remove_all(words);
	else if (word("once"))
		g_file_set_contents(word("once"), "", 0, NULL);
	locked = word("locked") != NULL;
	bus = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
	if (!bus)
		return 1;
	g_dbus_connection_add_filter(bus, receive, NULL, NULL);
	GDataInputStream *input = g_data_input_stream_new(g_unix_input_stream_new(0, FALSE));
	g_data_input_stream_read_line_async(input, G_PRIORITY_DEFAULT, NULL, read_line, NULL);
	own_name();
	g_bus_own_name_on_connection(bus, "org.freedesktop.secrets", G_BUS_NAME_OWNER_FLAGS_NONE, NULL, NULL, NULL, NULL);
	g_main_loop_run(g_main_loop_new(NULL, FALSE));
	return 0;
}
