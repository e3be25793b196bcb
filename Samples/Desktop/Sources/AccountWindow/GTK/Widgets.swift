internal import CAdwaita

/// Any widget, as GTK's constructors give it.
typealias Widget = UnsafeMutablePointer<GtkWidget>

extension Widget {
    /// The widget as one of its classes or interfaces that C code keeps closed.
    var opaque: OpaquePointer { OpaquePointer(self) }

    /// The widget as one of its other classes; C has macros for it, `GTK_WINDOW()` and the like, which Swift does not see.
    func cast<Class>(to: Class.Type = Class.self) -> UnsafeMutablePointer<Class> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Class.self)
    }

    /// Calls `body` when the widget is clicked or activated.
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

    /// What a screen reader says for a widget that shows no text.
    func setAccessibleName(_ name: String) {
        var property = GTK_ACCESSIBLE_PROPERTY_LABEL
        withValue(ofType: GType(16 << 2)) { value in
            g_value_set_string(value, name)
            gtk_accessible_update_property_value(opaque, 1, &property, value)
        }
    }

    /// Whether a screen reader passes over the widget and what is in it.
    func setHiddenFromReaders(_ isHidden: Bool) {
        var state = GTK_ACCESSIBLE_STATE_HIDDEN
        withValue(ofType: GType(5 << 2)) { value in
            g_value_set_boolean(value, isHidden ? 1 : 0)
            gtk_accessible_update_state_value(opaque, 1, &state, value)
        }
    }
}

/// A value of one of GLib's fundamental types, whose names, `G_TYPE_STRING` and the like, are macros.
private func withValue(ofType type: GType, _ use: (UnsafeMutablePointer<GValue>) -> Void) {
    var value = GValue()
    g_value_init(&value, type)
    use(&value)
    g_value_unset(&value)
}

/// Widgets in a row or a column.
func box(_ orientation: GtkOrientation, spacing: Int32, _ children: [Widget]) -> Widget {
    let box: Widget = gtk_box_new(orientation, spacing)
    for child in children { gtk_box_append(box.cast(), child) }
    return box
}

/// A round button in the middle of its page.
func pillButton(_ label: String) -> Widget {
    let button: Widget = gtk_button_new_with_label(label)
    gtk_widget_set_halign(button, GTK_ALIGN_CENTER)
    button.style("pill")
    return button
}

/// What stands in an entry.
func text(of entry: Widget) -> String { String(cString: gtk_editable_get_text(entry.opaque)) }
