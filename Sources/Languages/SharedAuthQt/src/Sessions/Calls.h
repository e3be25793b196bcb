#pragma once

#include "Outlet.h"
#include "Result.h"
#include "UserData.h"
#include "Worker.h"

#include <QFutureWatcher>
#include <QPromise>

#include <map>

namespace SharedAuth {

/// A function of the GObject library that returns the result of a call.
template <typename Object, typename Value>
using Finish = Value (*)(Object *, GAsyncResult *, GError **);

/// The results of the GObject library in C++.
template <typename Value>
struct Returned;

template <>
struct Returned<gboolean> {
    using Type = void;
    static Result<void> taking(gboolean) { return {}; }
};

template <>
struct Returned<char *> {
    using Type = QString;
    static Result<QString> taking(char *text) { return GLib::takingText(text); }
};

template <>
struct Returned<SharedAuthUser *> {
    using Type = User;
    static Result<User> taking(SharedAuthUser *user) { return UserData::taking(user); }
};

/// A text that is passed as NULL if it is empty.
struct OptionalText {
    QByteArray utf8;
};

inline OptionalText optional(const QString &text)
{
    return {text.toUtf8()};
}

// The arguments of the GObject library.

inline const char *argument(const QByteArray &utf8)
{
    return utf8.constData();
}

inline const char *argument(const OptionalText &text)
{
    return GLib::orNull(text.utf8);
}

inline const char *const *argument(const std::shared_ptr<GLib::Texts> &texts)
{
    return texts->orNull();
}

inline SharedAuthUser *argument(const User &user)
{
    return UserData::object(user).get();
}

template <typename Value>
Value argument(Value value)
{
    return value;
}

/// Returns a future that has failed.
template <typename Type>
Future<Type> failed(const AuthError &error)
{
    QPromise<Result<Type>> promise;
    promise.start();
    promise.addResult(error);
    promise.finish();
    return promise.future();
}

/// The calls in progress of a session.
class Calls
{
public:
    explicit Calls(const std::shared_ptr<Outlet> &outlet) : m_outlet(outlet) {}

    /// Makes a call on the worker.
    template <typename Object, typename Value, typename Start, typename... Arguments>
    auto begin(const std::shared_ptr<Object> &object, Start starting, Finish<Object, Value> finishing,
               const Arguments &...arguments)
    {
        using Type = typename Returned<Value>::Type;
        const auto call = std::make_shared<TypedCall<Type>>();
        const auto future = call->promise.future();
        const int number = ++m_last;
        m_calls[number] = call;
        Worker::post([=, outlet = m_outlet, cancellable = call->cancellable] {
            auto *data = new Callback<Object, Value>{finishing, outlet, this, number};
            starting(object.get(), argument(arguments)..., cancellable.get(), Callback<Object, Value>::call, data);
        });
        return future;
    }

    /// Finishes a call. Its continuations may delete the session.
    template <typename Type>
    void finish(int number, const Result<Type> &result)
    {
        const auto found = m_calls.extract(number);
        if (!found.empty())
            static_cast<TypedCall<Type> *>(found.mapped().get())->finish(result);
    }

    /// Cancels the calls, and finishes them with an error.
    void end(const AuthError &error);

private:
    class Call
    {
    public:
        virtual ~Call() = default;
        virtual void fail(const AuthError &error) = 0;
        void cancel() const;

        const std::shared_ptr<GCancellable> cancellable = GLib::taking(g_cancellable_new());
    };

    template <typename Type>
    class TypedCall : public Call
    {
    public:
        TypedCall()
        {
            promise.start();
            QObject::connect(&m_watcher, &QFutureWatcherBase::canceled, &m_watcher, [this] { this->cancel(); });
            m_watcher.setFuture(promise.future());
        }

        void fail(const AuthError &error) override { finish(error); }

        void finish(const Result<Type> &result)
        {
            // A future that the app has cancelled takes no result, and nobody sees the error.
            if (promise.isCanceled())
                (void)result.error();
            promise.addResult(result);
            promise.finish();
        }

        QPromise<Result<Type>> promise;

    private:
        QFutureWatcher<Result<Type>> m_watcher;
    };

    /// The data of the callback of a call, which passes the result to the session.
    template <typename Object, typename Value>
    struct Callback {
        Finish<Object, Value> finish;
        std::shared_ptr<Outlet> outlet;
        /// It is used on the thread of the session, as long as that exists.
        Calls *calls;
        int number;

        static void call(GObject *object, GAsyncResult *result, gpointer data)
        {
            using Type = typename Returned<Value>::Type;
            const std::unique_ptr<Callback> self(static_cast<Callback *>(data));
            GError *error = nullptr;
            auto *callee = reinterpret_cast<Object *>(object);
            const auto value = Returned<Value>::taking(self->finish(callee, result, &error));
            const AuthError failure = GLib::takingError(error);
            self->outlet->post([value, failure, calls = self->calls, number = self->number](QObject *) {
                calls->template finish<Type>(number, failure ? Result<Type>(failure) : value);
            });
        }
    };

    const std::shared_ptr<Outlet> m_outlet;
    std::map<int, std::shared_ptr<Call>> m_calls;
    int m_last = 0;
};

} // namespace SharedAuth
