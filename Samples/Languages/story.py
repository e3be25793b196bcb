"""Plays the story of one sign-in in three languages and checks each step. Samples/Languages/run starts it."""

import argparse
import os
import subprocess
import sys

sys.path.insert(0, f"{os.path.dirname(os.path.abspath(__file__))}/../Desktop/Story")

from app import App
from keyring import Keyring
from person import NotAsTold

ADA, PHRASE = "ada@example.org", "correct horse battery"


class Story:
    def __init__(self, arguments):
        self.photos = arguments.photos
        # Swift.
        self.mail = App("Mail", arguments.programs, (0, 0))
        # Python.
        self.contacts = App("Contacts", arguments.programs, (450, 0))
        self.contacts.program = f"{os.path.dirname(os.path.abspath(__file__))}/contacts.py"
        # C.
        self.jotter = arguments.jotter
        self.keyring = Keyring(arguments.keyring)
        self.steps = 0

    def tell(self, sentence):
        self.steps += 1
        print(f"\n{self.steps}. {sentence}", flush=True)

    def both_see(self, text):
        self.mail.person.sees(text)
        self.contacts.person.sees(text)

    def both_are_signed_out(self):
        self.mail.person.sees("Sign In to Mail")
        self.contacts.person.sees("Sign In to Contacts")

    def jots(self, *words, says, status=0):
        """Runs Jotter and checks its output and exit status."""
        done = subprocess.run(
            [self.jotter, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30
        )
        print(f"   $ jotter {' '.join(words)}\n   {done.stdout.strip()}", flush=True)
        if says not in done.stdout or done.returncode != status:
            raise NotAsTold(f"jotter exited with {done.returncode} instead of {status}, or did not print '{says}'")

    def photograph(self, name):
        """Takes one screenshot of both windows."""
        parts = [f"{self.photos}/{app.name}.ppm" for app in (self.mail, self.contacts)]
        for app, part in zip((self.mail, self.contacts), parts):
            app.photo(part)
        picture = f"{self.photos}/{name}.png"
        looks = ["-alpha", "set", "-bordercolor", "none", "-border", "8x0", "+append", "-colors", "128", "-strip"]
        subprocess.run(["convert", *parts, *looks, picture], check=True)
        for part in parts:
            os.remove(part)
        print(f"   photo: {picture}", flush=True)

    def start(self):
        self.mail.start()
        self.contacts.start()

    def stop(self):
        self.mail.stop()
        self.contacts.stop()

    def tell_all(self):
        self.tell("Mail (Swift) and Contacts (Python) are started. No user is signed in, and Jotter (C) says so, too.")
        self.start()
        self.both_are_signed_out()
        self.jots("who", says="No user is signed in.")
        self.tell("Ada creates an account in Mail. Contacts and Jotter show her immediately.")
        self.mail.person.types(ADA, "Email")
        self.mail.person.types(PHRASE, "Password")
        self.mail.person.presses("Sign In")
        self.mail.person.presses("Create Account")
        self.both_see(ADA)
        self.jots("who", says=f"{ADA} is signed in.")
        self.photograph("three-languages")
        self.tell("She adds a note in Jotter.")
        self.jots("add", "Buy", "milk", says="")
        self.jots("list", says="Buy milk")
        self.tell("She signs out in Contacts. Mail and Jotter follow.")
        self.contacts.person.presses("Sign Out")
        self.both_are_signed_out()
        self.jots("list", says="No user is signed in.", status=1)
        self.tell("She mistypes her password in Contacts, which says so. She corrects it, and Mail shows her.")
        for password, text in (("wrong horse", "The password is wrong."), (PHRASE, ADA)):
            self.contacts.person.types(ADA, "Email")
            self.contacts.person.types(password, "Password")
            self.contacts.person.presses("Sign In")
            self.contacts.person.sees(text)
        self.mail.person.sees(ADA)
        self.jots("list", says="Buy milk")
        self.tell("She signs out in Jotter, and both windows follow. She signs in to Mail as a guest.")
        self.jots("sign-out", says="Signed out.")
        self.both_are_signed_out()
        self.mail.person.presses("Continue as Guest")
        self.both_see("Guest")
        self.jots("who", says="A guest is signed in.")
        self.tell("The keyring is locked, and the windows are opened again. All three apps say so.")
        self.stop()
        self.keyring.lock()
        self.start()
        self.both_see("Keyring Is Locked")
        self.jots("who", says="locked", status=77)
        self.photograph("locked")
        self.tell("In Contacts, she unlocks it with the keyring's password. All three apps show the guest.")
        self.keyring.start_dialogs()
        self.contacts.person.presses("Unlock…")
        self.keyring.sees_dialog()
        self.keyring.answers_dialog()
        self.both_see("Guest")
        self.jots("who", says="A guest is signed in.")
        print("\nEvery step happened as described.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--jotter", required=True)
    parser.add_argument("--keyring", type=int, required=True)
    parser.add_argument("--photos", required=True)
    story = Story(parser.parse_args())
    try:
        story.tell_all()
    except NotAsTold as problem:
        print(f"   NOT AS EXPECTED: {problem}", file=sys.stderr)
        for app in (story.mail, story.contacts):
            print(f"   {app.name} shows: {app.person.everything()}", file=sys.stderr)
        sys.exit(1)
    finally:
        story.stop()
        story.keyring.stop()


main()
