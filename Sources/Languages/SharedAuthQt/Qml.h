#pragma once

#include "Session.h"

#include <QQmlParserStatus>
#include <qqml.h>

namespace SharedAuth {

/// A session as a QML element, which starts when its properties have been set.
class QmlSession : public Session, public QQmlParserStatus
{
    Q_OBJECT
    Q_INTERFACES(QQmlParserStatus)

public:
    using Session::Session;

    void classBegin() override { hold(); }
    void componentComplete() override { start(); }
};

/// Registers the QML module `SharedAuth` 1.0. Call it before a file that imports the module is loaded.
///
/// The elements are `Session`, `LocalProvider`, `OpenIdProvider`, `OAuthProvider`, `FirebaseProvider` and
/// `CustomProvider`; `AuthError` and `Request` have the values of their enumerations.
inline void registerQmlTypes()
{
    const char *const module = "SharedAuth";
    const QString reason = QStringLiteral("It cannot be created in QML.");
    qmlRegisterType<QmlSession>(module, 1, 0, "Session");
    qmlRegisterType<LocalProvider>(module, 1, 0, "LocalProvider");
    qmlRegisterType<OpenIdProvider>(module, 1, 0, "OpenIdProvider");
    qmlRegisterType<OAuthProvider>(module, 1, 0, "OAuthProvider");
    qmlRegisterType<FirebaseProvider>(module, 1, 0, "FirebaseProvider");
    qmlRegisterType<CustomProvider>(module, 1, 0, "CustomProvider");
    qmlRegisterUncreatableType<IdentityProvider>(module, 1, 0, "IdentityProvider", reason);
    qmlRegisterUncreatableType<Accounts>(module, 1, 0, "Accounts", reason);
    qmlRegisterUncreatableType<Call>(module, 1, 0, "Call", reason);
    qmlRegisterUncreatableMetaObject(AuthError::staticMetaObject, module, 1, 0, "AuthError", reason);
    qmlRegisterUncreatableMetaObject(Request::staticMetaObject, module, 1, 0, "Request", reason);
}

} // namespace SharedAuth
