// Uses the library with Qt Widgets, for test_qt.py: plays the part named by its first argument, and prints what it
// observes.

#include <QApplication>
#include <QFutureWatcher>
#include <QLabel>
#include <QListView>
#include <QMetaEnum>
#include <QRegularExpression>
#include <QTextStream>

// After headers of Qt, because apps include it in any order.
#include <SharedAuthQt/SharedAuthQt.h>

#include <cstdio>

using namespace SharedAuth;

namespace {

void print(const QStringList &words)
{
    std::printf("%s\n", qUtf8Printable(words.join(QLatin1Char(' ')).trimmed()));
    std::fflush(stdout);
}

template <typename... Words>
void print(const char *verb, const Words &...words)
{
    print(QStringList{QString::fromUtf8(verb), words...});
}

QString text(bool isTrue)
{
    return QString::fromUtf8(isTrue ? "true" : "false");
}

QString text(int number)
{
    return QString::number(number);
}

/// Waits for the result of a call; that of a cancelled one is an error here.
template <typename Value>
Result<Value> finished(const Future<Value> &future)
{
    QEventLoop loop;
    QFutureWatcher<Result<Value>> watcher;
    QObject::connect(&watcher, &QFutureWatcherBase::finished, &loop, &QEventLoop::quit);
    watcher.setFuture(future);
    loop.exec();
    if (future.isCanceled())
        return AuthError(AuthError::Cancelled, QStringLiteral("cancelled"));
    return future.result();
}

void printFailure(const Outcome &outcome)
{
    const AuthError error = outcome.error();
    const bool isCancelled = error.code() == AuthError::Cancelled;
    const QString domain = QString::fromUtf8(isCancelled ? "g-io-error-quark" : "shared-auth-error-quark");
    print("failed", domain, text(isCancelled ? 19 : int(error.code())));
}

QString orNull(const User &user)
{
    return user.isValid() ? user.uid() : QStringLiteral("null");
}

QDateTime inAnHour()
{
    return QDateTime::currentDateTime().addSecs(3600);
}

class Program
{
public:
    explicit Program(const QStringList &arguments)
    {
        m_session.setAppId(arguments[2]);
        m_session.setProject(arguments[3]);
    }

    void watch(const QString &accessGroup)
    {
        m_session.setAccessGroup(accessGroup);
        m_label.setText(QStringLiteral("no user"));
        m_list.setModel(m_session.accounts());
        m_list.show();
        printState();
        QObject::connect(&m_session, &Session::stateChanged, &m_label, [this] { printState(); });
        QObject::connect(&m_session, &Session::errorChanged, &m_label, [this] {
            if (m_session.error())
                print("error", text(m_session.error().code()));
        });
        QObject::connect(&m_session, &Session::accessGroupChanged, &m_label,
                         [this] { print("group", m_session.accessGroup()); });
        QObject::connect(&m_session, &Session::userChanged, &m_label, [this] {
            const User former = m_user;
            m_user = m_session.user();
            m_label.setText(m_user.isValid() ? m_user.uid() : QStringLiteral("no user"));
            if (m_user.isSameAccount(former) && m_user.displayName() != former.displayName())
                print("renamed", m_list.model()->index(0, 0).data().toString());
        });
        QObject::connect(&m_session, &Session::announced, &m_label, [this](const User &user) {
            const bool isShown = m_label.text() == (user.isValid() ? user.uid() : QStringLiteral("no user"));
            const bool isListed = m_list.model()->rowCount() == (user.isValid() ? 1 : 0);
            const bool isState = (m_session.state() == Session::SignedIn) == user.isValid();
            if (!isShown || !isListed || !isState)
                qFatal("the properties are not those of the announcement");
            print("announced", user.isValid() ? user.uid() : QStringLiteral("nobody"));
        });
        QCoreApplication::exec();
    }

