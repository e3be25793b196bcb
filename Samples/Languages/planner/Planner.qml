import QtQuick
import QtQuick.Controls.Basic
import QtQuick.Layouts
import org.sharedauth

ApplicationWindow {
    id: window

    width: 380
    height: 600
    visible: true
    title: "Planner"
    header: ToolBar {
        PageText { anchors.centerIn: parent; text: window.title; font.bold: true; Accessible.ignored: true }
    }

    Session {
        id: session

        // Whether the keyring is locked, also while a user is signed in.
        readonly property bool isLocked: saveError.code === AuthError.KeyringLocked

        accessGroup: "group.com.example.office"
        identityProvider: LocalProvider {}
        onStateChanged: problem.text = ""
    }

    // Shows the error of a call. The result of a call shows in the properties of the session.
    function follow(call) {
        problem.text = ""
        call.failed.connect(error => {
            // The page already says that the keyring is locked.
            if (!session.isLocked)
                problem.text = error.userMessage
        })
    }

    function signIn() {
        follow(session.signInWithPassword(email.text, password.text))
        password.clear()
    }

    component PageText: Label {
        Layout.fillWidth: true
        visible: text !== ""
        wrapMode: Text.Wrap
        horizontalAlignment: Text.AlignHCenter
    }
    component StatusPage: ColumnLayout {
        id: page

        required property string symbol
        property string title
        property string detail

        spacing: 12

        ToolButton {
            Layout.alignment: Qt.AlignHCenter
            icon { name: page.symbol; width: 96; height: 96 }
            background: null
            focusPolicy: Qt.NoFocus
            Accessible.ignored: true
        }
        PageText { text: page.title; font { pixelSize: 24; bold: true } }
        PageText { text: page.detail }
    }
    component PageButton: Button {
        Layout.alignment: Qt.AlignHCenter
        palette { button: "#3584e4"; buttonText: "white" }
        Accessible.onPressAction: clicked()
    }

    // A page for each of the six states, in their order.
    StackLayout {
        anchors { left: parent.left; right: parent.right; margins: 48; verticalCenter: parent.verticalCenter }
        currentIndex: session.state

        StatusPage { symbol: "content-loading-symbolic"; title: "Asking the Keyring…" }
        StatusPage {
            symbol: "avatar-default-symbolic"
            title: session.user.displayName || session.user.email || "Guest"
            detail: session.isLocked ? "The keyring is locked" : "Signed in to all apps"
            PageButton {
                text: session.isLocked ? "Unlock…" : "Sign Out"
                onClicked: window.follow(session.isLocked ? session.unlock() : session.signOut())
            }
        }
        StatusPage {
            symbol: "avatar-default-symbolic"
            title: "Sign In to Planner"
            detail: session.isLocked ? "The keyring is locked" : ""
            TextField {
                id: email
                Layout.fillWidth: true
                visible: !session.isLocked
                placeholderText: "Email"
                Accessible.name: "Email"
            }
            TextField {
                id: password
                Layout.fillWidth: true
                visible: !session.isLocked
                placeholderText: "Password"
                echoMode: TextInput.Password
                onAccepted: window.signIn()
                // Qt hides the name of a password field.
                Accessible.description: "Password"
            }
            PageButton {
                text: session.isLocked ? "Unlock…" : "Sign In"
                onClicked: session.isLocked ? window.follow(session.unlock()) : window.signIn()
            }
        }
        StatusPage {
            symbol: "changes-prevent-symbolic"
            title: "Keyring Is Locked"
            PageButton { text: "Unlock…"; onClicked: window.follow(session.unlock()) }
        }
        StatusPage { symbol: "dialog-warning-symbolic"; title: "No Keyring Answers"; detail: session.error.userMessage }
        StatusPage {
            symbol: "dialog-error-symbolic"
            title: "Account Cannot Be Read"
            detail: session.error.userMessage
            PageButton { text: "Start Over"; onClicked: window.follow(session.signOut()) }
        }
    }
    PageText {
        id: problem

        anchors { left: parent.left; right: parent.right; bottom: parent.bottom; margins: 48 }
        color: "#c01c28"
    }
}
