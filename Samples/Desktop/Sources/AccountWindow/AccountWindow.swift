internal import CAdwaita
internal import SharedAuth

/// A window that shows the signed-in user and carries out the user's requests.
@MainActor
final class AccountWindow {
    private let name: String
    private let account: Account
    private let window: Widget
    private let toasts: Widget = adw_toast_overlay_new()
    private let spinner: Widget = gtk_spinner_new()
    private lazy var pages = Pages(app: name, perform, cancel: { [unowned self] in showPage() })
    private lazy var banner = LockBanner(perform)
    private lazy var menu = AccountMenu(perform, addAccount: { [unowned self] in pages.showSignIn() })
    /// The requests of the toasts that are shown or queued, by the toast's text; nil for a toast without a button.
    private var toastRequests: [String: Request?] = [:]
    /// Indicates whether a user was signed in after the latest account change.
    private var wasSignedIn = false
    /// The task of the latest request, which the next request waits for.
    private var latest: Task<Void, Never>?
    /// The number of unfinished requests. While there are any, the spinner turns.
    private var pending = 0 {
        didSet { pending == 0 ? gtk_spinner_stop(spinner.opaque) : gtk_spinner_start(spinner.opaque) }
    }

    init(_ name: String, _ account: Account, _ application: UnsafeMutablePointer<AdwApplication>) {
        self.name = name
        self.account = account
        window = adw_application_window_new(
            UnsafeMutableRawPointer(application).assumingMemoryBound(to: GtkApplication.self)
        )
        gtk_window_set_title(window.cast(), name)
        gtk_window_set_default_size(window.cast(), 380, 600)
        let header: Widget = adw_header_bar_new()
        adw_header_bar_pack_start(header.opaque, menu.button)
        adw_header_bar_pack_start(header.opaque, spinner)
        adw_toast_overlay_set_child(toasts.opaque, pages.widget)
        gtk_widget_set_vexpand(toasts, 1)
        adw_application_window_set_content(
            window.cast(),
            box(GTK_ORIENTATION_VERTICAL, spacing: 0, [header, banner.widget, toasts])
        )
        showPage()
        account.follow { [unowned self] in accountChanged() }
        account.followSaving { [unowned self] in showBanner() }
    }

    /// Brings the window to the front.
    func present() { gtk_window_present(window.cast()) }

    private func showPage() {
        let page = account.page
        pages.show(page)
        if case .signedIn(let user) = page {
            menu.show(account.users, current: user)
        } else {
            menu.show(account.users, current: nil)
        }
        showBanner()
    }

    private func showBanner() { banner.isShown = account.isLockedMeanwhile }

    private func accountChanged() {
        showPage()
        let isSignedOut = if case .signIn = account.page { true } else { false }
        if isSignedOut, wasSignedIn, pending == 0 { showToast("Signed out in another app") }
        if case .signedIn = account.page { wasSignedIn = true } else { wasSignedIn = false }
    }

    /// Carries out requests one after the other, without blocking the window.
    private func perform(_ request: Request) {
        pending += 1
        latest = Task { [latest] in
            await latest?.value
            do throws(AuthError) {
                try await account.perform(request)
                accountChanged()
            } catch {
                // The reason may be another one now.
                if case .lookAgain = request { showPage() }
                report(error, of: request)
            }
            pending -= 1
        }
    }

    private func report(_ error: AuthError, of request: Request) {
        if case .signIn(let email, let password) = request, error.code == .userNotFound {
            return pages.askToCreateAccount(email, password)
        }
        if error.code == .wrongPassword { pages.markPasswordWrong() }
        showToast(request.headline(of: error), offering: request.remedy(for: error))
    }

    /// Shows a toast: for a while, or with a button until the user closes it. If a toast with this text is shown or
    /// queued already, only its request is replaced.
    private func showToast(_ text: String, offering remedy: (label: String, request: Request)? = nil) {
        let isShown = toastRequests.updateValue(remedy?.request, forKey: text) != nil
        if isShown { return }
        let escaped = g_markup_escape_text(text, -1)
        let toast = adw_toast_new(escaped)!
        g_free(escaped)
        let signals = UnsafeMutableRawPointer(toast)
        if let remedy {
            adw_toast_set_button_label(toast, remedy.label)
            adw_toast_set_timeout(toast, 0)
            connect(signals, "button-clicked") { [unowned self] in
                if let request = toastRequests[text] ?? nil { perform(request) }
            }
        }
        connect(signals, "dismissed") { [unowned self] in toastRequests[text] = nil }
        adw_toast_overlay_add_toast(toasts.opaque, toast)
    }
}
