// Tests of objects that are deleted during signals, and of options. test_qt.py builds it with the library's own sources
// and the address sanitizer, and runs it.

#include "futures.h"

#include <QSignalSpy>
#include <QThread>

#include <functional>
#include <optional>

using namespace SharedAuth;

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

    void deletionOfTheIdentityProvider()
    {
        made = new TestSession;
        auto *provider = new CustomProvider;
        provider->setIssuer("https://example.org");
        made->setIdentityProvider(provider);
        made->begin();
        std::optional<Request> kept;
        connect(provider, &CustomProvider::signIn, this, [&](const Request &request) {
            kept = request;
            provider->deleteLater();
        });
        QSignalSpy deleted(provider, &QObject::destroyed);
        const Future<User> signedIn = made->signInAnonymously();
        QVERIFY(deleted.wait(PATIENCE));
        kept->returnTokens("ada", "id", {}, QDateTime::currentDateTime().addSecs(3600));
        kept.reset();
        QVERIFY(result(signedIn));
        // The GObject of the provider refuses requests after that.
        const auto refused = result(made->signInWithPassword("ada@example.org", "right"));
        QCOMPARE(refused.error().code(), AuthError::OperationNotAllowed);
    }

    void aSessionThatIsNotRenewed()
    {
        TestSession session;
        CustomProvider provider;
        provider.setIssuer("https://example.org");
        session.setIdentityProvider(&provider);
        session.begin();
        connect(&provider, &CustomProvider::refresh, this, [&](const Request &request) {
            request.returnError(AuthError::OperationNotAllowed, "The app was removed.");
        });
        const QDateTime past = QDateTime::currentDateTime().addSecs(-10);
        QVERIFY(result(session.signInWithTokens("ada", "id", "refresh", past)));
        QVERIFY(!session.user().sessionFailure());
        QVERIFY(!result(session.getIdToken()));
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
        const auto signedIn = result(make()->createUser("ada@example.org", "correct horse"));
        const User user = made->user();
        delete made;
        waitForDeletion();
        QCOMPARE(user.email(), QString("ada@example.org"));
        QVERIFY(user.isSameAccount(*signedIn));
        QVERIFY(!user.isSameAccount(User()) && !User().isSameAccount(User()));
    }

    void accountsKeepOtherUsers()
    {
        made = new TestSession;
        made->setKeepsOtherUsers(true);
        made->begin();
        Accounts *accounts = made->accounts();
        QSignalSpy inserted(accounts, &Accounts::rowsInserted), removed(accounts, &Accounts::rowsRemoved);
        const User guest = *result(made->signInAnonymously());
        const User ada = *result(made->createUser("ada@example.org", "correct horse"));
        QTRY_COMPARE_WITH_TIMEOUT(accounts->count(), 2, PATIENCE);
        // The row of a user who stays is not replaced.
        QCOMPARE(removed.count(), 0);
        QCOMPARE(inserted.count(), 2);
        QVERIFY(result(made->switchAccount(guest)));
        QVERIFY(made->user().isSameAccount(guest));
        // The other account's token, without another switch.
        QCOMPARE(result(made->getIdTokenOf(ada, true))->count('.'), 2);
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
        TestSession session;
        session.setAppId({});
        qApp->setProperty("desktopFileName", "org.example.qt.desktop-file");
        QVERIFY(result(session.load()));
        QCOMPARE(GLib::text(session.object(), "app-id"), QString("org.example.qt.desktop-file"));
    }

    void errorsHaveTextsForPeople()
    {
        GError *locked = g_error_new_literal(SHARED_AUTH_ERROR, SHARED_AUTH_ERROR_KEYRING_LOCKED, "Call unlock().");
        const AuthError error = GLib::takingError(locked);
        QCOMPARE(error.text(), QStringLiteral("Call unlock()."));
        QCOMPARE(error.userMessage(), QStringLiteral("The keyring is locked. Unlock it, then try again."));
    }

    void closedSession()
    {
        made = new TestSession;
        CustomProvider provider;
        provider.setIssuer("https://example.org");
        made->setIdentityProvider(&provider);
        made->begin();
        QSignalSpy asked(&provider, &CustomProvider::refresh);
        QVERIFY(result(made->signInWithTokens("ada", "id", "refresh", QDateTime::currentDateTime().addSecs(3600))));
        QSignalSpy user(made.data(), &Session::userChanged);
        const Future<QString> stopped = made->getIdToken(true);
        QVERIFY(asked.wait(PATIENCE));
        made->close();
        made->close();
        QTRY_COMPARE_WITH_TIMEOUT(made->state(), Session::Unavailable, PATIENCE);
        QTRY_COMPARE_WITH_TIMEOUT(user.count(), 1, PATIENCE);
        QCOMPARE(made->error().code(), AuthError::AppDeleted);
        QVERIFY(!made->user().isValid());
        QCOMPARE(made->accounts()->count(), 0);
        QCOMPARE(result(stopped).error().code(), AuthError::AppDeleted);
        QCOMPARE(result(made->load()).error().code(), AuthError::AppDeleted);

        TestSession other;
        other.setAppId(made->appId());
        other.setProject(made->project());
        other.setTimeout(1000);
        other.begin();
        QVERIFY(result(other.load()));
        QVERIFY(other.user().isValid());
    }

    void sessionClosedBeforeItsStart()
    {
        TestSession session;
        QSignalSpy changed(&session, &Session::stateChanged);
        session.close();
        QVERIFY(changed.wait(PATIENCE));
        QCOMPARE(session.state(), Session::Unavailable);
        QCOMPARE(session.error().code(), AuthError::AppDeleted);
        QCOMPARE(result(session.signOut()).error().code(), AuthError::AppDeleted);
        QVERIFY(!session.object());
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

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    Lifetime lifetime;
    Futures futures;
    return QTest::qExec(&lifetime, argc, argv) | QTest::qExec(&futures, argc, argv);
}

#include "lifetime.moc"
