"""The processes of the story: the two apps, and how they fare."""

import os
import subprocess
import threading
import time

from gi.repository import Gio, GLib

from person import NotAsTold, Person, wait_for


class App:
    """One of the apps: a process with a window."""

    def __init__(self, name, programs, place):
        self.name = name
        self.id = f"com.example.{name}"
        self.program = f"{programs}/desktop-{name.lower()}"
        self.person = Person(self.id)
        self.place = place
        self.process = None

    def start(self, **environment):
        self.process = subprocess.Popen([self.program], env={**os.environ, **environment})
        wait_for(f"{self.name} has a window", self._window)
        subprocess.run(["xdotool", "windowmove", self._window(), *map(str, self.place)], check=True)

    def start_again(self):
        """Starts a second process, and gives what it leaves behind."""
        return subprocess.run([self.program], timeout=20).returncode

    def stop(self):
        """Ends the process, as a person does by closing its window."""
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=20)
        self.process = None

    def processor_ticks(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def kilobytes(self):
        """What the process keeps in memory, its files apart."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
        raise NotAsTold(f"{self.name} has no memory")

    def _window(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", f"^{self.name}$"], stdout=subprocess.PIPE, text=True)
        return found.stdout.split()[0] if found.stdout.split() else None

    def photo(self, path):
        subprocess.run(["import", "-window", self._window(), path], check=True)


class Pulse:
    """How long the app's main thread takes to answer, asked again and again while something else goes on."""

    LIMIT = 0.1

    def __init__(self, app):
        self.app = app
        self.answers = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._ask)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *rest):
        self.is_over.set()
        self.thread.join()
        if kind:
            return
        worst = max(self.answers, default=float("inf"))
        print(f"   {self.app.name} answered {len(self.answers)} times, after {worst * 1000:.0f} ms at most")
        if worst > self.LIMIT:
            raise NotAsTold(f"{self.app.name} took {worst * 1000:.0f} ms to answer")

    def _ask(self):
        bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        while not self.is_over.is_set():
            began = time.monotonic()
            # GTK answers it on the main thread, between what else that does.
            bus.call_sync(
                self.app.id, "/" + self.app.id.replace(".", "/"), "org.gtk.Actions", "List", None,
                GLib.VariantType("(as)"), Gio.DBusCallFlags.NONE, 30_000, None,
            )
            self.answers.append(time.monotonic() - began)
            time.sleep(0.02)
