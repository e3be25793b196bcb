// A Secret Service daemon that behaves as the words on its command line say; daemon.c explains them.
#ifndef SCRIPTED_PROVIDER_H
#define SCRIPTED_PROVIDER_H

// Serves until the process ends. Returns 1 if there is no bus. The list of words ends with NULL.
int scripted_daemon_run(const char *const *words);

#endif
