// Tests of objects that are deleted during signals and calls, and of options and arguments. test_qt.py builds it with
// the address sanitizer and runs it.

#include <QSignalSpy>
#include <QTest>
#include <QThread>

#include <SharedAuthQt/Session.h>

#include <functional>
#include <optional>

using namespace SharedAuth;

namespace {

/// The limit of a wait, in milliseconds.
constexpr int PATIENCE = 60'000;

QString freshName()
{
    static int number = 0;
    return QStringLiteral("org.example.qt.app%1-%2").arg(++number).arg(QCoreApplication::applicationPid());
}

/// A session of an app that no other test uses. It counts the GObjects of such sessions.
class TestSession : public Session
{
public:
    static inline int existing = 0;

    TestSession()
    {
        setAppId(freshName());
        setProject(appId());
        setIdentityProvider(new LocalProvider(this));
    }

    /// Starts the session, and counts its GObject until that is finalized.
    void begin()
    {
        start();
        ++existing;
        g_object_weak_ref(G_OBJECT(object()), [](gpointer, GObject *) { --existing; }, nullptr);
    }
};

} // namespace

class Lifetime : public QObject
{
    Q_OBJECT

private:
    QPointer<TestSession> made;

    /// Returns a session that has started.
    TestSession *make()
    {
        made = new TestSession;
        made->begin();
        return made;
    }

    /// Waits until the session is deleted and its GObject finalized.
    void waitForDeletion()
    {
        QTRY_VERIFY_WITH_TIMEOUT(!made, PATIENCE);
        QTRY_COMPARE_WITH_TIMEOUT(TestSession::existing, 0, PATIENCE);
    }

    /// Deletes the session in a slot of a signal that `cause` leads to.
    template <typename Sender, typename Signal>
    void deletesIn(Sender *sender, Signal signal, const std::function<void()> &cause)
    {
        connect(sender, signal, this, [this] { delete made; });
        // Must not be called.
        connect(sender, signal, this, [] { QFAIL("a signal of a deleted object"); });
        cause();
        waitForDeletion();
    }

private Q_SLOTS:
    void cleanup()
    {
        delete made;
        QTRY_COMPARE_WITH_TIMEOUT(TestSession::existing, 0, PATIENCE);
    }

    void deletionBeforeTheStart()
    {
        delete new TestSession;
        QCoreApplication::processEvents();
    }

    void deletionBeforeTheFirstAnnouncement()
    {
        delete make();
        waitForDeletion();
    }

    void deletionInStateChanged() { deletesIn(make(), &Session::stateChanged, [] {}); }

    void deletionInAnnounced() { deletesIn(make(), &Session::announced, [] {}); }

    void deletionInUserChanged()
    {
        deletesIn(make(), &Session::userChanged, [this] { made->signInAnonymously(); });
    }

    void deletionInAccessGroupChanged()
    {
        deletesIn(make(), &Session::accessGroupChanged, [this] { made->useAccessGroup("group.org.example.qt"); });
    }

    void deletionInOptionsChanged()
    {
        made = new TestSession;
        deletesIn(made.data(), &Session::optionsChanged, [this] { made->setAccessGroup("group.org.example.qt"); });
    }

    void deletionInErrorChanged()
    {
        made = new TestSession;
        made->setAppId("two words");
        made->begin();
        deletesIn(made.data(), &Session::errorChanged, [] {});
    }

    void deletionInRowsOfTheModel()
    {
        deletesIn(make()->accounts(), &Accounts::rowsInserted, [this] { made->signInAnonymously(); });
    }

    void deletionInSucceeded()
    {
        deletesIn(make()->load(), &Call::succeeded, [] {});
    }

    void deletionInFailed()
    {
        deletesIn(make()->useAccessGroup("nonsense"), &Call::failed, [] {});
    }

    void deletionInFinished()
    {
        deletesIn(make()->load(), &Call::finished, [] {});
    }

    void deletionOfACallInItsSignal()
    {
        Call *call = make()->load();
        QSignalSpy deleted(call, &QObject::destroyed);
        connect(call, &Call::succeeded, this, [call] { delete call; });
        QVERIFY(deleted.wait(PATIENCE));
        QSignalSpy loaded(made->load(), &Call::succeeded);
        QVERIFY(loaded.wait(PATIENCE));
    }