    void account()
    {
        LocalProvider provider;
        m_session.setIdentityProvider(&provider);
        const QString email = QStringLiteral("ada@example.org"), password = QStringLiteral("correct horse");
        print("loaded", orNull(*finished(m_session.load())));
        printFailure(finished(m_session.createUser(email, QStringLiteral("x"))));
        const User user = *finished(m_session.createUser(email, password));
        print("created", user.email(), text(user.isAnonymous()), text(user.isSameAccount(m_session.user())));
        print("accounts", m_session.accounts()->at(0).email());
        print("token", text(int(finished(m_session.getIdToken())->split(QLatin1Char('.')).size())));
        print("stored", finished(m_session.getStoredUser({}))->email());
        printFailure(finished(m_session.useAccessGroup(QStringLiteral("nonsense"))));
        const Outcome signedOut = finished(m_session.signOut());
        print("signed out", text(bool(signedOut)), orNull(m_session.user()));
        const Outcome wrong = finished(m_session.signInWithPassword(email, QStringLiteral("wrong horse")));
        print("wrong password", text(wrong.error().code() == AuthError::WrongPassword));
    }

    /// Cancels a call that waits for the keyring.
    void cancel()
    {
        Future<User> stored = m_session.getStoredUser({});
        stored.cancel();
        printFailure(finished(stored));
    }

    void provider()
    {
        CustomProvider provider;
        provider.setIssuer(QStringLiteral("https://example.org"));
        m_session.setIdentityProvider(&provider);
        const QString uid = QStringLiteral("ada"), email = QStringLiteral("ada@example.org");
        Future<User> cancelled;
        Request kept;
        // One signal is connected before the session starts, the others after that.
        QObject::connect(&provider, &CustomProvider::signIn, &m_label, [&](const Request &request) {
            if (request.kind() == Request::NewAccount) {
                kept = request;
                cancelled.cancel();
            } else if (request.password() == QStringLiteral("right")) {
                request.returnTokens(uid, QStringLiteral("id-1"), QStringLiteral("refresh-1"), inAnHour());
            } else if (request.kind() == Request::Password) {
                request.returnError(AuthError::WrongPassword, QStringLiteral("The password is wrong."));
            }
            // An anonymous sign-in is not completed: it fails with the last copy of the request.
        });
        printFailure(finished(m_session.signInWithPassword(email, QStringLiteral("wrong"))));
        QObject::connect(&provider, &CustomProvider::refresh, &m_label, [&](const Request &request) {
            print("refresh", request.refreshToken());
            request.returnTokens(uid, QStringLiteral("id-2"), QStringLiteral("refresh-2"), inAnHour());
            // Ignored.
            request.returnTokens(uid, QStringLiteral("id-3"), QStringLiteral("refresh-3"), inAnHour());
        });
        QObject::connect(&provider, &CustomProvider::profile, &m_label, [&](const Request &request) {
            request.returnProfile(uid, email, true, QStringLiteral("Ada"));
        });
        QString revoked;
        QEventLoop revocation;
        QObject::connect(&provider, &CustomProvider::revoke, &m_label, [&](const Request &request) {
            request.returnDone();
            revoked = request.refreshToken();
            revocation.quit();
        });

        const User user = *finished(m_session.signInWithPassword(email, QStringLiteral("right")));
        print("signed in", user.uid(), user.issuer(), user.displayName(), text(user.isEmailVerified()));
        print("token", *finished(m_session.getIdToken()));
        print("token", *finished(m_session.getIdToken(true)));
        if (const Outcome signedOut = finished(m_session.signOut()); !signedOut)
            printFailure(signedOut);
        if (revoked.isEmpty())
            revocation.exec();
        print("revoked", revoked);
        printFailure(finished(m_session.signInAnonymously()));
        cancelled = m_session.createUser(QStringLiteral("eve@example.org"), QStringLiteral("right"));
        const Outcome stopped = finished(cancelled);
        if (kept.isCancelled())
            print("request cancelled");
        printFailure(stopped);
    }

    /// Gets the token of the first user who is announced.
    void refresh()
    {
        CustomProvider provider;
        provider.setIssuer(QStringLiteral("https://example.org"));
        m_session.setIdentityProvider(&provider);
        int asked = 0;
        QObject::connect(&provider, &CustomProvider::refresh, &m_label, [&](const Request &request) {
            ++asked;
            request.returnTokens(QStringLiteral("ada"), QStringLiteral("id-of-Qt"), QStringLiteral("refresh-1"),
                                 inAnHour());
        });
        print("loaded", orNull(*finished(m_session.load())));
        QEventLoop loop;
        QObject::connect(&m_session, &Session::announced, &loop, [&](const User &user) {
            if (user.isValid())
                loop.quit();
        });
        loop.exec();
        const QString token = *finished(m_session.getIdToken());
        print("", token, text(asked));
    }

