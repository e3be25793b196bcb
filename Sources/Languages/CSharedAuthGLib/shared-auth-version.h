#pragma once

#if !defined(SHARED_AUTH_GLIB_INSIDE) && !defined(SHARED_AUTH_COMPILATION)
#error "Only <sharedauth-glib.h> can be included directly."
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/* The numbers are filled in when the header is installed. */

/**
 * SHARED_AUTH_MAJOR_VERSION:
 *
 * The first number of the version of the headers.
 *
 * Since: 0.1
 */
#define SHARED_AUTH_MAJOR_VERSION (@major_version@)

/**
 * SHARED_AUTH_MINOR_VERSION:
 *
 * The second number of the version of the headers.
 *
 * Since: 0.1
 */
#define SHARED_AUTH_MINOR_VERSION (@minor_version@)

/**
 * SHARED_AUTH_MICRO_VERSION:
 *
 * The third number of the version of the headers.
 *
 * Since: 0.1
 */
#define SHARED_AUTH_MICRO_VERSION (@micro_version@)

/**
 * SHARED_AUTH_CHECK_VERSION:
 * @major: the first number of a version
 * @minor: the second number
 * @micro: the third number
 *
 * Whether the headers are of a version or of a newer one.
 *
 * Since: 0.1
 */
#define SHARED_AUTH_CHECK_VERSION(major, minor, micro) \
  (SHARED_AUTH_MAJOR_VERSION > (major) \
   || (SHARED_AUTH_MAJOR_VERSION == (major) && SHARED_AUTH_MINOR_VERSION > (minor)) \
   || (SHARED_AUTH_MAJOR_VERSION == (major) && SHARED_AUTH_MINOR_VERSION == (minor) \
       && SHARED_AUTH_MICRO_VERSION >= (micro)))

/**
 * shared_auth_get_major_version:
 *
 * Gets the first number of the version of the library that the program runs with.
 *
 * Returns: the number
 *
 * Since: 0.1
 */
guint shared_auth_get_major_version (void);

/**
 * shared_auth_get_minor_version:
 *
 * Gets the second number of the version of the library that the program runs with.
 *
 * Returns: the number
 *
 * Since: 0.1
 */
guint shared_auth_get_minor_version (void);

/**
 * shared_auth_get_micro_version:
 *
 * Gets the third number of the version of the library that the program runs with.
 *
 * Returns: the number
 *
 * Since: 0.1
 */
guint shared_auth_get_micro_version (void);

/**
 * shared_auth_check_version:
 * @major: the first number of a version
 * @minor: the second number
 * @micro: the third number
 *
 * Returns whether the library that the program runs with is of a version or of a newer one. It may be
 * newer than the headers that the program was compiled with.
 *
 * Returns: %TRUE if the library is at least of the version
 *
 * Since: 0.1
 */
gboolean shared_auth_check_version (guint major, guint minor, guint micro);

G_END_DECLS
