#!/usr/bin/env -S gjs -m
// A sample app with one window, which shows the user who is signed in to the apps of an access group.

import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Gtk from 'gi://Gtk?version=4.0';
import SharedAuth from 'gi://SharedAuth?version=1';

const APP_ID = 'com.example.Tasks';
const GROUP = 'group.com.example.office';
const {SIGNED_OUT, LOCKED} = SharedAuth.State;

for (const call of ['sign_in_with_password', 'sign_out', 'unlock'])
    Gio._promisify(SharedAuth.Session.prototype, `${call}_async`, `${call}_finish`);

// The page of each state.
const pages = {
    [SharedAuth.State.UNKNOWN]: () => ({icon: 'content-loading-symbolic', title: 'Asking the Keyring…'}),
    [SharedAuth.State.SIGNED_IN]: ({user}) => ({
        icon: 'avatar-default-symbolic',
        title: user.display_name ?? user.email ?? 'Guest',
        detail: 'Signed in to all apps',
        button: 'Sign Out',
    }),
    [SIGNED_OUT]: () => ({
        icon: 'avatar-default-symbolic',
        title: 'Sign In to Tasks',
        button: 'Sign In',
    }),
    [LOCKED]: () => ({
        icon: 'changes-prevent-symbolic',
        title: 'Keyring Is Locked',
        button: 'Unlock…',
    }),
    [SharedAuth.State.UNAVAILABLE]: ({error}) => ({
        icon: 'dialog-warning-symbolic',
        title: 'No Keyring Answers',
        detail: SharedAuth.error_get_user_message(error),
    }),
    [SharedAuth.State.DAMAGED]: ({error}) => ({
        icon: 'dialog-error-symbolic',
        title: 'Account Cannot Be Read',
        detail: SharedAuth.error_get_user_message(error),
        button: 'Start Over',
    }),
};

const Window = GObject.registerClass(class Window extends Gtk.ApplicationWindow {
    constructor(application) {
        super({application, title: 'Tasks', default_width: 380, default_height: 600, titlebar: new Gtk.HeaderBar()});
        this.session = new SharedAuth.Session({
            app_id: APP_ID,
            access_group: GROUP,
            identity_provider: new SharedAuth.LocalProvider(),
        });

        const text = {wrap: true, justify: Gtk.Justification.CENTER};
        this.icon = new Gtk.Image({pixel_size: 96});
        this.heading = new Gtk.Label({...text, css_classes: ['title-1']});
        this.detail = new Gtk.Label({...text, css_classes: ['dim-label']});
        this.email = new Gtk.Entry({placeholder_text: 'Email'});
        this.password = new Gtk.PasswordEntry({placeholder_text: 'Password', show_peek_icon: true});
        for (const field of [this.email, this.password])
            field.update_property([Gtk.AccessibleProperty.LABEL], [field.placeholder_text]);
        this.button = new Gtk.Button({halign: Gtk.Align.CENTER, css_classes: ['pill', 'suggested-action']});
        this.problem = new Gtk.Label({wrap: true, css_classes: ['error']});

        const box = new Gtk.Box({
            orientation: Gtk.Orientation.VERTICAL, spacing: 12, valign: Gtk.Align.CENTER,
            margin_start: 48, margin_end: 48,
        });
        const {icon, heading, detail, email, password, button, problem} = this;
        for (const widget of [icon, heading, detail, email, password, button, problem])
            box.append(widget);
        this.child = box;

        this.session.connect('notify', () => this.showSession());
        this.button.connect('clicked', () => this.act());
        this.password.connect('activate', () => this.act());
        this.showSession();
    }

    showSession() {
        const {state} = this.session;
        const page = pages[state](this.session);
        if (this.isLocked())
            Object.assign(page, {detail: state === LOCKED ? '' : 'The keyring is locked', button: 'Unlock…'});
        const {icon, title, detail = '', button = ''} = page;
        this.icon.icon_name = icon;
        this.heading.label = title;
        this.detail.set({label: detail, visible: detail !== ''});
        this.button.set({label: button, visible: button !== ''});
        for (const field of [this.email, this.password])
            field.visible = state === SIGNED_OUT && !this.isLocked();
        this.problem.label = '';
    }

    // Whether the keyring is locked, also while a user is signed in.
    isLocked() {
        return this.session.save_error?.matches(SharedAuth.Error, SharedAuth.Error.KEYRING_LOCKED) ?? false;
    }

    // Performs the action that the button names.
    act() {
        const [email, password] = [this.email.text, this.password.text];
        this.password.text = '';
        this.attempt(session => this.isLocked() ? session.unlock_async(null)
            : session.state === SIGNED_OUT ? session.sign_in_with_password_async(email, password, null)
                : session.sign_out_async(null));
    }

    // Shows the error of a failed call. The properties of the session report the effects of a call.
    async attempt(call) {
        try {
            await call(this.session);
        } catch (error) {
            // The page already says that the keyring is locked.
            if (!this.isLocked())
                this.problem.label = SharedAuth.error_get_user_message(error);
        }
    }
});

GLib.set_prgname(APP_ID);
const application = new Gtk.Application({application_id: APP_ID});
application.connect('activate', () => (application.active_window ?? new Window(application)).present());
application.run([]);
