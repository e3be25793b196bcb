// Uses the library in QML, for test_qt.py: plays the part named by an argument, and prints what it observes.

import QtQml
import org.sharedauth

QtObject {
    id: program

    readonly property string part: Qt.application.arguments[2]
    // Changes count once the session has its options.
    property bool isWatching: false
    property var kept
    property var creating
    property int asked: 0
    property var revoked: null
    property string shown: session.user.isValid ? session.user.uid : "nobody"
    property string shownName: session.user.displayName
    property int listed: accounts.count
    onShownNameChanged: if (part === "watch" && shownName) console.log("renamed", shownName)

    property Session session: Session {
        appId: Qt.application.arguments[3]
        project: Qt.application.arguments[4]
        accessGroup: Qt.application.arguments[5] ?? ""
        identityProvider: ["watch", "account"].includes(program.part) ? local : custom

        onStateChanged: if (program.part === "watch") program.printState()
        onAccessGroupChanged: if (program.isWatching) console.log("group", accessGroup)
        onErrorChanged: {
            if (program.part === "watch" && error.code !== AuthError.NoError)
                console.log("error", error.code)
        }
        onAnnounced: user => {
            if (program.part === "watch") {
                const uid = user.isValid ? user.uid : "nobody"
                const isListed = program.listed === (user.isValid ? 1 : 0)
                if (program.shown !== uid || !isListed || (state === Session.SignedIn) !== user.isValid)
                    console.error("the properties are not those of the announcement")
                console.log("announced", uid)
            } else if (program.part === "refresh" && user.isValid) {
                program.returned(getIdToken()).then(token => { console.log(token, program.asked); Qt.quit() })
            }
        }
    }
    property LocalProvider local: LocalProvider {}
    property CustomProvider custom: CustomProvider {
        issuer: "https://example.org"
        onSignIn: request => {
            if (request.kind === Request.Anonymous)
                // Not completed: the request fails when its value is garbage-collected.
                Qt.callLater(gc)
            else if (request.kind === Request.NewAccount) {
                program.kept = request
                program.creating.cancel()
            } else if (request.password === "right")
                request.returnTokens("ada", "id-1", "refresh-1", program.inAnHour())
            else
                request.returnError(AuthError.WrongPassword, "The password is wrong.")
        }
        onRefresh: request => {
            if (program.part === "refresh") {
                program.asked += 1
                request.returnTokens("ada", "id-of-QML", "refresh-1", program.inAnHour())
                return
            }
            console.log("refresh", request.refreshToken)
            request.returnTokens("ada", "id-2", "refresh-2", program.inAnHour())
            // Ignored.
            request.returnTokens("ada", "id-3", "refresh-3", program.inAnHour())
        }
        onProfile: request => request.returnProfile("ada", "ada@example.org", true, "Ada")
        onRevoke: request => {
            request.returnDone()
            program.revoked(request.refreshToken)
        }
    }
    // One object for each account, by the roles of the model.
    property Instantiator accounts: Instantiator {
        model: session.accounts
        delegate: QtObject {
            required property var user
            required property string email
        }
    }

    function inAnHour() { return new Date(Date.now() + 3600 * 1000) }

    function printState() {
        const names = ["UNKNOWN", "SIGNED_IN", "SIGNED_OUT", "LOCKED", "UNAVAILABLE", "DAMAGED"]
        console.log("state", names[session.state])
    }

    function startWatching() {
        isWatching = true
        printState()
    }

    function returned(call) {
        return new Promise((resolve, reject) => {
            call.succeeded.connect(resolve)
            call.failed.connect(reject)
        })
    }

    function fails(call) {
        return returned(call).then(
            result => console.log("no error", result),
            error => {
                const domain = error.code === AuthError.Cancelled ? "g-io-error-quark" : "shared-auth-error-quark"
                if (kept?.isCancelled)
                    console.log("request cancelled")
                console.log("failed", domain, error.code === AuthError.Cancelled ? 19 : error.code)
            })
    }

    function playAccount() {
        const [email, password] = ["ada@example.org", "correct horse"]
        returned(session.load()).then(user => {
            console.log("loaded", user.isValid ? user.uid : "null")
            return fails(session.createUser(email, "x"))
        }).then(() => returned(session.createUser(email, password))).then(user => {
            console.log("created", user.email, user.isAnonymous, user.isSameAccount(session.user))
            const account = accounts.objectAt(0)
            console.log("accounts", account.user.isSameAccount(user) ? account.email : "another")
            return returned(session.getIdToken())
        }).then(token => {
            console.log("token", token.split(".").length)
            return returned(session.getStoredUser(""))
        }).then(user => {
            console.log("stored", user.email)
            return fails(session.useAccessGroup("nonsense"))
        }).then(() => returned(session.signOut())).then(isDone => {
            console.log("signed out", isDone, session.user.isValid ? session.user.uid : "null")
            return returned(session.signInWithPassword(email, "wrong horse"))
        }).catch(error => {
            console.log("wrong password", error.code === AuthError.WrongPassword)
            Qt.quit()
        })
    }

    // Cancels a call that waits for the keyring.
    function playCancel() {
        const call = session.getStoredUser("")
        call.cancel()
        fails(call).then(() => Qt.quit())
    }

    function playProvider() {
        const revocation = new Promise(resolve => revoked = resolve)
        fails(session.signInWithPassword("ada@example.org", "wrong")).then(
            () => returned(session.signInWithPassword("ada@example.org", "right"))
        ).then(user => {
            console.log("signed in", user.uid, user.issuer, user.displayName, user.isEmailVerified)
            return returned(session.getIdToken())
        }).then(token => {
            console.log("token", token)
            return returned(session.getIdToken(true))
        }).then(token => {
            console.log("token", token)
            return returned(session.signOut())
        }).then(() => revocation).then(token => {
            console.log("revoked", token)
            return fails(session.signInAnonymously())
        }).then(() => {
            creating = session.createUser("eve@example.org", "right")
            return fails(creating)
        }).then(() => Qt.quit())
    }

    Component.onCompleted: {
        if (part === "watch")
            startWatching()
        else if (part === "account")
            playAccount()
        else if (part === "cancel")
            playCancel()
        else if (part === "provider")
            playProvider()
        else
            returned(session.load()).then(user => console.log("loaded", user.isValid ? user.uid : "null"))
    }
}
