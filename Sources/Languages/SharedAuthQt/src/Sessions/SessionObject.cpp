#include "SessionObject.h"

#include "SessionPrivate.h"

namespace SharedAuth {

static_assert(int(Session::Unknown) == SHARED_AUTH_STATE_UNKNOWN
              && int(Session::SignedOut) == SHARED_AUTH_STATE_SIGNED_OUT
              && int(Session::Damaged) == SHARED_AUTH_STATE_DAMAGED);

/// Connects to a signal. The handler is called on the worker, on which this object is destroyed.
template <typename Function>
GLib::Handler SessionObject::handle(gpointer emitter, const char *signal, Function function)
{
    return GLib::connect(emitter, signal, function, std::make_unique<SessionObject *>(this));
}

static SessionObject *self(gpointer data)
{
    return *static_cast<SessionObject **>(data);
}

/// Passes the properties to the session, which has them before it emits a signal.
template <typename Emit>
void SessionObject::report(Emit emit)
{
    m_outlet->post([now = snapshot(), emit](QObject *session) {
        SessionPrivate::of(session)->now = now;
        emit(static_cast<Session *>(session));
    });
}

template <auto signal>
void SessionObject::forward(const char *notification)
{
    m_handlers.push_back(handle(object.get(), notification, +[](SharedAuthSession *, GParamSpec *, gpointer data) {
        self(data)->report([](Session *session) { Q_EMIT (session->*signal)(); });
    }));
}

SessionObject::SessionObject(const std::shared_ptr<SharedAuthSession> &made, const std::shared_ptr<Outlet> &outlet)
    : object(made), m_outlet(outlet)
{
    forward<&Session::stateChanged>("notify::state");
    forward<&Session::accessGroupChanged>("notify::access-group");
    forward<&Session::errorChanged>("notify::error");
    forward<&Session::saveErrorChanged>("notify::save-error");
    m_handlers.push_back(handle(object.get(), "notify::user", +[](SharedAuthSession *, GParamSpec *, gpointer data) {
        self(data)->watchUser();
        self(data)->report([](Session *session) { Q_EMIT session->userChanged(); });
    }));
    const auto announced = +[](SharedAuthSession *, SharedAuthUser *user, gpointer data) {
        self(data)->report([announced = UserData::reading(user)](Session *session) {
            Q_EMIT session->announced(announced);
        });
    };
    m_handlers.push_back(handle(object.get(), "announced", announced));
    const auto openAddress = +[](SharedAuthSession *, const char *address, gpointer data) -> gboolean {
        const QUrl page(QString::fromUtf8(address));
        self(data)->m_outlet->post([page](QObject *session) {
            Q_EMIT static_cast<Session *>(session)->openAddress(page);
        });
        return self(data)->isOpening;
    };
    m_handlers.push_back(handle(object.get(), "open-address", openAddress));
    const auto deviceCode = +[](SharedAuthSession *, const char *utf8, const char *page, const char *whole,
                                gpointer data) {
        const QString code = QString::fromUtf8(utf8), address = QString::fromUtf8(page);
        self(data)->m_outlet->post([code, address, complete = QString::fromUtf8(whole)](QObject *session) {
            Q_EMIT static_cast<Session *>(session)->deviceCode(code, address, complete);
        });
    };
    m_handlers.push_back(handle(object.get(), "device-code", deviceCode));
    const auto usersChanged = +[](GListModel *, guint, guint, guint, gpointer data) {
        self(data)->watchUsers();
        self(data)->m_outlet->post([users = self(data)->users()](QObject *session) {
            AccountsPrivate::of(SessionPrivate::of(session)->accounts)->show(users);
        });
    };
    GListModel *accounts = shared_auth_session_get_accounts(object.get());
    m_handlers.push_back(handle(accounts, "items-changed", usersChanged));
    watchUser();
    watchUsers();
}

Snapshot SessionObject::snapshot() const
{
    return {static_cast<Session::State>(shared_auth_session_get_state(object.get())),
            UserData::taking(shared_auth_session_dup_user(object.get())),
            GLib::takingText(shared_auth_session_dup_access_group(object.get())),
            GLib::takingText(shared_auth_session_dup_user_issuer(object.get())),
            GLib::takingError(shared_auth_session_dup_error(object.get())),
            GLib::takingError(shared_auth_session_dup_save_error(object.get()))};
}

std::vector<User> SessionObject::users() const
{
    std::vector<User> users;
    GListModel *accounts = shared_auth_session_get_accounts(object.get());
    const guint length = g_list_model_get_n_items(accounts);
    for (guint index = 0; index < length; ++index)
        users.push_back(UserData::taking(static_cast<SharedAuthUser *>(g_list_model_get_item(accounts, index))));
    return users;
}

/// Connects to the properties of the current user.
void SessionObject::watchUser()
{
    const auto current = GLib::taking(shared_auth_session_dup_user(object.get()));
    const auto changed = +[](SharedAuthUser *, GParamSpec *, gpointer data) {
        self(data)->report([](Session *session) { Q_EMIT session->userChanged(); });
    };
    m_userChanged = current ? handle(current.get(), "notify", changed) : nullptr;
}

/// Connects to the properties of all users.
void SessionObject::watchUsers()
{
    const auto changed = +[](SharedAuthUser *changedUser, GParamSpec *, gpointer data) {
        self(data)->m_outlet->post([user = UserData::reading(changedUser)](QObject *session) {
            AccountsPrivate::of(SessionPrivate::of(session)->accounts)->update(user);
        });
    };
    m_usersChanged.clear();
    for (const User &user : users())
        m_usersChanged.push_back(handle(UserData::object(user).get(), "notify", changed));
}

} // namespace SharedAuth
