#pragma once

#include "AuthError.h"

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QStringList>

#include <sharedauth-glib.h>

#include <memory>
#include <vector>

/// Conversions between the types of Qt and GLib.
namespace SharedAuth::GLib {

/// Takes the caller's reference to an object.
template <typename Object>
std::shared_ptr<Object> taking(Object *object)
{
    return object ? std::shared_ptr<Object>(object, g_object_unref) : nullptr;
}

/// Adds a reference to an object.
template <typename Object>
std::shared_ptr<Object> sharing(Object *object)
{
    return object ? taking(static_cast<Object *>(g_object_ref(object))) : nullptr;
}

/// A connected signal handler, which is disconnected when the last copy is destroyed.
using Handler = std::shared_ptr<void>;

/// Connects a function to a signal of a GObject. The handler owns its data.
template <typename Function, typename Data>
Handler connect(gpointer object, const char *signal, Function function, std::unique_ptr<Data> data)
{
    const auto destroy = +[](gpointer owned, GClosure *) { delete static_cast<Data *>(owned); };
    const gulong id =
        g_signal_connect_data(object, signal, reinterpret_cast<GCallback>(function), data.release(), destroy, {});
    return Handler(g_object_ref(object), [id](gpointer connected) {
        g_signal_handler_disconnect(connected, id);
        g_object_unref(connected);
    });
}

/// Copies a `GError` and frees it; NULL becomes no error.
AuthError takingError(GError *error);

/// Copies a text and frees the original; NULL becomes a null text.
QString takingText(char *utf8);

/// Returns a text property.
QString text(gpointer object, const char *property);

/// Returns a property that is a list of texts; NULL becomes an empty list.
QStringList texts(gpointer object, const char *property);

/// Returns a boolean property.
bool flag(gpointer object, const char *property);

/// Returns a time in seconds since 1970; no time becomes one that never comes.
gint64 seconds(const QDateTime &time);

/// Returns NULL if a text is empty; otherwise a pointer into it.
const char *orNull(const QByteArray &utf8);

/// A list of texts as a C array.
class Texts
{
public:
    explicit Texts(const QStringList &texts);
    Q_DISABLE_COPY_MOVE(Texts)

    /// The array, which ends with NULL; NULL if the list is empty.
    const char *const *orNull() const { return m_utf8.empty() ? nullptr : m_pointers.data(); }

private:
    std::vector<QByteArray> m_utf8;
    std::vector<const char *> m_pointers;
};

/// The properties of an object that is to be created. Empty texts and lists are left out.
class Properties
{
public:
    Properties() = default;
    ~Properties();
    Q_DISABLE_COPY_MOVE(Properties)

    void add(const char *name, const QString &text);
    void add(const char *name, const QStringList &texts);
    void add(const char *name, int number);
    void add(const char *name, bool flag);

    /// Creates the object.
    gpointer make(GType type);

private:
    GValue *value(const char *name, GType type);

    std::vector<const char *> m_names;
    std::vector<GValue> m_values;
};

} // namespace SharedAuth::GLib
