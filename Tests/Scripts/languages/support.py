"""Support for the tests of the GObject library: waiting, calls, a Swift process on the same slot, and the keyring."""

import itertools
import json
import os
import signal
import subprocess
import threading
import unittest

import gi

gi.require_version("SharedAuth", "1")
from gi.repository import Gio, GLib, SharedAuth

State = SharedAuth.State
Error = SharedAuth.Error
COLLECTION = "/org/freedesktop/secrets/collection/login"
PASSWORD = b"a private password"
numbers = itertools.count(1)


def wait(condition, context=None, seconds=60):
    """Iterates a main context until a condition holds. An event that makes it hold must wake the context."""
    context = context or GLib.MainContext.default()
    is_late = []
    timer = GLib.timeout_source_new_seconds(seconds)
    timer.set_callback(lambda *_: is_late.append(True))
    timer.attach(context)
    while not condition():
        if is_late:
            raise AssertionError(f"the condition did not hold within {seconds} seconds")
        context.iteration(True)
    timer.destroy()


def call(session, name, *arguments, cancellable=None):
    """Makes an async call, waits for it, and returns its result."""
    return begin(session, name, *arguments, cancellable=cancellable)()


def begin(session, name, *arguments, cancellable=None):
    """Starts an async call, and returns a function that waits for its result."""
    results = []
    getattr(session, f"{name}_async")(*arguments, cancellable, lambda _, result: results.append(result))

    def end():
        wait(lambda: results)
        return getattr(session, f"{name}_finish")(results[0])

    end.results = results
    return end


def fresh_names():
    """Returns an app id and a project that no other test uses."""
    number = next(numbers)
    return {"app_id": f"org.example.languages.app{number}", "project": f"languages-{os.getpid()}-{number}"}


def session(provider="local", **options):
    """Returns a session after its first load, of a new app unless the options name one."""
    made = raw_session(provider, **options)
    wait(lambda: made.props.state != State.UNKNOWN)
    return made


def raw_session(provider="local", **options):
    """Returns a session without waiting for its first load."""
    if provider == "local":
        provider = SharedAuth.LocalProvider()
    return SharedAuth.Session(identity_provider=provider, **{**fresh_names(), **options})


class Peer:
    """A Swift process that uses the slot of an app."""

    def __init__(self, app_id, project):
        state = os.environ["XDG_STATE_HOME"] + "/sharedauth"
        bus = os.environ["DBUS_SESSION_BUS_ADDRESS"]
        command = [os.environ["TEST_PEER"], app_id, project, bus, state, "automatic"]
        environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.answer()

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self):
        line = json.loads(self.process.stdout.readline())
        if line.get("error") or line.get("code"):
            raise AssertionError(f"the peer failed: {line}")
        return line

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


class Running:
    """A process of a program, and the lines that it prints."""

    def __init__(self, *command, stdin=None, **environment):
        self.process = subprocess.Popen(
            command, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **environment},
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def lines(self, count):
        """Waits for the next lines, and returns them; they are empty if the process ends."""
        deadline = threading.Timer(60, self.process.kill)
        deadline.start()
        try:
            return [self.process.stdout.readline().rstrip("\n") for _ in range(count)]
        finally:
            deadline.cancel()

    def rest(self):
        """Waits for the process to end. Returns the remaining lines, and the text on standard error."""
        output, problems = self.process.communicate(timeout=60)
        if self.process.returncode:
            raise AssertionError(f"the program ended with {self.process.returncode}: {problems}")
        return output.splitlines(), problems


class Keyring:
    """Locks, unlocks, damages and pauses the keyring, as a user or a failure would."""

    bus = None

    @classmethod
    def ask(cls, path, interface, method, arguments, reply=None):
        cls.bus = cls.bus or Gio.bus_get_sync(Gio.BusType.SESSION)
        kind = GLib.VariantType(reply) if reply else None
        return cls.bus.call_sync("org.freedesktop.secrets", path, interface, method, arguments, kind, 0, 20000, None)

    @classmethod
    def _service(cls, method, arguments):
        return cls.ask("/org/freedesktop/secrets", "org.freedesktop.Secret.Service", method, arguments)

    @classmethod
    def _open(cls):
        return cls._service("OpenSession", GLib.Variant("(sv)", ("plain", GLib.Variant("s", ""))))[1]

    @classmethod
    def lock(cls):
        cls._service("Lock", GLib.Variant("(ao)", ([COLLECTION],)))

    @classmethod
    def unlock(cls):
        master = GLib.Variant("(o(oayays))", (COLLECTION, (cls._open(), b"", PASSWORD, "text/plain")))
        interface = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"
        cls.ask("/org/freedesktop/secrets", interface, "UnlockWithMasterPassword", master)

    @classmethod
    def damage(cls, project):
        """Overwrites the user records of a project with invalid data, and returns their number."""
        wanted = {"sharedauth-project": project, "sharedauth-kind": "user"}
        items, _ = cls._service("SearchItems", GLib.Variant("(a{ss})", (wanted,)))
        for item in items:
            secret = GLib.Variant("((oayays))", ((cls._open(), b"", b"not a record", "text/plain"),))
            cls.ask(item, "org.freedesktop.Secret.Item", "SetSecret", secret)
        return len(items)

    @staticmethod
    def pause():
        os.kill(int(os.environ["KEYRING"]), signal.SIGSTOP)

    @staticmethod
    def resume():
        os.kill(int(os.environ["KEYRING"]), signal.SIGCONT)


def compile_vala(source, program):
    """Compiles a program in Vala. Warnings are errors, except those about the generated C code."""
    vapi = f"{os.environ['LANGUAGES_PREFIX']}/share/vala/vapi"
    flags = ["--quiet", "--fatal-warnings", f"--vapidir={vapi}", "--pkg=sharedauth-glib-1", "--Xcc=-w"]
    # The C code is written to the working directory.
    subprocess.run(["valac", *flags, "-o", program, source], check=True, cwd=os.path.dirname(program))


def compile_c(source, program):
    """Compiles a program in C. Warnings are errors."""
    query = ["pkg-config", "--cflags", "--libs", "sharedauth-glib-1"]
    flags = subprocess.run(query, stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    strict = ["-Wall", "-Wextra", "-Wno-unused-parameter", "-Werror"]
    subprocess.run(["gcc", *strict, "-o", program, source, *flags], check=True)


class TestCase(unittest.TestCase):
    """A test case with assertions about errors of the library."""

    def assertFails(self, code, function, *arguments, domain=None, **options):
        with self.assertRaises(GLib.Error) as caught:
            function(*arguments, **options)
        error = caught.exception
        domain = domain or SharedAuth.error_quark()
        self.assertTrue(error.matches(domain, code), f"{error.domain} {error.code}: {error.message}")
        return error

    def assertCancelled(self, function, *arguments, **options):
        self.assertFails(Gio.IOErrorEnum.CANCELLED, function, *arguments, domain=Gio.io_error_quark(), **options)
