#pragma once

#include <SharedAuthQt/Session.h>

#define OFFICE_EXPORT __attribute__((visibility("default")))

/// A library of an office's apps, which shows types of the library to them.
namespace Office {

OFFICE_EXPORT QObject *makeSession(const QString &appId);
OFFICE_EXPORT SharedAuth::Future<SharedAuth::User> load(QObject *session);

} // namespace Office
