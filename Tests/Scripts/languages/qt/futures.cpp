#include "futures.h"

#include <QSignalSpy>
#include <QThread>

using namespace SharedAuth;

namespace {

/// A provider whose requests wait, and the first of them.
class WaitingProvider : public CustomProvider
{
public:
    WaitingProvider()
    {
        setIssuer("https://example.org");
        connect(this, &CustomProvider::signIn, this, [this](const Request &request) { asked = request; });
    }

    std::optional<Request> asked;
};

QRegularExpression unseen(const QString &text)
{
    return QRegularExpression("^SharedAuth: An error was not handled .*" + text);
}

} // namespace

TestSession *Futures::make()
{
    made = new TestSession;
    made->begin();
    return made;
}

void Futures::cleanup()
{
    delete made;
    QTRY_COMPARE_WITH_TIMEOUT(TestSession::existing, 0, PATIENCE);
}

void Futures::valuesAndErrors()
{
    make();
    const Result<User> user = result(made->createUser("ada@example.org", "correct horse"));
    QVERIFY(user);
    QVERIFY(!user.error());
    QCOMPARE(user->email(), QString("ada@example.org"));
    QCOMPARE((*user).uid(), made->user().uid());
    const Result<void> group = result(made->useAccessGroup("nonsense"));
    QVERIFY(!group);
    QCOMPARE(group.error().code(), AuthError::InvalidAccessGroup);
    QVERIFY(result(made->signOut()));
}

void Futures::unseenErrorsAreLogged()
{
    make();
    QTest::ignoreMessage(QtWarningMsg, unseen("nonsense"));
    QVERIFY(QTest::qWaitFor([future = made->useAccessGroup("nonsense")] { return future.isFinished(); }, PATIENCE));
    // Nobody has the future.
    QSignalSpy loaded(made.data(), &Session::announced);
    QTest::ignoreMessage(QtWarningMsg, unseen("given none"));
    made->switchAccount({});
    // A continuation has looked at the values of others only.
    QTest::ignoreMessage(QtWarningMsg, unseen("nonsense"));
    bool isCalled = false;
    made->useAccessGroup("nonsense").then([&](const Result<void> &) { isCalled = true; });
    QTRY_VERIFY_WITH_TIMEOUT(isCalled, PATIENCE);
}

void Futures::seenErrorsAreNotLogged()
{
    make();
    QTest::failOnWarning(unseen(""));
    QVERIFY(!result(made->useAccessGroup("nonsense")));
    const AuthError error = result(made->switchAccount({})).error();
    QCOMPARE(error.code(), AuthError::NullUser);
}

void Futures::theValueOfAFailedCallIsEmpty()
{
    make();
    QTest::ignoreMessage(QtWarningMsg, unseen(""));
    const Result<QString> token = result(made->getIdToken());
    QVERIFY(token->isEmpty());
    QTest::failOnWarning(unseen(""));
    QVERIFY(token.value().isEmpty());
    const Result<User> user = result(made->signInWithPassword("ada@example.org", "wrong"));
    QVERIFY(!user);
    QVERIFY(!user.value().isValid());
}

/// A continuation runs on the thread of the session, or on that of its context.
void Futures::continuations()
{
    QThread thread;
    QObject context;
    context.moveToThread(&thread);
    thread.start();
    QThread *direct = nullptr;
    std::atomic<QThread *> elsewhere = nullptr;
    const auto length = make()->createUser("ada@example.org", "correct horse")
                            .then([&](const Result<User> &user) {
                                direct = QThread::currentThread();
                                return user->email().size();
                            })
                            .then(&context, [&](qsizetype size) {
                                elsewhere = QThread::currentThread();
                                return size;
                            });
    QVERIFY(QTest::qWaitFor([&] { return length.isFinished(); }, PATIENCE));
    QCOMPARE(length.result(), qsizetype(15));
    QCOMPARE(direct, QThread::currentThread());
    QCOMPARE(elsewhere.load(), &thread);
    thread.quit();
    QVERIFY(thread.wait());
}

void Futures::deletionInAContinuation()
{
    make();
    made->load().then([&](const Result<User> &) { delete made; });
    QTRY_VERIFY_WITH_TIMEOUT(!made, PATIENCE);
}

