#include "Calls.h"

namespace SharedAuth {

void Calls::Call::cancel() const
{
    Worker::post([cancelled = cancellable] { g_cancellable_cancel(cancelled.get()); });
}

void Calls::end(const AuthError &error)
{
    const auto ended = std::move(m_calls);
    m_calls.clear();
    for (const auto &[number, call] : ended)
        call->cancel();
    for (const auto &[number, call] : ended)
        call->fail(error);
}

} // namespace SharedAuth
