#pragma once

#include "session.h"

#include <QPointer>

#include <optional>
#include <vector>

/// Tests of calls: their futures, errors, continuations and cancellation.
class Futures : public QObject
{
    Q_OBJECT

private:
    QPointer<TestSession> made;

    TestSession *make();

    /// Returns the futures of one call of each kind.
    std::vector<QFuture<SharedAuth::AuthError>> callsOfEveryKind(const SharedAuth::User &user);

private Q_SLOTS:
    void cleanup();
    void valuesAndErrors();
    void unseenErrorsAreLogged();
    void seenErrorsAreNotLogged();
    void theValueOfAFailedCallIsEmpty();
    void continuations();
    void deletionInAContinuation();
    void deletionFinishesCallsOfEveryKind();
    void callsDuringTheDeletion();
    void deletionCancelsCalls();
    void cancellation();
    void cancellationAtTheEnd();
    void wrongArgumentsFail();
    void tokensWithoutAnExpiry();
};
