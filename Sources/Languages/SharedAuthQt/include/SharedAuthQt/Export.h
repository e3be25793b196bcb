#pragma once

#include <QtGlobal>

#if defined(SHAREDAUTHQT_LIBRARY)
#define SHAREDAUTHQT_EXPORT Q_DECL_EXPORT
#else
#define SHAREDAUTHQT_EXPORT Q_DECL_IMPORT
#endif
