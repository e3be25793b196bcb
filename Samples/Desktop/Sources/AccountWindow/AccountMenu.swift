internal import CAdwaita
internal import SharedAuth

/// The menu at the top of the window, with the accounts to switch to and a command to add another one.
@MainActor
final class AccountMenu {
    let button: Widget = gtk_menu_button_new()
    private let popover: Widget = gtk_popover_new()
    private let items = box(GTK_ORIENTATION_VERTICAL, spacing: 0, [])
    private let request: @MainActor (Request) -> Void
    private let addAccount: @MainActor () -> Void

    init(_ request: @escaping @MainActor (Request) -> Void, addAccount: @escaping @MainActor () -> Void) {
        self.request = request
        self.addAccount = addAccount
        gtk_menu_button_set_icon_name(button.opaque, "avatar-default-symbolic")
        gtk_widget_set_tooltip_text(button, "Accounts")
        // The widget that receives clicks is a button inside.
        gtk_widget_get_first_child(button)?.setAccessibleName("Accounts")
        gtk_menu_button_set_popover(button.opaque, popover)
        gtk_popover_set_child(popover.cast(), items)
    }

    /// Lists these accounts, except for the current one.
    func show(_ users: [User], current: User?) {
        while let item = gtk_widget_get_first_child(items) { gtk_box_remove(items.cast(), item) }
        for user in users where user.uid != current?.uid {
            add("Switch to \(user.name)") { [request] in request(.switchAccount(uid: user.uid)) }
        }
        if current != nil { add("Use Another Account…", addAccount) }
        button.isSensitive = gtk_widget_get_first_child(items) != nil
    }

    private func add(_ label: String, _ chosen: @escaping @MainActor () -> Void) {
        let item: Widget = gtk_button_new_with_label(label)
        item.style("flat")
        item.on("clicked") { [popover] in
            gtk_popover_popdown(popover.cast())
            chosen()
        }
        gtk_box_append(items.cast(), item)
    }
}
