internal import CAdwaita

/// A page that says why it is not known who is signed in, and offers what may help.
@MainActor
final class TroublePage {
    let widget: Widget = adw_status_page_new()

    init(_ title: String, icon: String) {
        adw_status_page_set_title(widget.opaque, title)
        adw_status_page_set_icon_name(widget.opaque, icon)
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
        adw_status_page_set_child(widget.opaque, button)
    }
}
