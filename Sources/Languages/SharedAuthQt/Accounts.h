#pragma once

#include "User.h"

#include <QAbstractListModel>
#include <QMetaProperty>
#include <QPointer>

#include <algorithm>

namespace SharedAuth {

/// A model of the users of the access group in use, for views in Widgets and in QML.
///
/// It has a role for each property of `User`, and the role `user` for the value itself.
class Accounts : public QAbstractListModel
{
    Q_OBJECT
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    /// The role of the `User` itself. The roles of its properties follow, in their order.
    static constexpr int AccountRole = Qt::UserRole;

    explicit Accounts(QObject *parent = nullptr) : QAbstractListModel(parent) {}

    /// Shows a list of `SharedAuthUser` and its changes.
    void follow(GListModel *list)
    {
        m_list = GLib::sharing(list);
        const auto changed = +[](GListModel *, guint, guint, guint, gpointer self) {
            static_cast<Accounts *>(self)->update();
        };
        m_listChanged = GLib::connect(list, "items-changed", changed, this);
        update();
    }

    /// The number of users.
    int count() const { return static_cast<int>(m_rows.size()); }

    /// Returns the user of a row; no user if the row does not exist.
    Q_INVOKABLE SharedAuth::User at(int row) const { return row >= 0 && row < count() ? m_rows[row].user : User(); }

    int rowCount(const QModelIndex &parent = {}) const override { return parent.isValid() ? 0 : count(); }

    QVariant data(const QModelIndex &index, int role) const override
    {
        const User user = at(index.row());
        if (!user.isValid())
            return {};
        if (role == AccountRole)
            return QVariant::fromValue(user);
        if (role == Qt::DisplayRole) {
            const QString named = user.displayName().isEmpty() ? user.email() : user.displayName();
            return named.isEmpty() ? user.uid() : named;
        }
        return User::staticMetaObject.property(role - AccountRole - 1).readOnGadget(&user);
    }

    QHash<int, QByteArray> roleNames() const override
    {
        QHash<int, QByteArray> names = QAbstractListModel::roleNames();
        names.insert(AccountRole, "user");
        for (int index = 0; index < User::staticMetaObject.propertyCount(); ++index)
            names.insert(AccountRole + 1 + index, User::staticMetaObject.property(index).name());
        return names;
    }

Q_SIGNALS:
    void countChanged();

private:
    struct Row {
        User user;
        GLib::Handler changed;
    };

    /// Applies a change of the list; the rows before and after it stay.
    void update()
    {
        std::vector<std::shared_ptr<SharedAuthUser>> users;
        const guint length = g_list_model_get_n_items(m_list.get());
        for (guint index = 0; index < length; ++index)
            users.push_back(GLib::taking(static_cast<SharedAuthUser *>(g_list_model_get_item(m_list.get(), index))));

        const auto isShown = [](const Row &row, const auto &user) { return row.user.object() == user.get(); };
        const auto first = std::mismatch(m_rows.begin(), m_rows.end(), users.begin(), users.end(), isShown);
        const auto last = std::mismatch(m_rows.rbegin(), std::make_reverse_iterator(first.first), users.rbegin(),
                                        std::make_reverse_iterator(first.second), isShown);
        const int begin = static_cast<int>(first.first - m_rows.begin());
        const int removed = static_cast<int>(last.first.base() - first.first);
        const std::vector<std::shared_ptr<SharedAuthUser>> added(first.second, last.second.base());

        // A slot may delete the session, which owns this model.
        const QPointer<Accounts> self(this);
        const int former = count();
        if (removed > 0) {
            beginRemoveRows({}, begin, begin + removed - 1);
            m_rows.erase(m_rows.begin() + begin, m_rows.begin() + begin + removed);
            endRemoveRows();
        }
        if (self && !added.empty()) {
            beginInsertRows({}, begin, begin + static_cast<int>(added.size()) - 1);
            std::vector<Row> rows;
            for (const auto &user : added)
                rows.push_back(row(user.get()));
            m_rows.insert(m_rows.begin() + begin, rows.begin(), rows.end());
            endInsertRows();
        }
        if (self && count() != former)
            Q_EMIT countChanged();
    }

    Row row(SharedAuthUser *user)
    {
        const auto changed = +[](SharedAuthUser *object, GParamSpec *, gpointer self) {
            static_cast<Accounts *>(self)->update(object);
        };
        return {User::reading(user), GLib::connect(user, "notify", changed, this)};
    }

    /// Updates the row of a user whose properties have changed.
    void update(SharedAuthUser *object)
    {
        const auto isObject = [object](const Row &row) { return row.user.object() == object; };
        const auto row = std::find_if(m_rows.begin(), m_rows.end(), isObject);
        if (row == m_rows.end())
            return;
        row->user = User::reading(object);
        const QModelIndex place = index(static_cast<int>(row - m_rows.begin()));
        Q_EMIT dataChanged(place, place);
    }

    std::shared_ptr<GListModel> m_list;
    std::vector<Row> m_rows;
    GLib::Handler m_listChanged;
};

} // namespace SharedAuth
