internal import CAdwaita

/// Any widget, as returned by GTK's constructors.
typealias Widget = UnsafeMutablePointer<GtkWidget>

extension Widget {
    /// The widget as one of its opaque classes or interfaces.
    var opaque: OpaquePointer { OpaquePointer(self) }

    /// Casts the widget to another of its classes; Swift does not import C's macros for this, such as `GTK_WINDOW()`.
    func cast<Class>(to: Class.Type = Class.self) -> UnsafeMutablePointer<Class> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Class.self)
    }

    /// Calls `body` when the widget emits a signal without arguments, such as `clicked`.
    @MainActor
    func on(_ signal: String, _ body: @escaping @MainActor () -> Void) {
        connect(UnsafeMutableRawPointer(self), signal, body)
    }

    func style(_ classes: String...) {
        for name in classes { gtk_widget_add_css_class(self, name) }
    }

    var isSensitive: Bool {
        get { gtk_widget_get_sensitive(self) != 0 }
        nonmutating set { gtk_widget_set_sensitive(self, newValue ? 1 : 0) }
    }

    var isVisible: Bool {
        get { gtk_widget_get_visible(self) != 0 }
        nonmutating set { gtk_widget_set_visible(self, newValue ? 1 : 0) }
    }

    /// Sets the name that a screen reader reads for a widget without text.
    func setAccessibleName(_ name: String) {
        var property = GTK_ACCESSIBLE_PROPERTY_LABEL
        withValue(ofType: GType(16 << 2)) { value in
            g_value_set_string(value, name)
            gtk_accessible_update_property_value(opaque, 1, &property, value)
        }
    }

    /// Hides or shows the widget and its children to screen readers.
    func setHiddenFromReaders(_ isHidden: Bool) {
        var state = GTK_ACCESSIBLE_STATE_HIDDEN
        withValue(ofType: GType(5 << 2)) { value in
            g_value_set_boolean(value, isHidden ? 1 : 0)
            gtk_accessible_update_state_value(opaque, 1, &state, value)
        }
    }
}

/// Calls `use` with a value of one of GLib's fundamental types; their names, such as `G_TYPE_STRING`, are macros.
private func withValue(ofType type: GType, _ use: (UnsafeMutablePointer<GValue>) -> Void) {
    var value = GValue()
    g_value_init(&value, type)
    use(&value)
    g_value_unset(&value)
}

/// Creates a row or column of widgets.
func box(_ orientation: GtkOrientation, spacing: Int32, _ children: [Widget]) -> Widget {
    let box: Widget = gtk_box_new(orientation, spacing)
    for child in children { gtk_box_append(box.cast(), child) }
    return box
}

/// Creates a round button in the middle of its page.
func pillButton(_ label: String) -> Widget {
    let button: Widget = gtk_button_new_with_label(label)
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
    button.style("pill")
    return button
}

/// Returns the text of an entry.
func text(of entry: Widget) -> String { String(cString: gtk_editable_get_text(entry.opaque)) }
