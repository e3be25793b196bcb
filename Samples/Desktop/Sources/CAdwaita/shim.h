#ifndef DESKTOP_CADWAITA_SHIM_H
#define DESKTOP_CADWAITA_SHIM_H

#include <adwaita.h>

#endif
