#include "GLib.h"

namespace SharedAuth::GLib {

AuthError takingError(GError *error)
{
    if (!error)
        return {};
    auto code = AuthError::InternalError;
    if (error->domain == SHARED_AUTH_ERROR)
        code = static_cast<AuthError::Code>(error->code);
    else if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
        code = AuthError::Cancelled;
    const AuthError taken(code, QString::fromUtf8(error->message),
                          QString::fromUtf8(shared_auth_error_get_user_message(error)));
    g_error_free(error);
    return taken;
}

QString takingText(char *utf8)
{
    const QString text = QString::fromUtf8(utf8);
    g_free(utf8);
    return text;
}

QString text(gpointer object, const char *property)
{
    char *utf8 = nullptr;
    g_object_get(object, property, &utf8, nullptr);
    return takingText(utf8);
}

QStringList texts(gpointer object, const char *property)
{
    char **utf8 = nullptr;
    g_object_get(object, property, &utf8, nullptr);
    QStringList texts;
    for (char **text = utf8; text && *text; ++text)
        texts.append(QString::fromUtf8(*text));
    g_strfreev(utf8);
    return texts;
}

bool flag(gpointer object, const char *property)
{
    gboolean value = FALSE;
    g_object_get(object, property, &value, nullptr);
    return value;
}

gint64 seconds(const QDateTime &time)
{
    return time.isValid() ? time.toSecsSinceEpoch() : G_MAXINT64;
}

const char *orNull(const QByteArray &utf8)
{
    return utf8.isEmpty() ? nullptr : utf8.constData();
}

Texts::Texts(const QStringList &texts)
{
    for (const QString &text : texts)
        m_utf8.push_back(text.toUtf8());
    for (const QByteArray &utf8 : m_utf8)
        m_pointers.push_back(utf8.constData());
    m_pointers.push_back(nullptr);
}

Properties::~Properties()
{
    for (GValue &value : m_values)
        g_value_unset(&value);
}

void Properties::add(const char *name, const QString &text)
{
    if (!text.isEmpty())
        g_value_set_string(value(name, G_TYPE_STRING), text.toUtf8().constData());
}

void Properties::add(const char *name, const QStringList &texts)
{
    if (!texts.isEmpty())
        g_value_set_boxed(value(name, G_TYPE_STRV), Texts(texts).orNull());
}

void Properties::add(const char *name, int number)
{
    g_value_set_uint(value(name, G_TYPE_UINT), guint(number));
}

void Properties::add(const char *name, bool flag)
{
    g_value_set_boolean(value(name, G_TYPE_BOOLEAN), flag);
}

gpointer Properties::make(GType type)
{
    return g_object_new_with_properties(type, guint(m_names.size()), m_names.data(), m_values.data());
}

GValue *Properties::value(const char *name, GType type)
{
    m_names.push_back(name);
    m_values.push_back(G_VALUE_INIT);
    return g_value_init(&m_values.back(), type);
}

} // namespace SharedAuth::GLib