    void callsDeleteThemselves()
    {
        QSignalSpy deleted(make()->load(), &QObject::destroyed);
        QVERIFY(deleted.wait(PATIENCE));
        QVERIFY(made->findChildren<Call *>().isEmpty());
    }

    void deletionDuringCallsOfEveryKind()
    {
        make();
        QSignalSpy loaded(made->signInAnonymously(), &Call::succeeded);
        QVERIFY(loaded.wait(PATIENCE));
        const User user = made->user();
        QVERIFY(user.isValid());
        const std::vector<Call *> calls{
            made->load(), made->useAccessGroup("group.org.example.qt"), made->getStoredUser({}),
            made->updateCurrentUser(user), made->migrate({}), made->switchAccount(user), made->signInAnonymously(),
            made->signInWithPassword("ada@example.org", "wrong"), made->createUser("ada@example.org", "right"),
            made->signInWithBrowser(), made->signInWithDeviceCode(),
            made->signInWithTokens("ada", "id", "refresh", QDateTime::currentDateTime()),
            made->linkWithPassword("eve@example.org", "right"), made->signOut(), made->getIdToken(),
            made->getAccessToken({"openid"}), made->unlock(), made->reload(), made->deleteUser(),
            made->getIdTokenOf(user), made->getAccessTokenOf(user, {"openid"}), made->reloadUser(user),
            made->linkUserWithPassword(user, "eve@example.org", "right"), made->signOutUser(user),
            made->deleteAccount(user)};
        // The list has every function that returns a call.
        int methods = 0;
        for (int index = 0; index < Session::staticMetaObject.methodCount(); ++index) {
            const QMetaMethod method = Session::staticMetaObject.method(index);
            const bool isWhole = !(method.attributes() & QMetaMethod::Cloned);
            methods += isWhole && QByteArray(method.typeName()) == "SharedAuth::Call*";
        }
        QCOMPARE(methods, int(calls.size()));
        int emitted = 0;
        for (const Call *call : calls)
            connect(call, &Call::finished, this, [&] { ++emitted; });
        delete made;
        waitForDeletion();
        QCOMPARE(emitted, 0);
    }

    void deletionOfTheIdentityProvider()
    {
        made = new TestSession;
        auto *provider = new CustomProvider;
        provider->issuer = "https://example.org";
        made->setIdentityProvider(provider);
        made->begin();
        std::optional<Request> kept;
        connect(provider, &CustomProvider::signIn, this, [&](const Request &request) {
            kept = request;
            provider->deleteLater();
        });
        QSignalSpy deleted(provider, &QObject::destroyed);
        QSignalSpy signedIn(made->signInAnonymously(), &Call::succeeded);
        QVERIFY(deleted.wait(PATIENCE));
        kept->returnTokens("ada", "id", {}, QDateTime::currentDateTime().addSecs(3600));
        kept.reset();
        QVERIFY(signedIn.wait(PATIENCE));
        // The GObject of the provider refuses requests after that.
        QSignalSpy refused(made->signInWithPassword("ada@example.org", "right"), &Call::failed);
        QVERIFY(refused.wait(PATIENCE));
        QCOMPARE(refused[0][0].value<AuthError>().code(), AuthError::OperationNotAllowed);
    }

    void aSessionThatIsNotRenewed()
    {
        TestSession session;
        CustomProvider provider;
        provider.issuer = "https://example.org";
        session.setIdentityProvider(&provider);
        session.begin();
        connect(&provider, &CustomProvider::refresh, this, [&](const Request &request) {
            request.returnError(AuthError::OperationNotAllowed, "The app was removed.");
        });
        Call *call = session.signInWithTokens("ada", "id", "refresh", QDateTime::currentDateTime().addSecs(-10));
        QSignalSpy signedIn(call, &Call::succeeded);
        QVERIFY(signedIn.wait(PATIENCE));
        QVERIFY(!session.user().sessionFailure());
        QSignalSpy refused(session.getIdToken(), &Call::failed);
        QVERIFY(refused.wait(PATIENCE));
        QTRY_VERIFY_WITH_TIMEOUT(session.user().sessionFailure(), PATIENCE);
        QCOMPARE(session.user().sessionFailure().code(), AuthError::RequiresRecentLogin);
        QVERIFY(session.user().sessionFailure().text().contains("The app was removed."));
    }

