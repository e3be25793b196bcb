#include "IdentityProviderPrivate.h"

#include "BrowserProvider.h"
#include "RequestData.h"

#include <QMetaMethod>

namespace SharedAuth {

namespace {

using RequestSignal = void (CustomProvider::*)(const Request &);

/// A signal of the GObject of a custom provider, and the signal that is emitted for it.
struct Forwarding {
    const char *name;
    RequestSignal signal;
};

constexpr Forwarding FORWARDINGS[] = {{"sign-in", &CustomProvider::signIn},
                                      {"refresh", &CustomProvider::refresh},
                                      {"profile", &CustomProvider::profile},
                                      {"revoke", &CustomProvider::revoke}};

/// The data of the handler of such a signal.
struct Destination {
    std::shared_ptr<Outlet> outlet;
    RequestSignal signal;
};

} // namespace

IdentityProviderPrivate::IdentityProviderPrivate(IdentityProvider *provider, GType type)
    : q(provider), m_type(type), m_outlet(std::make_shared<Outlet>(provider))
{
}

IdentityProviderPrivate::~IdentityProviderPrivate()
{
    m_outlet->close();
}

QVariant IdentityProviderPrivate::value(const std::string &option) const
{
    const auto found = m_options.find(option);
    return found == m_options.end() ? QVariant() : found->second;
}

bool IdentityProviderPrivate::set(const std::string &option, const QVariant &value)
{
    QVariant &present = m_options[option];
    if (present == value)
        return false;
    present = value;
    Q_EMIT q->changed();
    return true;
}

gpointer IdentityProviderPrivate::make() const
{
    GLib::Properties properties;
    for (const auto &[name, value] : m_options) {
        // Firebase has a redirect URI of its own.
        if (m_type == SHARED_AUTH_TYPE_FIREBASE_PROVIDER && name == "redirect-uri")
            continue;
        if (value.typeId() == QMetaType::QStringList)
            properties.add(name.c_str(), value.toStringList());
        else if (value.typeId() == QMetaType::Int)
            properties.add(name.c_str(), value.toInt());
        else if (value.typeId() == QMetaType::Bool)
            properties.add(name.c_str(), value.toBool());
        else
            properties.add(name.c_str(), value.toString());
    }
    return properties.make(m_type);
}

SharedAuthIdentityProvider *IdentityProviderPrivate::object()
{
    if (m_object)
        return m_object.get();
    m_object = GLib::taking(SHARED_AUTH_IDENTITY_PROVIDER(make()));
    if (qobject_cast<BrowserPages *>(q)) {
        const auto known = +[](SharedAuthIdentityProvider *, GParamSpec *, gpointer outlet) {
            (*static_cast<std::shared_ptr<Outlet> *>(outlet))->post([](QObject *provider) {
                Q_EMIT static_cast<BrowserPages *>(provider)->redirectUriChanged();
            });
        };
        auto data = std::make_unique<std::shared_ptr<Outlet>>(m_outlet);
        m_handlers["redirect-uri"] = GLib::connect(m_object.get(), "notify::redirect-uri", known, std::move(data));
    }
    if (auto *custom = qobject_cast<CustomProvider *>(q)) {
        for (std::size_t index = 0; index < std::size(FORWARDINGS); ++index) {
            if (custom->isSignalConnected(QMetaMethod::fromSignal(FORWARDINGS[index].signal)))
                forward(index);
        }
    }
    return m_object.get();
}

void IdentityProviderPrivate::forward(std::size_t index)
{
    const auto [name, signal] = FORWARDINGS[index];
    GLib::Handler &handler = m_handlers[name];
    if (handler)
        return;
    const auto requested = +[](SharedAuthCustomProvider *, SharedAuthRequest *object, gpointer data) {
        const auto *destination = static_cast<Destination *>(data);
        const Request request = RequestData::reading(object);
        destination->outlet->post([request, emitted = destination->signal](QObject *provider) {
            Q_EMIT (static_cast<CustomProvider *>(provider)->*emitted)(request);
        });
    };
    auto destination = std::make_unique<Destination>(Destination{m_outlet, signal});
    handler = GLib::connect(m_object.get(), name, requested, std::move(destination));
}

IdentityProvider::IdentityProvider(IdentityProviderPrivate *data, QObject *parent) : QObject(parent), d(data) {}

IdentityProvider::~IdentityProvider() = default;

LocalProvider::LocalProvider(QObject *parent)
    : IdentityProvider(new IdentityProviderPrivate(this, SHARED_AUTH_TYPE_LOCAL_PROVIDER), parent)
{
}

LocalProvider::~LocalProvider() = default;

CustomProvider::CustomProvider(QObject *parent)
    : IdentityProvider(new IdentityProviderPrivate(this, SHARED_AUTH_TYPE_CUSTOM_PROVIDER), parent)
{
}

CustomProvider::~CustomProvider() = default;

QString CustomProvider::issuer() const
{
    return d->text("issuer");
}

void CustomProvider::setIssuer(const QString &issuer)
{
    d->set("issuer", issuer);
}

void CustomProvider::connectNotify(const QMetaMethod &signal)
{
    // It may be called on any thread. The GObject refuses a request whose signal has no handler.
    QMetaObject::invokeMethod(this, [this, signal] {
        for (std::size_t index = 0; index < std::size(FORWARDINGS); ++index) {
            if (d->isMade() && signal == QMetaMethod::fromSignal(FORWARDINGS[index].signal))
                d->forward(index);
        }
    });
}

} // namespace SharedAuth
