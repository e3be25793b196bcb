#pragma once

#include "Accounts.h"
#include "UserData.h"

namespace SharedAuth {

/// The rows of a model of users.
class AccountsPrivate
{
public:
    explicit AccountsPrivate(Accounts *model) : q(model) {}

    /// Shows a list of users. The rows before and after a change stay.
    void show(const std::vector<User> &users);

    /// Shows the new properties of a user.
    void update(const User &user);

    std::vector<User> rows;

    static AccountsPrivate *of(Accounts *model) { return model->d.get(); }

private:
    Accounts *const q;
};

} // namespace SharedAuth
