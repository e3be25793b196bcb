#include "AccountsPrivate.h"

#include <QMetaProperty>
#include <QPointer>

#include <algorithm>

namespace SharedAuth {

static bool isSameObject(const User &one, const User &other)
{
    return UserData::object(one) == UserData::object(other);
}

void AccountsPrivate::show(const std::vector<User> &users)
{
    const auto first = std::mismatch(rows.begin(), rows.end(), users.begin(), users.end(), isSameObject);
    const auto last = std::mismatch(rows.rbegin(), std::make_reverse_iterator(first.first), users.rbegin(),
                                    std::make_reverse_iterator(first.second), isSameObject);
    const int begin = static_cast<int>(first.first - rows.begin());
    const int removed = static_cast<int>(last.first.base() - first.first);
    const std::vector<User> added(first.second, last.second.base());

    // A slot may delete the session, which owns this model.
    const QPointer<Accounts> model(q);
    const auto former = rows.size();
    if (removed > 0) {
        q->beginRemoveRows({}, begin, begin + removed - 1);
        rows.erase(rows.begin() + begin, rows.begin() + begin + removed);
        q->endRemoveRows();
    }
    if (model && !added.empty()) {
        q->beginInsertRows({}, begin, begin + static_cast<int>(added.size()) - 1);
        rows.insert(rows.begin() + begin, added.begin(), added.end());
        q->endInsertRows();
    }
    if (model && rows.size() != former)
        Q_EMIT model->countChanged();
}

void AccountsPrivate::update(const User &user)
{
    const auto isUser = [&](const User &row) { return isSameObject(row, user); };
    const auto row = std::find_if(rows.begin(), rows.end(), isUser);
    if (row == rows.end())
        return;
    *row = user;
    const QModelIndex place = q->index(static_cast<int>(row - rows.begin()));
    Q_EMIT q->dataChanged(place, place);
}

Accounts::Accounts(QObject *session) : QAbstractListModel(session), d(new AccountsPrivate(this)) {}

Accounts::~Accounts() = default;

int Accounts::count() const
{
    return static_cast<int>(d->rows.size());
}

User Accounts::at(int row) const
{
    return row >= 0 && row < count() ? d->rows[row] : User();
}

int Accounts::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : count();
}

QVariant Accounts::data(const QModelIndex &index, int role) const
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

QHash<int, QByteArray> Accounts::roleNames() const
{
    QHash<int, QByteArray> names = QAbstractListModel::roleNames();
    names.insert(AccountRole, "user");
    for (int index = 0; index < User::staticMetaObject.propertyCount(); ++index)
        names.insert(AccountRole + 1 + index, User::staticMetaObject.property(index).name());
    return names;
}

} // namespace SharedAuth
