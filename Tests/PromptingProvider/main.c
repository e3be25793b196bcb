// A Secret Service that answers every change with a prompt, as KeePassXC does. It keeps nothing.
//
// Its argument says what comes of a prompt: "complete", "dismiss", "silent" (nothing, ever) or "vanish" (the provider ends).
#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

static const char *outcome;

static GVariant *answer(const char *member)
{
	if (!strcmp(member, "OpenSession"))
		return g_variant_new("(vo)", g_variant_new_string(""), "/org/freedesktop/secrets/session/s1");
	if (!strcmp(member, "ReadAlias"))
		return g_variant_new("(o)", "/org/freedesktop/secrets/collection/prompting");
	if (!strcmp(member, "CreateItem"))
		return g_variant_new("(oo)", "/", "/org/freedesktop/secrets/prompt/create");
	if (!strcmp(member, "Delete"))
		return g_variant_new("(o)", "/org/freedesktop/secrets/prompt/delete");
	if (!strcmp(member, "Unlock"))
		return g_variant_new("(aoo)", NULL, "/org/freedesktop/secrets/prompt/unlock");
	return NULL;
}

static GVariant *result(const char *prompt)
{
	if (g_str_has_suffix(prompt, "create"))
		return g_variant_new_object_path("/org/freedesktop/secrets/collection/prompting/1");
	if (g_str_has_suffix(prompt, "unlock"))
		return g_variant_new_objv(NULL, 0);
	return g_variant_new_string("");
}

static void send(GDBusConnection *connection, GDBusMessage *message)
{
	g_dbus_connection_send_message(connection, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NULL, NULL);
	g_object_unref(message);
}

static void complete(GDBusConnection *connection, GDBusMessage *call)
{
	const char *path = g_dbus_message_get_path(call);
	GDBusMessage *signal = g_dbus_message_new_signal(path, "org.freedesktop.Secret.Prompt", "Completed");
	g_dbus_message_set_destination(signal, g_dbus_message_get_sender(call));
	g_dbus_message_set_body(signal, g_variant_new("(bv)", !strcmp(outcome, "dismiss"), result(path)));
	send(connection, signal);
}

static gboolean leave(gpointer connection)
{
	g_dbus_connection_flush_sync(connection, NULL, NULL);
	exit(0);
}

static GDBusMessage *receive(GDBusConnection *connection, GDBusMessage *call, gboolean incoming, gpointer data)
{
	if (!incoming || g_dbus_message_get_message_type(call) != G_DBUS_MESSAGE_TYPE_METHOD_CALL)
		return call;
	const char *member = g_dbus_message_get_member(call);
	gboolean prompted = !strcmp(member, "Prompt");
	// Before the call is answered: who subscribes only then is too late.
	if (prompted && (!strcmp(outcome, "complete") || !strcmp(outcome, "dismiss")))
		complete(connection, call);
	GDBusMessage *reply = g_dbus_message_new_method_reply(call);
	GVariant *body = answer(member);
	if (body)
		g_dbus_message_set_body(reply, body);
	send(connection, reply);
	// Once the answer is queued, so that leaving can flush it.
	if (prompted && !strcmp(outcome, "vanish"))
		g_idle_add(leave, connection);
	g_object_unref(call);
	return NULL;
}

int main(int argc, char **argv)
{
	outcome = argc > 1 ? argv[1] : "complete";
	GDBusConnection *connection = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
	if (!connection)
		return 1;
	g_dbus_connection_add_filter(connection, receive, NULL, NULL);
	g_bus_own_name_on_connection(connection, "org.freedesktop.secrets", G_BUS_NAME_OWNER_FLAGS_NONE, NULL, NULL, NULL,
		NULL);
	g_main_loop_run(g_main_loop_new(NULL, FALSE));
	return 0;
}
