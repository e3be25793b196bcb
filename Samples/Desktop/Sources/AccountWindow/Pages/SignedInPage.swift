internal import CAdwaita
internal import SharedAuth

/// The page that shows the signed-in user.
@MainActor
final class SignedInPage {
    let widget: Widget
    private let avatar: Widget = adw_avatar_new(96, nil, 1)
    private let name: Widget = gtk_label_new(nil)

    init(_ request: @escaping @MainActor (Request) -> Void) {
        name.style("title-2")
        gtk_label_set_ellipsize(name.opaque, PANGO_ELLIPSIZE_MIDDLE)
        let hint: Widget = gtk_label_new("Signed in to Mail and Calendar")
        hint.style("dim-label")
        // The label says what the button does.
        let signOut = pillButton("Sign Out of Both Apps")
        signOut.on("clicked") { request(.signOut) }
        widget = box(GTK_ORIENTATION_VERTICAL, spacing: 18, [avatar, name, hint, signOut])
        gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
    }

    func show(_ user: User) {
        gtk_label_set_label(name.opaque, user.name)
        // A guest has no initial to show, but the text still determines the colour.
        adw_avatar_set_show_initials(avatar.opaque, user.isAnonymous ? 0 : 1)
        adw_avatar_set_text(avatar.opaque, user.name)
        avatar.setAccessibleName(user.isAnonymous ? "Guest" : "Picture of \(user.name)")
    }
}
