"""Operates windows as a user does: over the accessibility bus, like a screen reader, or else with the keyboard."""

import subprocess
import time

from gi.repository import Gio, GLib

PATIENCE = 60
# Bits of the first of the two words of a widget's state.
FOCUSED, SENSITIVE, VISIBLE = 1 << 12, 1 << 24, 1 << 30
# Roles by number, because the toolkits' names for them differ.
BUTTONS = {"push button": 43, "toggle button": 62}.values()
FIELDS = {"password text": 40, "text": 61, "entry": 79}.values()


class NotAsTold(Exception):
    """A step did not happen as described."""


def wait_for(what, find, patience=PATIENCE):
    """Waits until `find` returns a result, and returns that."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        found = find()
        if found:
            return found
        time.sleep(0.02)
    raise NotAsTold(f"{what}: not within {patience} seconds")


def connect(address):
    """Opens a connection to a message bus."""
    return Gio.DBusConnection.new_for_address_sync(
        address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION,
    )


# The address of the accessibility bus. It is not the bus of the keyring.
ACCESSIBILITY_BUS = Gio.bus_get_sync(Gio.BusType.SESSION).call_sync(
    "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", None, None, Gio.DBusCallFlags.NONE, -1, None,
).unpack()[0]


class Node:
    """A process, a window, or a widget, as its process currently describes it."""

    bus = connect(ACCESSIBILITY_BUS)

    def __init__(self, owner, path):
        self.owner = owner
        self.path = path

    def call(self, interface, method, signature=None, *arguments):
        """Returns the first value of a method's result, or True without one; None if the call fails, as on a gone node."""
        parameters = GLib.Variant(signature, arguments) if signature else None
        try:
            answer = Node.bus.call_sync(
                self.owner, self.path, interface, method, parameters, None, Gio.DBusCallFlags.NONE, 10_000, None,
            )
        except GLib.Error:
            return None
        return answer.unpack()[0] if answer.n_children() else True

    def ask(self, method):
        return self.call("org.a11y.atspi.Accessible", method)

    @property
    def name(self):
        return self.call("org.freedesktop.DBus.Properties", "Get", "(ss)", "org.a11y.atspi.Accessible", "Name")

    @property
    def description(self):
        return self.call("org.freedesktop.DBus.Properties", "Get", "(ss)", "org.a11y.atspi.Accessible", "Description")

    @property
    def children(self):
        return [Node(owner, path) for owner, path in self.ask("GetChildren") or []]

    def has(self, state):
        return ((self.ask("GetState") or [0])[0] & state) != 0


class Person:
    """A user of the windows of one process."""

    def __init__(self, program):
        self.program = program

    def sees(self, text):
        """Waits until the window shows a text."""
        wait_for(f"{self.program} shows '{text}'", lambda: self._find(text))

    def loses(self, text):
        """Waits until the window does not show a text."""
        wait_for(f"{self.program} shows no '{text}'", lambda: not self._find(text))

    def does_not_see(self, text):
        if self._find(text):
            raise NotAsTold(f"{self.program} shows '{text}'")

    def presses(self, label):
        """Presses a button, once it is shown and can be pressed."""
        button = wait_for(f"{self.program} has a button '{label}'", lambda: self._find(label, BUTTONS))
        button.call("org.a11y.atspi.Action", "DoAction", "(i)", 0)

    def types(self, text, entry):
        """Writes a text into a field, in place of what is there."""
        field = wait_for(f"{self.program} has a field '{entry}'", lambda: self._find(entry, FIELDS))
        if "org.a11y.atspi.EditableText" in (field.ask("GetInterfaces") or []):
            field.call("org.a11y.atspi.EditableText", "SetTextContents", "(s)", text)
        else:
            self._types_with_keyboard(text, field)

    def _types_with_keyboard(self, text, field):
        """Writes into a field that a screen reader cannot write into, such as those of Qt Quick."""
        title = f"^{self.window().name}$"
        subprocess.run(["xdotool", "search", "--onlyvisible", "--name", title, "windowfocus", "--sync"], check=True)
        field.call("org.a11y.atspi.Component", "GrabFocus")
        wait_for(f"the field of {self.program} has the focus", lambda: field.has(FOCUSED))
        subprocess.run(["xdotool", "key", "ctrl+a", "type", text], check=True)

    def window_count(self):
        """Returns the number of windows."""
        return sum(len(application.children) for application in self._applications())

    def window(self):
        """Waits for a window, and returns one."""
        return wait_for(
            f"{self.program} has a window",
            lambda: next((window for application in self._applications() for window in application.children), None),
        )

    def everything(self):
        """Returns every text that a screen reader could read."""
        return sorted({node.name or "" for node in self._nodes()} - {""})

    def _find(self, text, roles=None):
        for node in self._nodes():
            name = node.name
            if not name and roles is FIELDS:
                # Qt reports no name of a password field.
                name = node.description
            # GTK reports the text of a toast's button twice.
            if name not in (text, f"{text} {text}"):
                continue
            if not roles or (node.ask("GetRole") in roles and node.has(SENSITIVE)):
                return node
        return None

    def _nodes(self):
        """Returns everything that is visible."""
        waiting = [window for application in self._applications() for window in application.children]
        while waiting:
            node = waiting.pop()
            if node.has(VISIBLE):
                yield node
                waiting += node.children

    def _applications(self):
        desktop = Node("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
        return [application for application in desktop.children if application.name == self.program]
