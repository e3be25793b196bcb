#pragma once

#include <QByteArray>
#include <QDateTime>
#include <QString>
#include <QStringList>

#include <memory>
#include <vector>

// GIO has a field named `signals`, which is a macro in Qt's headers unless QT_NO_KEYWORDS is defined.
#pragma push_macro("signals")
#undef signals
#include <sharedauth-glib.h>
#pragma pop_macro("signals")

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

/// Connects a function to a signal of a GObject.
template <typename Function>
Handler connect(gpointer object, const char *signal, Function function, gpointer data)
{
    const gulong id = g_signal_connect_data(object, signal, reinterpret_cast<GCallback>(function), data, nullptr, {});
    return Handler(g_object_ref(object), [id](gpointer connected) {
        g_signal_handler_disconnect(connected, id);
        g_object_unref(connected);
    });
}

/// Returns NULL if a text is empty; otherwise a pointer into it.
inline const char *orNull(const QByteArray &utf8)
{
    return utf8.isEmpty() ? nullptr : utf8.constData();
}

/// Copies a text and frees the original; NULL becomes a null text.
inline QString takingText(char *utf8)
{
    const QString text = QString::fromUtf8(utf8);
    g_free(utf8);
    return text;
}

/// Returns a text property.
inline QString text(gpointer object, const char *property)
{
    char *utf8 = nullptr;
    g_object_get(object, property, &utf8, nullptr);
    return takingText(utf8);
}

/// Returns a property that is a list of texts; NULL becomes an empty list.
inline QStringList texts(gpointer object, const char *property)
{
    char **utf8 = nullptr;
    g_object_get(object, property, &utf8, nullptr);
    QStringList texts;
    for (char **text = utf8; text && *text; ++text)
        texts.append(QString::fromUtf8(*text));
    g_strfreev(utf8);
    return texts;
}

/// Returns a boolean property.
inline bool flag(gpointer object, const char *property)
{
    gboolean value = FALSE;
    g_object_get(object, property, &value, nullptr);
    return value;
}

/// Returns a time in seconds since 1970; no time becomes one that never comes.
inline gint64 seconds(const QDateTime &time)
{
    return time.isValid() ? time.toSecsSinceEpoch() : G_MAXINT64;
}

/// A list of texts as a C array.
class Texts
{
public:
    explicit Texts(const QStringList &texts)
    {
        for (const QString &text : texts)
            m_utf8.push_back(text.toUtf8());
        for (const QByteArray &utf8 : m_utf8)
            m_pointers.push_back(utf8.constData());
        m_pointers.push_back(nullptr);
    }
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
    ~Properties()
    {
        for (GValue &value : m_values)
            g_value_unset(&value);
    }
    Q_DISABLE_COPY_MOVE(Properties)

    void add(const char *name, const QString &text)
    {
        if (!text.isEmpty())
            g_value_set_string(value(name, G_TYPE_STRING), text.toUtf8().constData());
    }

    void add(const char *name, const QStringList &texts)
    {
        if (!texts.isEmpty())
            g_value_set_boxed(value(name, G_TYPE_STRV), Texts(texts).orNull());
    }

    void add(const char *name, int number) { g_value_set_uint(value(name, G_TYPE_UINT), guint(number)); }
    void add(const char *name, bool flag) { g_value_set_boolean(value(name, G_TYPE_BOOLEAN), flag); }

    /// Creates the object.
    gpointer make(GType type)
    {
        return g_object_new_with_properties(type, guint(m_names.size()), m_names.data(), m_values.data());
    }

private:
    GValue *value(const char *name, GType type)
    {
        m_names.push_back(name);
        m_values.push_back(G_VALUE_INIT);
        return g_value_init(&m_values.back(), type);
    }

    std::vector<const char *> m_names;
    std::vector<GValue> m_values;
};

} // namespace SharedAuth::GLib