    void anotherThread()
    {
        QThread thread;
        std::atomic<QThread *> announced{nullptr};
        TestSession session;
        session.moveToThread(&thread);
        connect(&session, &Session::announced, &session, [&] { announced = QThread::currentThread(); });
        thread.start();
        QTRY_COMPARE_WITH_TIMEOUT(announced.load(), &thread, PATIENCE);
        QMetaObject::invokeMethod(&session, [&] { session.signInAnonymously(); });
        // The thread ends during the call.
        thread.quit();
        QVERIFY(thread.wait());
    }

    void usersOutliveTheirSession()
    {
        QSignalSpy signedIn(make()->createUser("ada@example.org", "correct horse"), &Call::succeeded);
        QVERIFY(signedIn.wait(PATIENCE));
        const User user = made->user();
        delete made;
        waitForDeletion();
        QCOMPARE(user.email(), QString("ada@example.org"));
        QVERIFY(user.isSameAccount(signedIn[0][0].value<User>()));
        QVERIFY(!user.isSameAccount(User()) && !User().isSameAccount(User()));
    }

    void accountsKeepOtherUsers()
    {
        made = new TestSession;
        made->setKeepsOtherUsers(true);
        made->begin();
        Accounts *accounts = made->accounts();
        QSignalSpy inserted(accounts, &Accounts::rowsInserted), removed(accounts, &Accounts::rowsRemoved);
        QSignalSpy first(made->signInAnonymously(), &Call::succeeded);
        QVERIFY(first.wait(PATIENCE));
        QSignalSpy second(made->createUser("ada@example.org", "correct horse"), &Call::succeeded);
        QVERIFY(second.wait(PATIENCE));
        QTRY_COMPARE_WITH_TIMEOUT(accounts->count(), 2, PATIENCE);
        // The row of a user who stays is not replaced.
        QCOMPARE(removed.count(), 0);
        QCOMPARE(inserted.count(), 2);
        const User guest = first[0][0].value<User>();
        QSignalSpy switched(made->switchAccount(guest), &Call::succeeded);
        QVERIFY(switched.wait(PATIENCE));
        QVERIFY(made->user().isSameAccount(guest));
        // The other account's token, without another switch.
        QSignalSpy token(made->getIdTokenOf(second[0][0].value<User>(), true), &Call::succeeded);
        QVERIFY(token.wait(PATIENCE));
        QCOMPARE(token[0][0].toString().count('.'), 2);
        QVERIFY(made->user().isSameAccount(guest));

        const int row = accounts->at(0).isSameAccount(guest) ? 1 : 0;
        const QModelIndex index = accounts->index(row, 0);
        QCOMPARE(index.data().toString(), QString("ada@example.org"));
        QCOMPARE(index.data(accounts->roleNames().key("email")).toString(), QString("ada@example.org"));
        QCOMPARE(index.data(accounts->roleNames().key("user")).value<User>().uid(), accounts->at(row).uid());
        QVERIFY(!accounts->at(2).isValid() && !accounts->at(-1).isValid());
        QVERIFY(!accounts->index(0, 0).data(Qt::DecorationRole).isValid());
    }

