// A sample app with one window, which shows the user who is signed in to the apps of an access group.

const string APP_ID = "com.example.Journal";
const string GROUP = "group.com.example.office";

class Window : Gtk.ApplicationWindow {
    private SharedAuth.Session session =
        new SharedAuth.Session.with_access_group (APP_ID, GROUP, new SharedAuth.LocalProvider ());
    private Gtk.Image icon = new Gtk.Image () { pixel_size = 96 };
    private Gtk.Label heading = new Gtk.Label (null) { wrap = true, justify = CENTER, css_classes = { "title-1" } };
    private Gtk.Label detail = new Gtk.Label (null) { wrap = true, justify = CENTER, css_classes = { "dim-label" } };
    private Gtk.Entry email = new Gtk.Entry () { placeholder_text = "Email" };
    private Gtk.PasswordEntry password = new Gtk.PasswordEntry () {
        placeholder_text = "Password",
        show_peek_icon = true
    };
    private Gtk.Button button = new Gtk.Button () { halign = CENTER, css_classes = { "pill", "suggested-action" } };
    private Gtk.Label problem = new Gtk.Label (null) { wrap = true, css_classes = { "error" } };

    // Whether the keyring is locked, also while a user is signed in.
    private bool is_locked { get { return session.save_error is SharedAuth.Error.KEYRING_LOCKED; } }

    public Window (Gtk.Application application) {
        Object (application: application, title: "Journal", default_width: 380, default_height: 600);
    }

    construct {
        titlebar = new Gtk.HeaderBar ();
        email.update_property (Gtk.AccessibleProperty.LABEL, "Email", -1);
        password.update_property (Gtk.AccessibleProperty.LABEL, "Password", -1);
        var box = new Gtk.Box (VERTICAL, 12) { valign = CENTER, margin_start = 48, margin_end = 48 };
        foreach (var widget in new Gtk.Widget[] { icon, heading, detail, email, password, button, problem })
            box.append (widget);
        child = box;

        session.notify.connect (show_session);
        button.clicked.connect (() => act.begin ());
        password.activate.connect (() => act.begin ());
        show_session ();
    }

    // Shows the state of the session: one page for each of the six states.
    private void show_session () {
        switch (session.state) {
            case UNKNOWN:
                show_page ("content-loading-symbolic", "Asking the Keyring…");
                break;
            case SIGNED_IN:
                var name = session.user.display_name ?? session.user.email ?? "Guest";
                show_page ("avatar-default-symbolic", name, "Signed in to all apps", "Sign Out");
                break;
            case SIGNED_OUT:
                show_page ("avatar-default-symbolic", "Sign In to Journal", null, "Sign In");
                break;
            case LOCKED:
                show_page ("changes-prevent-symbolic", "Keyring Is Locked", null, "Unlock…");
                break;
            case UNAVAILABLE:
                show_page ("dialog-warning-symbolic", "No Keyring Answers",
                           SharedAuth.Error.get_user_message (session.error));
                break;
            case DAMAGED:
                show_page ("dialog-error-symbolic", "Account Cannot Be Read",
                           SharedAuth.Error.get_user_message (session.error), "Start Over");
                break;
        }
        if (is_locked) {
            show_detail (session.state == LOCKED ? null : "The keyring is locked");
            show_action ("Unlock…");
        }
        email.visible = password.visible = session.state == SIGNED_OUT && !is_locked;
        problem.label = "";
    }

    private void show_page (string icon_name, string title, string? text = null, string? action = null) {
        icon.icon_name = icon_name;
        heading.label = title;
        show_detail (text);
        show_action (action);
    }

    private void show_detail (string? text) {
        detail.label = text ?? "";
        detail.visible = text != null;
    }

    private void show_action (string? action) {
        button.label = action ?? "";
        button.visible = action != null;
    }

    // Performs the action that the button names. The properties of the session report its effects.
    private async void act () {
        var phrase = password.text;
        password.text = "";
        try {
            if (is_locked)
                yield session.unlock_async ();
            else if (session.state == SIGNED_OUT)
                yield session.sign_in_with_password_async (email.text, phrase);
            else
                yield session.sign_out_async ();
        } catch (Error error) {
            show_problem (error);
        }
    }

    private void show_problem (Error error) {
        // The page already says that the keyring is locked.
        if (!is_locked)
            problem.label = SharedAuth.Error.get_user_message (error);
    }
}

int main (string[] arguments) {
    Environment.set_prgname (APP_ID);
    var application = new Gtk.Application (APP_ID, ApplicationFlags.FLAGS_NONE);
    application.activate.connect (() => {
        var window = application.active_window ?? new Window (application);
        window.present ();
    });
    return application.run (arguments);
}
