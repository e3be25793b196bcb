/* The order in which a process meets GObject's types. */
#ifndef SHAREDAUTH_CDESKTOPSUPPORT_H
#define SHAREDAUTH_CDESKTOPSUPPORT_H

/* Registers GTask, unless it is registered. Call it before libsoup makes its classes, outside a class initializer.
   It starts GLib's worker thread. */
void cdesktop_register_task(void);

#endif