    /// Signs in at an OpenID provider: in the browser, or with a device code.
    void openid(const QString &issuer, bool isInBrowser)
    {
        OpenIdProvider provider;
        provider.setIssuer(issuer);
        provider.setClientId(QStringLiteral("desktop"));
        provider.setRedirectPath(QStringLiteral("/callback"));
        m_session.setIdentityProvider(&provider);
        QObject::connect(&m_session, &Session::openAddress, &m_label, [](const QUrl &address) {
            print("page", address.toString(QUrl::FullyEncoded));
        });
        const auto showCode = [](const QString &code, const QString &address, const QString &) {
            print("code", code, address);
        };
        QObject::connect(&m_session, &Session::deviceCode, &m_label, showCode);
        const auto user = finished(isInBrowser ? m_session.signInWithBrowser() : m_session.signInWithDeviceCode());
        if (user)
            print("signed in", user->issuer(), text(user->isSameAccount(m_session.user())));
        else
            printFailure(user);
    }

    /// Signs in at an OAuth server, which redirects to the app's own scheme. Reads the addresses that the desktop opens
    /// the app with, and prints those that are refused.
    void oauth(const QString &issuer)
    {
        OAuthProvider provider;
        provider.setIssuer(issuer);
        provider.setClientId(QStringLiteral("desktop"));
        provider.setScopes({QStringLiteral("feeds")});
        provider.setRedirectUri(QStringLiteral("com.example.planner:/signed-in"));
        m_session.setIdentityProvider(&provider);
        QObject::connect(&m_session, &Session::openAddress, &m_label, [this](const QUrl &address) {
            print("page", address.toString(QUrl::FullyEncoded));
            QTextStream input(stdin);
            while (AuthError error = m_session.handleUri(QUrl(input.readLine())))
                print("refused", QString::number(error.code()));
        });
        print("early", QString::number(m_session.handleUri(QUrl(provider.redirectUri())).code()));
        const auto user = finished(m_session.signInWithBrowser());
        if (!user)
            return printFailure(user);
        print("signed in", user->issuer(), text(user->issuer() == m_session.userIssuer()));
        print("redirect", provider.redirectUri());
        print("token", text(!finished(m_session.getAccessToken())->isEmpty()));
    }

    /// Signs in at an OAuth server with a redirect to this machine, and prints the redirect URI when it is known.
    void page(const QString &issuer)
    {
        OAuthProvider provider;
        provider.setIssuer(issuer);
        provider.setClientId(QStringLiteral("desktop"));
        provider.setPageTitle(QStringLiteral("Zurück"));
        provider.setPageMessage(QStringLiteral("Weiter im Planer."));
        m_session.setIdentityProvider(&provider);
        QObject::connect(&provider, &OAuthProvider::redirectUriChanged, &m_label, [&provider] {
            print("redirect", provider.redirectUri());
        });
        QObject::connect(&m_session, &Session::openAddress, &m_label, [](const QUrl &address) {
            print("page", address.toString(QUrl::FullyEncoded));
        });
        print("signed in", finished(m_session.signInWithBrowser())->uid());
    }

private:
    void printState()
    {
        static const QMetaEnum states = QMetaEnum::fromType<Session::State>();
        const QString name = QString::fromUtf8(states.valueToKey(m_session.state()));
        static const QRegularExpression word(QStringLiteral("(?<=[a-z])(?=[A-Z])"));
        print("state", QString(name).replace(word, QStringLiteral("_")).toUpper());
    }

    Session m_session;
    User m_user;
    QLabel m_label;
    QListView m_list;
};

} // namespace

int main(int argc, char **argv)
{
    QApplication application(argc, argv);
    const QStringList arguments = application.arguments();
    const QString part = arguments[1];
    Program program(arguments);
    if (part == QStringLiteral("watch"))
        program.watch(arguments.value(4));
    else if (part == QStringLiteral("account"))
        program.account();
    else if (part == QStringLiteral("cancel"))
        program.cancel();
    else if (part == QStringLiteral("provider"))
        program.provider();
    else if (part == QStringLiteral("refresh"))
        program.refresh();
    else if (part == QStringLiteral("oauth"))
        program.oauth(arguments[4]);
    else if (part == QStringLiteral("page"))
        program.page(arguments[4]);
    else
        program.openid(arguments[4], part == QStringLiteral("browser"));
    return 0;
}
