"""The processes of the story: the two apps, and measurements of them."""

import os
import subprocess
import tempfile
import threading
import time

from person import ACCESSIBILITY_BUS, NotAsTold, Person, wait_for


class App:
    """One of the apps: a process with a window."""

    def __init__(self, name, programs, place):
        self.name = name
        self.id = f"com.example.{name}"
        self.program = f"{programs}/desktop-{name.lower()}"
        self.person = Person(self.id)
        self.place = place
        self.process = None
        self.log = None

    def start(self, **environment):
        """Starts the app with changes of the environment; None removes a variable."""
        # The accessibility bus stays usable even if the message bus that names it is lost.
        seen = {**os.environ, "AT_SPI_BUS_ADDRESS": ACCESSIBILITY_BUS, "G_MESSAGES_DEBUG": "Desktop", **environment}
        seen = {name: value for name, value in seen.items() if value is not None}
        self.log = tempfile.NamedTemporaryFile("r")
        with open(self.log.name, "w") as log:
            self.process = subprocess.Popen([self.program], env=seen, stdout=log)
        wait_for(f"{self.name} has a window", self._window)
        subprocess.run(["xdotool", "windowmove", self._window(), *map(str, self.place)], check=True)

    def start_again(self):
        """Starts a second process, and returns its result."""
        return subprocess.run([self.program], timeout=20).returncode

    def stop(self):
        """Ends the process, as a user does by closing its window."""
        if self.process:
            self.process.terminate()
            self.process.wait(timeout=20)
        self.process = None

    def logs(self, line):
        """Waits for a line of the app's own output, for when it cannot be queried."""

        def is_there():
            self.log.seek(0)
            return any(logged.rstrip().endswith(line) for logged in self.log)

        wait_for(f"{self.name} logs '{line}'", is_there)

    def processor_ticks(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return int(fields[11]) + int(fields[12])

    def kilobytes(self):
        """The memory of the process without its files."""
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith("RssAnon:"):
                return int(line.split()[1])
        raise NotAsTold(f"{self.name} has no memory")

    def _window(self):
        found = subprocess.run(["xdotool", "search", "--onlyvisible", "--name", f"^{self.name}$"], stdout=subprocess.PIPE, text=True)
        return found.stdout.split()[0] if found.stdout.split() else None

    def take_focus(self):
        subprocess.run(["xdotool", "windowfocus", "--sync", self._window()], check=True)

    def has_focus(self):
        found = subprocess.run(["xdotool", "getwindowfocus"], stdout=subprocess.PIPE, text=True)
        return found.stdout.strip() == self._window()

    def photo(self, path):
        """Takes a picture once the window is stable: a new page fades in."""
        pictures = []

        def is_still():
            command = ["import", "-window", self._window(), "-depth", "8", "ppm:-"]
            pictures.append(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            return len(pictures) > 2 and pictures[-3] == pictures[-2] == pictures[-1]

        wait_for(f"{self.name} stands still", is_still)
        with open(path, "wb") as file:
            file.write(pictures[-1])


class Pulse:
    """Measures how long the app's main thread takes to respond, polled while another task runs."""

    # A main thread that waits for the keyring does not respond for five seconds. A busy machine delays it by less.
    LIMIT = 1

    def __init__(self, app):
        self.app = app
        self.window = None
        self.answers = []
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self._ask)

    def __enter__(self):
        self.window = self.app.person.window()
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
        while not self.is_over.is_set():
            began = time.monotonic()
            # GTK responds on the main thread, between its other work.
            is_there = self.window.ask("GetState") is not None
            self.answers.append(time.monotonic() - began if is_there else float("inf"))
            time.sleep(0.02)
