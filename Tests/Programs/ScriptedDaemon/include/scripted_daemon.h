// A daemon of the Secret Service that behaves as the words on its command line say; daemon.c explains them.
#ifndef SCRIPTED_PROVIDER_H
#define SCRIPTED_PROVIDER_H

// Serves until the process ends; gives 1 when there is no bus. The words are a list that ends with NULL.
int scripted_daemon_run(const char *const *words);

#endif
