#pragma once

#include "User.h"

#include <QAbstractListModel>

#include <memory>

namespace SharedAuth {

class AccountsPrivate;

/// A model of the users of the access group in use, for views in Widgets and in QML. A session creates its own.
///
/// It has a role for each property of `User`, and the role `user` for the value itself.
class SHAREDAUTHQT_EXPORT Accounts : public QAbstractListModel
{
    Q_OBJECT
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    /// The role of the `User` itself. The roles of its properties follow, in their order.
    static constexpr int AccountRole = Qt::UserRole;

    ~Accounts() override;

    /// The number of users.
    int count() const;

    /// Returns the user of a row; no user if the row does not exist.
    Q_INVOKABLE SharedAuth::User at(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

Q_SIGNALS:
    void countChanged();

private:
    friend class AccountsPrivate;
    friend class Session;

    explicit Accounts(QObject *session);

    const std::unique_ptr<AccountsPrivate> d;
};

} // namespace SharedAuth
