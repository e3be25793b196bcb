internal import CAdwaita
internal import SharedAuth

/// The page that shows who is signed in.
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
        let signOut = pillButton("Sign Out")
        signOut.on("clicked") { request(.signOut) }
        widget = box(GTK_ORIENTATION_VERTICAL, spacing: 18, [avatar, name, hint, signOut])
        gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
    }

    func show(_ user: User) {
        gtk_label_set_label(name.opaque, user.name)
        adw_avatar_set_text(avatar.opaque, user.name)
        avatar.setAccessibleName("Picture of \(user.name)")
    }
}
