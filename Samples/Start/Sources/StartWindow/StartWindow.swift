import CGTK
import Foundation
import LocalIdentity
import SharedAuth

/// A window that shows the signed-in user and has one button.
@MainActor
final class StartWindow {
    private let auth: Auth
    private let label = gtk_label_new(nil)!
    private let button = gtk_button_new()!

    init(_ application: UnsafeMutablePointer<GtkApplication>) throws(AuthError) {
        let options = AuthApp.Options(
            appID: "com.example.Start",
            accessGroup: "group.com.example.start",
            identityProvider: .local
        )
        auth = Auth.auth(app: try AuthApp.configure(options))
        let content = gtk_box_new(GTK_ORIENTATION_VERTICAL, 24)!
        for widget in [label, button] {
            gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
            gtk_box_append(OpaquePointer(content).as(GtkBox.self), widget)
        }
        gtk_widget_set_valign(content, GTK_ALIGN_CENTER)
        let window = OpaquePointer(gtk_application_window_new(application)!).as(GtkWindow.self)
        gtk_window_set_title(window, "Start")
        gtk_window_set_default_size(window, 380, 240)
        gtk_window_set_child(window, content)
        connect(button, "clicked") { [self] in Task { await press() } }
        Task { await follow() }
        Task { for await _ in auth.saveFailureChanges { show() } }
        gtk_window_present(window)
    }

    /// Shows the state now and after each change by any app of the group.
    private func follow() async {
        _ = await auth.ready()
        show()
        for await _ in auth.authStateChanges { show() }
    }

    /// Indicates whether the keyring is locked, also while a user is signed in.
    private var isLocked: Bool { auth.saveFailure?.code == .keyringLocked }

    private func show() {
        let (text, action) =
            switch auth.state {
            case .unknown: ("Asking the keyring", "Try Again")
            case .signedIn where isLocked: ("Signed in, but the keyring is locked", "Unlock…")
            case _ where isLocked, .locked: ("The keyring is locked", "Unlock…")
            case .signedIn(let user): ("Signed in as \(user.displayName ?? "a guest")", "Sign Out of All Apps")
            case .signedOut: ("Not signed in", "Sign In as a Guest")
            case .unavailable(let error): (error.userMessage, "Try Again")
            case .damaged(let error): (error.userMessage, "Start Over")
            }
        gtk_label_set_label(OpaquePointer(label), text)
        gtk_button_set_label(OpaquePointer(button).as(GtkButton.self), action)
    }

    private func press() async {
        await attempt { () async throws(AuthError) in
            switch auth.state {
            // Also reads the keyring again if it is not locked.
            case _ where isLocked, .locked, .unknown, .unavailable: try await auth.unlock(timeout: .seconds(120))
            case .signedIn, .damaged: try await auth.signOut(timeout: .seconds(5))
            case .signedOut: try await auth.signInAnonymously()
            }
        }
    }

    /// Runs `work`, and shows the new state or the error.
    private func attempt(_ work: () async throws(AuthError) -> Void) async {
        do throws(AuthError) {
            try await work()
            show()
        } catch {
            show()
            gtk_label_set_label(OpaquePointer(label), error.userMessage)
        }
    }
}

@main
struct Program {
    @MainActor static var window: StartWindow?

    static func main() {
        // Without this, no code of the main actor would run in GTK's main loop.
        MainContext.default.serveMainQueue()
        let application = gtk_application_new("com.example.Start", GApplicationFlags(0))!
        connect(application, "activate") {
            do throws(AuthError) {
                if window == nil { window = try StartWindow(application) }
            } catch {
                print(error.localizedDescription)
                exit(1)
            }
        }
        exit(g_application_run(OpaquePointer(application).as(GApplication.self), 0, nil))
    }
}
