#!/usr/bin/python3
"""A sample app with one window, which shows the user who is signed in to the apps of an access group."""

import gi

gi.require_version("Gtk", "4.0")
gi.require_version("SharedAuth", "1")
from gi.repository import GLib, Gtk, SharedAuth

APP_ID = "com.example.Contacts"
GROUP = "group.com.example.office"


class Window(Gtk.ApplicationWindow):
    def __init__(self, application):
        super().__init__(application=application, title="Contacts", default_width=380, default_height=600)
        self.set_titlebar(Gtk.HeaderBar())
        self.session = SharedAuth.Session(
            app_id=APP_ID, access_group=GROUP, identity_provider=SharedAuth.LocalProvider()
        )
        self.session.connect("notify", lambda *_: self.show_session())

        self.icon = Gtk.Image(pixel_size=96)
        self.title = Gtk.Label(wrap=True, justify=Gtk.Justification.CENTER, css_classes=["title-1"])
        self.detail = Gtk.Label(wrap=True, justify=Gtk.Justification.CENTER, css_classes=["dim-label"])
        self.email = Gtk.Entry(placeholder_text="Email")
        self.password = Gtk.PasswordEntry(placeholder_text="Password", show_peek_icon=True)
        self.password.connect("activate", lambda *_: self.sign_in())
        for field, name in ((self.email, "Email"), (self.password, "Password")):
            field.update_property([Gtk.AccessibleProperty.LABEL], [name])
        self.button = Gtk.Button(halign=Gtk.Align.CENTER, css_classes=["pill", "suggested-action"])
        self.button.connect("clicked", lambda *_: self.act())
        self.problem = Gtk.Label(wrap=True, css_classes=["error"])

        box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12, valign=Gtk.Align.CENTER, hexpand=True)
        box.set_margin_start(48)
        box.set_margin_end(48)
        for widget in (self.icon, self.title, self.detail, self.email, self.password, self.button, self.problem):
            box.append(widget)
        self.set_child(box)
        self.show_session()

    def show_session(self):
        """Shows a page for each of the six states of the session. Each offers to unlock a locked keyring."""
        state, user, error = self.session.props.state, self.session.props.user, self.session.props.error
        icon, title, detail, button = {
            SharedAuth.State.UNKNOWN: ("content-loading-symbolic", "Asking the Keyring…", "", None),
            SharedAuth.State.SIGNED_IN: ("avatar-default-symbolic", name(user), "Signed in to all apps", "Sign Out"),
            SharedAuth.State.SIGNED_OUT: ("avatar-default-symbolic", "Sign In to Contacts", "", "Sign In"),
            SharedAuth.State.LOCKED: ("changes-prevent-symbolic", "Keyring Is Locked", "", "Unlock…"),
            SharedAuth.State.UNAVAILABLE: ("dialog-warning-symbolic", "No Keyring Answers", message(error), None),
            SharedAuth.State.DAMAGED: ("dialog-error-symbolic", "Account Cannot Be Read", message(error), "Start Over"),
        }[state]
        if self.is_locked():
            detail, button = "" if state == SharedAuth.State.LOCKED else "The keyring is locked", "Unlock…"
        self.icon.set_from_icon_name(icon)
        self.title.set_label(title)
        self.detail.set_label(detail)
        self.detail.set_visible(bool(detail))
        for field in (self.email, self.password):
            field.set_visible(state == SharedAuth.State.SIGNED_OUT and not self.is_locked())
        self.button.set_visible(button is not None)
        self.button.set_label(button or "")
        self.problem.set_label("")

    def is_locked(self):
        """Whether the keyring is locked, also while a user is signed in."""
        error = self.session.props.save_error
        return bool(error) and error.matches(SharedAuth.error_quark(), SharedAuth.Error.KEYRING_LOCKED)

    def act(self):
        """Performs the action that the button names."""
        if self.is_locked():
            self.session.unlock_async(None, self.finish, "unlock_finish")
        elif self.session.props.state == SharedAuth.State.SIGNED_OUT:
            self.sign_in()
        else:
            self.session.sign_out_async(None, self.finish, "sign_out_finish")

    def sign_in(self):
        email, password = self.email.get_text(), self.password.get_text()
        self.session.sign_in_with_password_async(email, password, None, self.finish, "sign_in_with_password_finish")
        self.password.set_text("")

    def finish(self, session, result, function):
        """Shows the error of a failed call. The properties of the session report the effects of a call."""
        try:
            getattr(session, function)(result)
        except GLib.Error as error:
            # The page already says that the keyring is locked.
            if not self.is_locked():
                self.problem.set_label(message(error))


def name(user):
    return user and (user.props.display_name or user.props.email or "Guest")


def message(error):
    return SharedAuth.error_get_user_message(error) if error else ""


def activate(application):
    (application.get_active_window() or Window(application)).present()


GLib.set_prgname(APP_ID)
application = Gtk.Application(application_id=APP_ID)
application.connect("activate", activate)
application.run()