    void optionsReachTheLibrary()
    {
        TestSession session;
        session.setTeamId("TEAM");
        session.setAppName("second");
        session.setAccessGroups({"TEAM.org.example", "group.org.example"});
        session.setAccessGroup("group.org.example");
        session.setOwnUserPolicy(Session::Keep);
        session.setKeepsOtherUsers(true);
        session.setRefreshesTokens(false);
        session.setTimeout(1234);
        session.setIdentityTimeout(4321);
        session.setStore(Session::EncryptedFiles);
        session.setKeyFile("/nowhere/key");
        QSignalSpy changed(&session, &Session::optionsChanged);
        session.setTimeout(1234);
        QCOMPARE(changed.count(), 0);
        session.begin();
        QTest::ignoreMessage(QtWarningMsg, QRegularExpression("cannot be changed"));
        session.setTimeout(1);
        QCOMPARE(session.timeout(), 1234);

        char **groups = nullptr;
        guint timeout = 0, identityTimeout = 0;
        SharedAuthStore store = SHARED_AUTH_STORE_KEYRING;
        g_object_get(session.object(), "access-groups", &groups, "timeout", &timeout, "identity-timeout",
                     &identityTimeout, "store", &store, nullptr);
        QCOMPARE(GLib::takingText(g_strjoinv(" ", groups)), QString("TEAM.org.example group.org.example"));
        g_strfreev(groups);
        QCOMPARE(GLib::text(session.object(), "team-id"), session.teamId());
        QCOMPARE(GLib::text(session.object(), "app-name"), session.appName());
        QCOMPARE(GLib::text(session.object(), "key-file"), session.keyFile());
        QCOMPARE(timeout, 1234U);
        QCOMPARE(identityTimeout, 4321U);
        QCOMPARE(store, SHARED_AUTH_STORE_ENCRYPTED_FILES);
        SharedAuthOwnUserPolicy policy = SHARED_AUTH_OWN_USER_POLICY_CLEAR;
        g_object_get(session.object(), "own-user-policy", &policy, nullptr);
        QCOMPARE(policy, SHARED_AUTH_OWN_USER_POLICY_KEEP);
        QCOMPARE(session.accessGroup(), QString("group.org.example"));
        QVERIFY(GLib::flag(session.object(), "keeps-other-users"));
        QVERIFY(!GLib::flag(session.object(), "refreshes-tokens"));
    }

    void defaultsAreThoseOfTheLibrary()
    {
        const auto plain = GLib::taking(shared_auth_session_new("org.example.qt", nullptr));
        TestSession session;
        session.begin();
        for (const char *name : {"timeout", "identity-timeout"}) {
            guint one = 0, other = 0;
            g_object_get(plain.get(), name, &one, nullptr);
            g_object_get(session.object(), name, &other, nullptr);
            QCOMPARE(other, one);
        }
        for (const char *name : {"keeps-other-users", "refreshes-tokens"})
            QCOMPARE(GLib::flag(session.object(), name), GLib::flag(plain.get(), name));
        QCOMPARE(GLib::text(session.object(), "app-name"), GLib::text(plain.get(), "app-name"));
        QVERIFY(session.accessGroup().isEmpty());
        SharedAuthOwnUserPolicy one = SHARED_AUTH_OWN_USER_POLICY_KEEP, other = SHARED_AUTH_OWN_USER_POLICY_MIGRATE;
        g_object_get(plain.get(), "own-user-policy", &one, nullptr);
        g_object_get(session.object(), "own-user-policy", &other, nullptr);
        QCOMPARE(other, one);
    }

    void theAppIdIsThatOfTheDesktopFile()
    {
        Session session;
        qApp->setProperty("desktopFileName", "org.example.qt.desktop-file");
        QSignalSpy loaded(session.load(), &Call::finished);
        QCOMPARE(GLib::text(session.object(), "app-id"), QString("org.example.qt.desktop-file"));
        QVERIFY(loaded.wait(PATIENCE));
    }

    void tokensWithoutAnExpiry()
    {
        make();
        Call *call = made->signInWithTokens("ada", "an ID token", {}, {}, "https://example.org");
        QSignalSpy signedIn(call, &Call::succeeded);
        QVERIFY(signedIn.wait(PATIENCE));
        QSignalSpy token(made->getIdToken(), &Call::succeeded);
        QVERIFY(token.wait(PATIENCE));
        QCOMPARE(token[0][0].toString(), QString("an ID token"));
    }

    void errorsHaveTextsForPeople()
    {
        GError *locked = g_error_new_literal(SHARED_AUTH_ERROR, SHARED_AUTH_ERROR_KEYRING_LOCKED, "Call unlock().");
        const AuthError error = AuthError::taking(locked);
        QCOMPARE(error.text(), QStringLiteral("Call unlock()."));
        QCOMPARE(error.userMessage(), QStringLiteral("The keyring is locked. Unlock it, then try again."));
    }

