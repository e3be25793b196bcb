#include "CDesktopSupport.h"

#include <gio/gio.h>

/* GObject can block two threads for ever. Making a class holds one lock for all classes while the class's initializer
   asks for the types of its properties and signals, and waits for those that another thread is registering. Registering
   a type that implements an interface takes the same lock.

   No lock of ours can prevent it, because the other thread may be in GTK. So each type that a class of GIO or libsoup
   names, that implements an interface, and that our threads use, is registered before there is another thread: when the
   program starts, or when the library is loaded. From then on nothing waits for them. What remains is a process that
   loads the library while another of its threads meets one of these types for the first time. */
__attribute__((constructor)) static void register_types(void) {
    g_type_ensure(G_TYPE_DBUS_CONNECTION);
    g_type_ensure(G_TYPE_SOCKET);
    g_type_ensure(G_TYPE_SOCKET_ADDRESS);
    g_type_ensure(G_TYPE_INET_SOCKET_ADDRESS);
}

/* The fifth type starts a thread, which a program must not have before main. Only a class of libsoup names it. */
void cdesktop_register_task(void) { g_type_ensure(G_TYPE_TASK); }
