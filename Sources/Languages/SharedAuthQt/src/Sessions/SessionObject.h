#pragma once

#include "Outlet.h"
#include "Session.h"
#include "UserData.h"

#include <atomic>

namespace SharedAuth {

/// The properties of a session at one time.
struct Snapshot {
    Session::State state = Session::Unknown;
    User user;
    QString accessGroup, userIssuer;
    AuthError error, saveError;
};

/// The GObject of a session on the worker, and what it reports from there.
class SessionObject
{
public:
    /// Reports to the session of the outlet from now on.
    SessionObject(const std::shared_ptr<SharedAuthSession> &object, const std::shared_ptr<Outlet> &outlet);
    Q_DISABLE_COPY_MOVE(SessionObject)

    /// The GObject. It can be used on the worker only.
    const std::shared_ptr<SharedAuthSession> object;

    /// Whether the app opens the addresses of sign-in pages itself.
    std::atomic<bool> isOpening = false;

    Snapshot snapshot() const;

    /// The users of the slot in use.
    std::vector<User> users() const;

private:
    template <typename Function>
    GLib::Handler handle(gpointer emitter, const char *signal, Function function);
    template <auto signal>
    void forward(const char *notification);
    void watchUser();
    void watchUsers();
    template <typename Emit>
    void report(Emit emit);

    const std::shared_ptr<Outlet> m_outlet;
    std::vector<GLib::Handler> m_handlers, m_usersChanged;
    GLib::Handler m_userChanged;
};

} // namespace SharedAuth
