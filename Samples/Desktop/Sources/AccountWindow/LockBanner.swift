internal import CAdwaita

/// The line below the title that offers to unlock the keyring while a user is signed in.
@MainActor
final class LockBanner {
    let widget: Widget

    /// Indicates whether the line is shown.
    var isShown: Bool {
        get { widget.isVisible }
        set { widget.isVisible = newValue }
    }

    init(_ request: @escaping @MainActor (Request) -> Void) {
        let text: Widget = gtk_label_new("The keyring is locked")
        gtk_widget_set_hexpand(text, 1)
        text.style("heading")
        let button: Widget = gtk_button_new_with_label("Unlock…")
        button.on("clicked") { request(.unlock) }
        widget = box(GTK_ORIENTATION_HORIZONTAL, spacing: 6, [text, button])
        widget.style("toolbar")
        isShown = false
    }
}
