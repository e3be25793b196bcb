#include "Result.h"

#include <atomic>

namespace SharedAuth {

class OutcomeData : public QSharedData
{
public:
    explicit OutcomeData(const AuthError &reason) : error(reason) {}
    ~OutcomeData() { report(); }

    void report()
    {
        const bool isOfTheApp = error.code() == AuthError::Cancelled || error.code() == AuthError::AppDeleted;
        if (!isSeen.exchange(true) && !isOfTheApp)
            qWarning("SharedAuth: An error was not handled (%d): %ls", error.code(), qUtf16Printable(error.text()));
    }

    const AuthError error;
    std::atomic<bool> isSeen = false;
};

Outcome::Outcome() = default;
Outcome::Outcome(const Outcome &other) = default;
Outcome::Outcome(Outcome &&other) noexcept = default;
Outcome &Outcome::operator=(const Outcome &other) = default;
Outcome &Outcome::operator=(Outcome &&other) noexcept = default;
Outcome::~Outcome() = default;

Outcome::Outcome(const AuthError &error) : d(error ? new OutcomeData(error) : nullptr) {}

Outcome::operator bool() const
{
    if (d)
        d->isSeen = true;
    return !d;
}

AuthError Outcome::error() const
{
    if (!d)
        return {};
    d->isSeen = true;
    return d->error;
}

void Outcome::report() const
{
    if (d)
        d->report();
}

} // namespace SharedAuth
