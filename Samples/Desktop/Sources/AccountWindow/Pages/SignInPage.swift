internal import CAdwaita

/// The page on which the user signs in by e-mail or as a guest.
@MainActor
final class SignInPage {
    let widget: Widget
    private let email: Widget = adw_entry_row_new()
    private let password: Widget = adw_password_entry_row_new()
    private let signIn = pillButton("Sign In")
    private let guest: Widget = gtk_button_new_with_label("Continue as Guest")
    private let cancel: Widget = gtk_button_new_with_label("Cancel")

    init(
        app name: String,
        _ request: @escaping @MainActor (Request) -> Void,
        cancel cancelled: @escaping @MainActor () -> Void
    ) {
        adw_preferences_row_set_title(email.cast(), "Email")
        adw_preferences_row_set_title(password.cast(), "Password")
        signIn.style("suggested-action")
        for button in [guest, cancel] {
            button.style("flat")
            gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
        }
        let entries: Widget = adw_preferences_group_new()
        for row in [email, password] { adw_preferences_group_add(entries.cast(), row) }
        let form: Widget = adw_clamp_new()
        adw_clamp_set_maximum_size(form.opaque, 320)
        adw_clamp_set_child(
            form.opaque,
            box(
                GTK_ORIENTATION_VERTICAL,
                spacing: 24,
                [
                    entries, box(GTK_ORIENTATION_VERTICAL, spacing: 6, [signIn, guest, cancel]),
                ]
            )
        )
        widget = adw_status_page_new()
        widget.style("compact")
        adw_status_page_set_icon_name(widget.opaque, "avatar-default-symbolic")
        adw_status_page_set_title(widget.opaque, "Sign In to \(name)")
        adw_status_page_set_description(widget.opaque, "One sign-in for Mail and Calendar")
        adw_status_page_set_child(widget.opaque, form)

        let submit: @MainActor () -> Void = { [unowned self] in
            request(.signIn(email: text(of: email), password: text(of: password)))
        }
        signIn.on("clicked", submit)
        password.on("entry-activated", submit)
        guest.on("clicked") { request(.signInAsGuest) }
        cancel.on("clicked", cancelled)
    }

    /// Resets the page, with a Cancel button if a user is already signed in.
    func begin(canCancel: Bool) {
        gtk_editable_set_text(password.opaque, "")
        cancel.isVisible = canCancel
        markPasswordWrong(false)
    }

    /// Marks the password field as wrong, or removes the mark.
    func markPasswordWrong(_ isWrong: Bool) {
        if isWrong { password.style("error") } else { gtk_widget_remove_css_class(password, "error") }
    }
}
