#include "SessionPrivate.h"

#include "IdentityProviderPrivate.h"

#include <QCoreApplication>
#include <QMetaMethod>

namespace SharedAuth {

SessionPrivate::SessionPrivate(SessionOptions *session)
    : m_session(session), m_outlet(std::make_shared<Outlet>(session)), m_calls(m_outlet)
{
}

/// Creates the GObject with the options.
std::shared_ptr<SharedAuthSession> SessionPrivate::make(SharedAuthIdentityProvider *provider) const
{
    // A property of QGuiApplication, to which a program without windows is not linked.
    const QCoreApplication *app = QCoreApplication::instance();
    const QString desktopFile = app ? app->property("desktopFileName").toString() : QString();
    return GLib::taking(static_cast<SharedAuthSession *>(g_object_new(
        SHARED_AUTH_TYPE_SESSION, "app-id", GLib::orNull((appId.isEmpty() ? desktopFile : appId).toUtf8()), "team-id",
        GLib::orNull(teamId.toUtf8()), "app-name", GLib::orNull(appName.toUtf8()), "project",
        GLib::orNull(project.toUtf8()), "store", int(store), "key-file", GLib::orNull(keyFile.toUtf8()),
        "access-groups", GLib::Texts(accessGroups).orNull(), "access-group", GLib::orNull(accessGroup.toUtf8()),
        "own-user-policy", int(ownUserPolicy), "identity-provider", provider, "keeps-other-users",
        gboolean(keepsOtherUsers), "refreshes-tokens", gboolean(refreshesTokens), "timeout", guint(timeout),
        "identity-timeout", guint(identityTimeout), nullptr)));
}

void SessionPrivate::start()
{
    if (hasStarted())
        return;
    auto *provider = identityProvider ? IdentityProviderPrivate::of(identityProvider)->object() : nullptr;
    // A GObject reports in the main context of the thread that created it.
    std::vector<User> users;
    Worker::run([&] {
        m_object = std::make_shared<SessionObject>(make(provider), m_outlet);
        now = m_object->snapshot();
        users = m_object->users();
    });
    updateOpening();
    AccountsPrivate::of(accounts)->show(users);
}

void SessionPrivate::updateOpening()
{
    if (m_object)
        m_object->isOpening = q()->isSignalConnected(QMetaMethod::fromSignal(&Session::openAddress));
}

void SessionPrivate::close()
{
    if (m_object) {
        Worker::post([closed = m_object->object] { shared_auth_session_close(closed.get()); });
    } else if (!m_failure) {
        m_failure = {AuthError::AppDeleted, QStringLiteral("The session was closed before it started.")};
        now.state = Session::Unavailable;
        now.error = m_failure;
        QMetaObject::invokeMethod(q(), &Session::stateChanged, Qt::QueuedConnection);
        QMetaObject::invokeMethod(q(), &Session::errorChanged, Qt::QueuedConnection);
    }
}

void SessionPrivate::end()
{
    m_outlet->close();
    m_failure = {AuthError::AppDeleted, QStringLiteral("The session was deleted during the call.")};
    Worker::post([ended = std::move(m_object)] {});
    m_calls.end(m_failure);
}

AuthError SessionPrivate::handle(gboolean (*handling)(SharedAuthSession *, const char *, GError **),
                                 const QByteArray &address)
{
    if (!m_object)
        return {AuthError::OperationNotAllowed, QStringLiteral("The session has not started.")};
    GError *error = nullptr;
    Worker::run([&] { handling(m_object->object.get(), address.constData(), &error); });
    return GLib::takingError(error);
}

} // namespace SharedAuth
