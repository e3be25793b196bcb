internal import CAdwaita

/// A status page: a title, an explanation, and buttons for actions.
@MainActor
final class StatusPage {
    let widget: Widget = adw_status_page_new()
    private let buttons = box(GTK_ORIENTATION_VERTICAL, spacing: 6, [])

    init(_ title: String, icon: String) {
        adw_status_page_set_title(widget.opaque, title)
        adw_status_page_set_icon_name(widget.opaque, icon)
        adw_status_page_set_child(widget.opaque, buttons)
    }

    /// Sets the explanation below the title.
    func explain(_ text: String) {
        // GTK parses it as markup.
        let escaped = g_markup_escape_text(text, -1)
        adw_status_page_set_description(widget.opaque, escaped)
        g_free(escaped)
    }

    /// Adds a button for an action.
    func offer(_ label: String, _ accepted: @escaping @MainActor () -> Void) {
        let button = pillButton(label)
        button.style("suggested-action")
        button.on("clicked", accepted)
        gtk_box_append(buttons.cast(), button)
    }

    /// Adds a Cancel button.
    func offerCancel(_ cancelled: @escaping @MainActor () -> Void) {
        let button: Widget = gtk_button_new_with_label("Cancel")
        button.style("flat")
        gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
        button.on("clicked", cancelled)
        gtk_box_append(buttons.cast(), button)
    }
}
