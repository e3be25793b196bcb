#pragma once

#include "AuthError.h"

#include <QExplicitlySharedDataPointer>
#include <QFuture>

namespace SharedAuth {

class OutcomeData;

/// Whether a call succeeded, or else its error.
///
/// An error is not lost: if nobody has looked at it when its last copy is destroyed, it is logged as a warning. Only
/// the codes `Cancelled` and `AppDeleted` are not, which the app causes itself.
class SHAREDAUTHQT_EXPORT Outcome
{
public:
    /// Whether the call succeeded.
    explicit operator bool() const;

    /// The error; no error if the call succeeded.
    AuthError error() const;

    Outcome(const Outcome &other);
    Outcome(Outcome &&other) noexcept;
    Outcome &operator=(const Outcome &other);
    Outcome &operator=(Outcome &&other) noexcept;
    ~Outcome();

protected:
    /// A success.
    Outcome();
    /// A failure.
    Outcome(const AuthError &error);

    /// Logs the error, unless somebody has looked at it.
    void report() const;

private:
    /// None if the call succeeded.
    QExplicitlySharedDataPointer<OutcomeData> d;
};

/// The value that a call returns, or its error.
template <typename Value>
class [[nodiscard]] Result : public Outcome
{
public:
    Result() = default;
    Result(const Value &value) : m_value(value) {}
    Result(const AuthError &error) : Outcome(error) {}

    /// The value. That of a failed call is an empty one: no user, or no text. If nobody has looked at the error, it is
    /// logged.
    const Value &value() const
    {
        report();
        return m_value;
    }
    const Value &operator*() const { return value(); }
    const Value *operator->() const { return &value(); }

private:
    Value m_value{};
};

/// The success of a call that returns no value, or its error.
template <>
class [[nodiscard]] Result<void> : public Outcome
{
public:
    Result() = default;
    Result(const AuthError &error) : Outcome(error) {}
};

/// The result of a call, once it is there. See `Session`.
template <typename Value>
using Future = QFuture<Result<Value>>;

} // namespace SharedAuth
