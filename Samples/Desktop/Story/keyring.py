"""The story's keyring, GNOME Keyring, its message bus, and the faults of both."""

import contextlib
import os
import signal
import subprocess

from gi.repository import Gio, GLib

from person import NotAsTold, connect, wait_for

PASSWORD = "a private password"
# The title of the dialog.
DIALOG = "^Unlock "


class Keyring:
    """A keyring daemon on a message bus; only one runs at a time, because all use the same files."""

    def __init__(self, process, bus=None, environment={}):
        self.process = process
        self.bus = bus or Gio.bus_get_sync(Gio.BusType.SESSION)
        self.environment = environment

    def lock(self):
        self._call("Service", "Lock", GLib.Variant("(ao)", (["/org/freedesktop/secrets/collection/login"],)))

    def damage(self, group):
        """Replaces the record of an access group with other bytes."""
        _, session = self._call("Service", "OpenSession", GLib.Variant("(sv)", ("plain", GLib.Variant("s", ""))))
        wanted = {"sharedauth-scope": f"group:{group}", "sharedauth-kind": "user"}
        items, _ = self._call("Service", "SearchItems", GLib.Variant("(a{ss})", (wanted,)))
        if not items:
            raise NotAsTold(f"there is no record of {group}")
        for item in items:
            secret = GLib.Variant("((oayays))", ((session, b"", b"not a record", "text/plain"),))
            self._call("Item", "SetSecret", secret, item)

    def hang(self):
        os.kill(self.process, signal.SIGSTOP)

    def recover(self):
        os.kill(self.process, signal.SIGCONT)

    def kill(self):
        self.stop()
        wait_for("the keyring is gone", lambda: not self._is_owned("org.freedesktop.secrets"))

    def start(self):
        """Starts another daemon, unlocked."""
        daemon = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", "--unlock"],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, **self.environment},
        )
        daemon.stdin.write(PASSWORD)
        daemon.stdin.close()
        self.process = daemon.pid
        wait_for("the keyring is there", lambda: self._is_owned("org.freedesktop.secrets"))

    def stop(self):
        """Ends the keyring in any state."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)

    def start_dialogs(self):
        """Starts the program that shows the keyring's dialogs; it ends by itself without dialogs."""
        name = "org.gnome.keyring.SystemPrompter"
        program = next(path for path in ("/usr/libexec/gcr-prompter", "/usr/lib/gcr/gcr-prompter") if os.path.exists(path))
        # It grabs the keyboard and the pointer, and is not visible on the accessibility bus.
        self.dialogs = subprocess.Popen(
            [program], env={**os.environ, "NO_AT_BRIDGE": "1"}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        wait_for("the keyring's dialogs are there", lambda: self._is_owned(name))

    def sees_dialog(self):
        """Waits until the keyring prompts for its password."""
        wait_for("the keyring asks for its password", lambda: self._dialog())

    def answers_dialog(self):
        """Types the password as on a keyboard."""
        subprocess.run(["xdotool", "search", "--onlyvisible", "--name", DIALOG, "windowfocus"], check=True)
        subprocess.run(["xdotool", "type", PASSWORD], check=True)
        subprocess.run(["xdotool", "key", "Return"], check=True)
        self.closes_dialog()
        self.dialogs.terminate()
        self.dialogs.wait()

    def closes_dialog(self):
        """Waits until the keyring's prompt is gone."""
        wait_for("the keyring asks no more", lambda: not self._dialog())

    def _dialog(self):
        found = ["xdotool", "search", "--onlyvisible", "--name", DIALOG]
        return subprocess.run(found, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0

    def _call(self, interface, method, arguments, path="/org/freedesktop/secrets"):
        return self.bus.call_sync(
            "org.freedesktop.secrets", path, f"org.freedesktop.Secret.{interface}", method, arguments, None,
            Gio.DBusCallFlags.NONE, 10_000, None,
        ).unpack()

    def _is_owned(self, name):
        answer = self.bus.call_sync(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
            GLib.Variant("(s)", (name,)), None, Gio.DBusCallFlags.NONE, 10_000, None,
        )
        return answer.unpack()[0]


class Bus:
    """A second message bus, which can be lost, with a keyring on it; the story itself needs the first one."""

    def __init__(self, configuration):
        address = f"unix:path={os.path.dirname(configuration)}/second-bus"
        self.command = ["dbus-daemon", f"--config-file={configuration}", f"--address={address}", "--nofork", "--nopidfile"]
        self.address = address
        # The environment with which a program uses this bus.
        self.environment = {"DBUS_SESSION_BUS_ADDRESS": address}
        self.process = None
        self.keyring = None

    def start(self):
        """Starts it, and the keyring."""
        command = [*self.command, "--print-address=1"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        # It is ready when it prints its address.
        self.process.stdout.readline()
        self.keyring = Keyring(None, connect(self.address), self.environment)
        self.keyring.start()

    def lose(self):
        """Kills the bus, and the keyring without waiting for it to end by itself."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.keyring.stop()
        self.process = None
