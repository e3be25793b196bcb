internal import CAdwaita

/// A page that says why it is not known who is signed in, or asks something, and offers what may help.
@MainActor
final class TroublePage {
    let widget: Widget = adw_status_page_new()
    private let buttons = box(GTK_ORIENTATION_VERTICAL, spacing: 6, [])

    init(_ title: String, icon: String) {
        adw_status_page_set_title(widget.opaque, title)
        adw_status_page_set_icon_name(widget.opaque, icon)
        adw_status_page_set_child(widget.opaque, buttons)
    }

    /// Says more, in sentences.
    func explain(_ text: String) {
        // It is read as markup.
        let escaped = g_markup_escape_text(text, -1)
        adw_status_page_set_description(widget.opaque, escaped)
        g_free(escaped)
    }

    /// Offers something to do.
    func offer(_ label: String, _ accepted: @escaping @MainActor () -> Void) {
        let button = pillButton(label)
        button.style("suggested-action")
        button.on("clicked", accepted)
        gtk_box_append(buttons.cast(), button)
    }

    /// Offers a way back.
    func offerCancel(_ cancelled: @escaping @MainActor () -> Void) {
        let button: Widget = gtk_button_new_with_label("Cancel")
        button.style("flat")
        gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
        button.on("clicked", cancelled)
        gtk_box_append(buttons.cast(), button)
    }
}