std::vector<QFuture<AuthError>> Futures::callsOfEveryKind(const User &user)
{
    const QDateTime now = QDateTime::currentDateTime();
    std::vector<QFuture<AuthError>> errors;
    const auto error = [](const Outcome &outcome) { return outcome.error(); };
    const auto add = [&](auto future) { errors.push_back(future.then(error)); };
    add(made->load());
    add(made->useAccessGroup("group.org.example.qt"));
    add(made->getStoredUser({}));
    add(made->updateCurrentUser(user));
    add(made->migrate({}));
    add(made->switchAccount(user));
    add(made->signInAnonymously());
    add(made->signInWithPassword("ada@example.org", "wrong"));
    add(made->createUser("ada@example.org", "right"));
    add(made->signInWithBrowser());
    add(made->signInWithDeviceCode());
    add(made->signInWithTokens("ada", "id", "refresh", now));
    add(made->linkWithPassword("eve@example.org", "right"));
    add(made->signOut());
    add(made->getIdToken());
    add(made->getAccessToken({"openid"}));
    add(made->unlock());
    add(made->reload());
    add(made->deleteUser());
    add(made->getIdTokenOf(user));
    add(made->getAccessTokenOf(user, {"openid"}));
    add(made->reloadUser(user));
    add(made->linkUserWithPassword(user, "eve@example.org", "right"));
    add(made->signOutUser(user));
    add(made->deleteAccount(user));
    return errors;
}

void Futures::deletionFinishesCallsOfEveryKind()
{
    const User user = *result(make()->signInAnonymously());
    const auto errors = callsOfEveryKind(user);
    delete made;
    // Without an event loop.
    for (const auto &error : errors) {
        QVERIFY(error.isFinished());
        QCOMPARE(error.result().code(), AuthError::AppDeleted);
    }
}

/// A continuation that uses the session while that is deleted gets errors.
void Futures::callsDuringTheDeletion()
{
    make();
    AuthError again;
    Future<User> late;
    made->load().then(made.data(), [&, session = made.data()](const Result<User> &user) {
        again = user.error();
        late = session->load();
    });
    delete made;
    QCOMPARE(again.code(), AuthError::AppDeleted);
    QVERIFY(late.isFinished());
    QCOMPARE(late.result().error().code(), AuthError::AppDeleted);
}

void Futures::deletionCancelsCalls()
{
    WaitingProvider provider;
    made = new TestSession;
    made->setIdentityProvider(&provider);
    made->begin();
    const Future<User> call = made->signInAnonymously();
    QTRY_VERIFY_WITH_TIMEOUT(provider.asked, PATIENCE);
    QVERIFY(!call.isFinished() && !provider.asked->isCancelled());
    delete made;
    QCOMPARE(call.result().error().code(), AuthError::AppDeleted);
    QTRY_VERIFY_WITH_TIMEOUT(provider.asked->isCancelled(), PATIENCE);
}

/// A cancelled future cancels the call, and is finished when that has ended.
void Futures::cancellation()
{
    WaitingProvider provider;
    made = new TestSession;
    made->setIdentityProvider(&provider);
    made->begin();
    Future<User> call = made->signInAnonymously();
    QTRY_VERIFY_WITH_TIMEOUT(provider.asked, PATIENCE);
    bool isContinued = false, isCanceled = false;
    call.then([&](const Result<User> &) { isContinued = true; }).onCanceled([&] { isCanceled = true; });
    call.cancel();
    QVERIFY(call.isCanceled() && !call.isFinished());
    QTRY_VERIFY_WITH_TIMEOUT(call.isFinished(), PATIENCE);
    QVERIFY(isCanceled && !isContinued);
    QCOMPARE(call.resultCount(), 0);
    QVERIFY(provider.asked->isCancelled());
    QVERIFY(result(made->load()));
}

/// A call that has ended cannot be cancelled, and a call can be cancelled before it begins.
void Futures::cancellationAtTheEnd()
{
    make();
    Future<User> call = made->load();
    QVERIFY(result(call));
    call.cancel();
    Future<User> early = made->createUser("ada@example.org", "correct horse");
    early.cancel();
    QTRY_VERIFY_WITH_TIMEOUT(early.isFinished(), PATIENCE);
    delete made;
    QVERIFY(early.isCanceled());
}

void Futures::wrongArgumentsFail()
{
    make();
    QCOMPARE(result(made->switchAccount({})).error().code(), AuthError::NullUser);
    QCOMPARE(result(made->updateCurrentUser({})).error().code(), AuthError::NullUser);
    QCOMPARE(result(made->getIdTokenOf({})).error().code(), AuthError::NullUser);
    const User foreign = UserData::taking(SHARED_AUTH_USER(g_object_new(SHARED_AUTH_TYPE_USER, nullptr)));
    QCOMPARE(result(made->signOutUser(foreign)).error().code(), AuthError::NullUser);
    const AuthError unknown = result(made->migrate({}, Session::MigrationPolicy(99))).error();
    QCOMPARE(unknown.code(), AuthError::InternalError);
    QVERIFY(!unknown.text().isEmpty());
    Request none;
    none.returnDone();
    QVERIFY(none.email().isEmpty() && !none.isCancelled());
}

void Futures::tokensWithoutAnExpiry()
{
    make();
    QVERIFY(result(made->signInWithTokens("ada", "an ID token", {}, {}, "https://example.org")));
    QCOMPARE(*result(made->getIdToken()), QString("an ID token"));
}
