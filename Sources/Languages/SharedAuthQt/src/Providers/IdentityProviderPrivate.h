#pragma once

#include "GLib.h"
#include "IdentityProvider.h"
#include "Outlet.h"

#include <QVariant>

#include <map>
#include <string>

namespace SharedAuth {

/// The options of an identity provider, by the names of the GObject's properties, and the GObject.
class IdentityProviderPrivate
{
public:
    IdentityProviderPrivate(IdentityProvider *provider, GType type);
    ~IdentityProviderPrivate();
    Q_DISABLE_COPY_MOVE(IdentityProviderPrivate)

    QString text(const std::string &option) const { return value(option).toString(); }
    QStringList list(const std::string &option) const { return value(option).toStringList(); }
    int number(const std::string &option) const { return value(option).toInt(); }
    bool flag(const std::string &option) const { return value(option).toBool(); }

    /// Returns whether the option has changed.
    bool set(const std::string &option, const QVariant &value);

    /// Whether the GObject exists.
    bool isMade() const { return m_object != nullptr; }

    /// The GObject, which the first call creates.
    SharedAuthIdentityProvider *object();

    /// Emits a signal for the requests of the GObject's signal of that index, from now on.
    void forward(std::size_t index);

    static IdentityProviderPrivate *of(IdentityProvider *provider) { return provider->d.get(); }

private:
    QVariant value(const std::string &option) const;
    gpointer make() const;

    IdentityProvider *const q;
    const GType m_type;
    const std::shared_ptr<Outlet> m_outlet;
    std::map<std::string, QVariant> m_options;
    std::shared_ptr<SharedAuthIdentityProvider> m_object;
    std::map<std::string, GLib::Handler> m_handlers;
};

} // namespace SharedAuth
