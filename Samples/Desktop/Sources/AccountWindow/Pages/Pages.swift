internal import CAdwaita
internal import SharedAuth

/// The pages of a window, which shows one of them.
@MainActor
final class Pages {
    let widget: Widget = gtk_stack_new()
    private let pages: [String: Widget]
    private let signIn: SignInPage
    private let signedIn: SignedInPage
    private let unavailable: StatusPage
    private let damaged: StatusPage
    private let question: StatusPage
    /// The credentials that the question is about.
    private var newAccount: (email: String, password: String)?

    init(app name: String, _ request: @escaping @MainActor (Request) -> Void, cancel: @escaping @MainActor () -> Void) {
        signIn = SignInPage(app: name, request, cancel: cancel)
        signedIn = SignedInPage(request)
        unavailable = StatusPage("No Keyring Answers", icon: "dialog-warning-symbolic")
        unavailable.offer("Try Again") { request(.lookAgain) }
        damaged = StatusPage("Account Cannot Be Read", icon: "dialog-error-symbolic")
        damaged.offer("Start Over") { request(.startOver) }
        let locked = StatusPage("Keyring Is Locked", icon: "changes-prevent-symbolic")
        locked.explain("Unlock it to see who is signed in.")
        locked.offer("Unlock…") { request(.unlock) }
        question = StatusPage("Create an Account?", icon: "avatar-default-symbolic")
        let loading = StatusPage("Asking the Keyring", icon: "content-loading-symbolic")
        gtk_stack_set_transition_type(widget.opaque, GTK_STACK_TRANSITION_TYPE_CROSSFADE)
        pages = [
            "loading": loading.widget, "sign-in": signIn.widget, "signed-in": signedIn.widget,
            "locked": locked.widget, "unavailable": unavailable.widget, "damaged": damaged.widget,
            "question": question.widget,
        ]
        for (name, page) in pages { gtk_stack_add_named(widget.opaque, page, name) }
        question.offer("Create Account") { [unowned self] in
            guard let (email, password) = newAccount else { return }
            request(.createAccount(email: email, password: password))
        }
        question.offerCancel(cancel)
    }

    /// Shows a page.
    func show(_ page: Page) {
        newAccount = nil
        switch page {
        case .signIn: signIn.begin(canCancel: false)
        case .signedIn(let user): signedIn.show(user)
        case .unavailable(let error): unavailable.explain(error.sentences)
        case .damaged(let error): damaged.explain(error.sentences)
        case .loading, .locked: break
        }
        turn(to: page.name)
    }

    /// Shows the sign-in page with a Cancel button.
    func showSignIn() {
        signIn.begin(canCancel: true)
        turn(to: Page.signIn.name)
    }

    /// Asks whether to create an account for an unknown address, which may be mistyped.
    func askToCreateAccount(_ email: String, _ password: String) {
        newAccount = (email, password)
        question.explain("\(email) has no account yet. A new one would be signed in to Mail and Calendar.")
        turn(to: "question")
    }

    /// Marks the password field: the password was wrong.
    func markPasswordWrong() { signIn.markPasswordWrong(true) }

    private func turn(to name: String) {
        // Printed if G_MESSAGES_DEBUG=Desktop is set.
        withVaList([]) { g_logv("Desktop", G_LOG_LEVEL_DEBUG, "shows \(name)", $0) }
        gtk_stack_set_visible_child_name(widget.opaque, name)
        // Screen readers skip the other pages.
        for (other, page) in pages { page.setHiddenFromReaders(other != name) }
    }
}
