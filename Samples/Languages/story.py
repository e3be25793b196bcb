"""Plays the story of one sign-in in several languages and checks each step. Samples/Languages/run starts it."""

import argparse
import os
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, f"{FOLDER}/../Desktop/Story")

from app import App
from keyring import Keyring
from person import NotAsTold

ADA, PHRASE = "ada@example.org", "correct horse battery"
# The distance from one window to the next, and the number of windows in a row.
WIDTH, HEIGHT, COLUMNS = 450, 640, 3
# Makes a Qt app accessible. Qt 6.4 does not register with the accessibility bus if its address is in the environment.
QT = {"QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "AT_SPI_BUS_ADDRESS": None, "QT_QUICK_BACKEND": "software"}


class Window(App):
    """An app with a window, in one of the languages."""

    def __init__(self, name, language, program, number):
        super().__init__(name, None, (number % COLUMNS * WIDTH, number // COLUMNS * HEIGHT))
        self.language = language
        self.program = program

    def start(self):
        super().start(**(QT if "Qt" in self.language else {}))


class Story:
    def __init__(self, arguments):
        self.photos = arguments.photos
        self.windows = [
            Window(*entry, number)
            for number, entry in enumerate([
                ("Mail", "Swift", f"{arguments.desktop}/desktop-mail"),
                ("Contacts", "Python", f"{FOLDER}/contacts.py"),
                ("Tasks", "JavaScript", f"{FOLDER}/tasks.js"),
                ("Journal", "Vala", f"{arguments.built}/journal"),
                ("Planner", "C++ and Qt", f"{arguments.built}/planner"),
            ])
        ]
        self.mail, *self.others = self.windows
        self.jotter = f"{arguments.built}/jotter"
        # Its last command and output.
        self.jotted = ""
        self.keyring = Keyring(arguments.keyring)
        self.steps = 0

    def tell(self, sentence):
        self.steps += 1
        print(f"\n{self.steps}. {sentence}", flush=True)

    def all_see(self, text):
        for window in self.windows:
            window.person.sees(text)

    def all_lose(self, text):
        for window in self.windows:
            window.person.loses(text)

    def all_are_signed_out(self):
        for window in self.windows:
            window.person.sees(f"Sign In to {window.name}")

    def signs_in(self, window, password):
        window.person.types(ADA, "Email")
        window.person.types(password, "Password")
        window.person.presses("Sign In")

    def unlocks(self, window):
        self.keyring.start_dialogs()
        window.person.presses("Unlock…")
        self.keyring.sees_dialog()
        self.keyring.answers_dialog()

    def jots(self, *words, says, status=0):
        """Runs Jotter and checks its output and exit status."""
        done = subprocess.run(
            [self.jotter, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30
        )
        self.jotted = f"$ jotter {' '.join(words)}\n{done.stdout.strip()}"
        print("   " + self.jotted.replace("\n", "\n   "), flush=True)
        if says not in done.stdout or done.returncode != status:
            raise NotAsTold(f"jotter exited with {done.returncode} instead of {status}, or did not print '{says}'")

    def photograph(self, name):
        """Takes one screenshot of all windows and of Jotter's last output, each with the name of its language."""
        pictures, labelled = [], []
        for window in self.windows:
            pictures.append(f"{self.photos}/{window.name}.ppm")
            window.photo(pictures[-1])
            labelled += ["-label", f"{window.name}: {window.language}", pictures[-1]]
        pictures.append(f"{self.photos}/Jotter.ppm")
        terminal = ["-size", "340x560", "-background", "#241f31", "-fill", "white", "-bordercolor", "#241f31"]
        terminal += ["-font", "DejaVu-Sans-Mono", "-pointsize", "16", f"caption:{self.jotted}", "-border", "20"]
        subprocess.run(["convert", *terminal, pictures[-1]], check=True)
        labelled += ["-label", "Jotter: C", pictures[-1]]
        pictures.append(f"{self.photos}/all.ppm")
        looks = ["-tile", f"{COLUMNS}x", "-geometry", "+8+8", "-background", "#deddda"]
        looks += ["-font", "DejaVu-Sans-Bold", "-pointsize", "20"]
        subprocess.run(["montage", *labelled, *looks, pictures[-1]], check=True)
        photo = f"{self.photos}/{name}.png"
        small = ["+dither", "-colors", "128", "-depth", "8", "-strip"]
        subprocess.run(["convert", pictures[-1], *small, photo], check=True)
        for picture in pictures:
            os.remove(picture)
        print(f"   photo: {photo}", flush=True)

    def start(self):
        for window in self.windows:
            window.start()

    def stop(self):
        for window in self.windows:
            window.stop()

    def tell_all(self):
        listed = ", ".join(f"{window.name} ({window.language})" for window in self.windows)
        self.tell(f"The keyring is locked, and {listed} are started for the first time. All say so; Jotter (C), too.")
        self.keyring.lock()
        self.start()
        self.all_see("Keyring Is Locked")
        self.jots("who", says="locked", status=77)
        self.tell("In Mail, Ada unlocks it with the keyring's password. No user is signed in to any app.")
        self.unlocks(self.mail)
        self.all_are_signed_out()
        self.jots("who", says="No user is signed in.")
        self.tell("She creates an account in Mail. All other apps show her immediately: they are in the group.")
        self.signs_in(self.mail, PHRASE)
        self.mail.person.presses("Create Account")
        self.all_see(ADA)
        self.jots("who", says=f"{ADA} is signed in.")
        self.photograph("languages")
        self.tell("She adds a note in Jotter.")
        self.jots("add", "Buy", "milk", says="")
        self.jots("list", says="Buy milk")
        for window in self.others:
            self.tell(f"She signs out in {window.name}. All other apps follow.")
            window.person.presses("Sign Out")
            self.all_are_signed_out()
            self.jots("list", says="No user is signed in.", status=1)
            self.tell(f"She mistypes her password in {window.name}, which says so. She corrects it, and all show her.")
            self.signs_in(window, "wrong horse")
            window.person.sees("The password is wrong.")
            self.signs_in(window, PHRASE)
            self.all_see(ADA)
            self.jots("list", says="Buy milk")
        self.tell("She signs out in Jotter, and all windows follow. She signs in to Mail as a guest.")
        self.jots("sign-out", says="Signed out.")
        self.all_are_signed_out()
        self.mail.person.presses("Continue as Guest")
        self.all_see("Guest")
        self.jots("who", says="A guest is signed in.")
        self.tell("The keyring is locked, and the windows are opened again. All apps say so.")
        self.stop()
        self.keyring.lock()
        self.start()
        self.all_see("Keyring Is Locked")
        self.jots("who", says="locked", status=77)
        self.photograph("locked")
        for window in self.others:
            if window is not self.others[0]:
                self.tell(f"The keyring is locked again, and {window.name} is opened again.")
                window.stop()
                self.keyring.lock()
                window.start()
                window.person.sees("Keyring Is Locked")
            self.tell(f"In {window.name}, she unlocks it with the keyring's password. All apps show the guest.")
            self.unlocks(window)
            self.all_see("Guest")
        self.jots("who", says="A guest is signed in.")
        for window in self.windows:
            self.tell(f"The keyring is locked meanwhile. All still show the guest; she unlocks it in {window.name}.")
            self.keyring.lock()
            self.all_see("The keyring is locked")
            self.all_see("Guest")
            if window is self.mail:
                self.photograph("locked-meanwhile")
            self.unlocks(window)
            self.all_lose("The keyring is locked")
        self.all_see("Guest")
        self.tell("She signs out in Jotter. The keyring is locked; all windows say so, and she unlocks it in Contacts.")
        self.jots("sign-out", says="Signed out.")
        self.all_are_signed_out()
        self.keyring.lock()
        self.all_see("The keyring is locked")
        self.unlocks(self.others[0])
        self.all_lose("The keyring is locked")
        self.all_are_signed_out()
        print("\nEvery step happened as described.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--desktop", required=True)
    parser.add_argument("--built", required=True)
    parser.add_argument("--keyring", type=int, required=True)
    parser.add_argument("--photos", required=True)
    story = Story(parser.parse_args())
    try:
        story.tell_all()
    except NotAsTold as problem:
        print(f"   NOT AS EXPECTED: {problem}", file=sys.stderr)
        for window in story.windows:
            print(f"   {window.name} shows: {window.person.everything()}", file=sys.stderr)
        sys.exit(1)
    finally:
        story.stop()
        story.keyring.stop()


main()