    void wrongArgumentsFail()
    {
        make();
        const auto failure = [](Call *call) {
            QSignalSpy failed(call, &Call::failed);
            return failed.wait(PATIENCE) ? failed[0][0].value<AuthError>() : AuthError();
        };
        QCOMPARE(failure(made->switchAccount({})).code(), AuthError::NullUser);
        QCOMPARE(failure(made->updateCurrentUser({})).code(), AuthError::NullUser);
        QCOMPARE(failure(made->getIdTokenOf({})).code(), AuthError::NullUser);
        const User foreign = User::taking(SHARED_AUTH_USER(g_object_new(SHARED_AUTH_TYPE_USER, nullptr)));
        QCOMPARE(failure(made->signOutUser(foreign)).code(), AuthError::NullUser);
        const AuthError unknown = failure(made->migrate({}, Session::MigrationPolicy(99)));
        QCOMPARE(unknown.code(), AuthError::InternalError);
        QVERIFY(!unknown.text().isEmpty());
    }

    void deletionCancelsCalls()
    {
        made = new TestSession;
        CustomProvider provider;
        provider.issuer = "https://example.org";
        made->setIdentityProvider(&provider);
        made->begin();
        QSignalSpy asked(&provider, &CustomProvider::signIn);
        Call *call = made->signInAnonymously();
        QVERIFY(asked.wait(PATIENCE));
        const Request request = asked[0][0].value<Request>();
        QVERIFY(call->isRunning() && !request.isCancelled());
        delete made;
        QTRY_VERIFY_WITH_TIMEOUT(request.isCancelled(), PATIENCE);
    }

    void closedSession()
    {
        made = new TestSession;
        CustomProvider provider;
        provider.issuer = "https://example.org";
        made->setIdentityProvider(&provider);
        made->begin();
        QSignalSpy asked(&provider, &CustomProvider::refresh);
        Call *call = made->signInWithTokens("ada", "id", "refresh", QDateTime::currentDateTime().addSecs(3600));
        QSignalSpy signedIn(call, &Call::succeeded);
        QVERIFY(signedIn.wait(PATIENCE));
        QSignalSpy user(made.data(), &Session::userChanged);
        QSignalSpy stopped(made->getIdToken(true), &Call::failed);
        QVERIFY(asked.wait(PATIENCE));
        made->close();
        made->close();
        QTRY_COMPARE_WITH_TIMEOUT(made->state(), Session::Unavailable, PATIENCE);
        QTRY_COMPARE_WITH_TIMEOUT(user.count(), 1, PATIENCE);
        QCOMPARE(made->error().code(), AuthError::AppDeleted);
        QVERIFY(!made->user().isValid());
        QCOMPARE(made->accounts()->count(), 0);
        QTRY_COMPARE_WITH_TIMEOUT(stopped.count(), 1, PATIENCE);
        QCOMPARE(stopped[0][0].value<AuthError>().code(), AuthError::AppDeleted);
        QSignalSpy refused(made->load(), &Call::failed);
        QVERIFY(refused.wait(PATIENCE));
        QCOMPARE(refused[0][0].value<AuthError>().code(), AuthError::AppDeleted);

        TestSession other;
        other.setAppId(made->appId());
        other.setProject(made->project());
        other.setTimeout(1000);
        other.begin();
        QSignalSpy loaded(other.load(), &Call::succeeded);
        QVERIFY(loaded.wait(PATIENCE));
        QVERIFY(other.user().isValid());
    }

    void sessionClosedBeforeItsStart()
    {
        Session session;
        QSignalSpy changed(&session, &Session::stateChanged);
        session.close();
        QVERIFY(changed.wait(PATIENCE));
        QCOMPARE(session.state(), Session::Unavailable);
        QCOMPARE(session.error().code(), AuthError::AppDeleted);
        QVERIFY(!session.object());
        QSignalSpy refused(session.signOut(), &Call::failed);
        QVERIFY(refused.wait(PATIENCE));
    }

    void thousandSessions()
    {
        for (int round = 0; round < 100; ++round) {
            QObject owner;
            for (int number = 0; number < 10; ++number) {
                make()->setParent(&owner);
                made->load();
            }
            QCoreApplication::processEvents();
        }
        waitForDeletion();
    }

    void quittingDuringCalls()
    {
        make();
        made->signInAnonymously();
        made->signOut();
        // Deletes the session when the program ends and no event loop runs.
        made->setParent(this);
    }
};

QTEST_GUILESS_MAIN(Lifetime)
#include "lifetime.moc"
