"""The story of one sign-in in three languages, checked step by step; Samples/Languages/run sets the stage."""

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
        # In Swift, and in Python.
        self.mail = App("Mail", arguments.programs, (0, 0))
        self.contacts = App("Contacts", arguments.programs, (450, 0))
        self.contacts.program = f"{os.path.dirname(os.path.abspath(__file__))}/contacts.py"
        # In C.
        self.jotter = arguments.jotter
        self.keyring = Keyring(arguments.keyring)
        self.steps = 0

    def tell(self, sentence):
        self.steps += 1
        print(f"\n{self.steps}. {sentence}", flush=True)

    def both_see(self, text):
        self.mail.person.sees(text)
        self.contacts.person.sees(text)

    def nobody_is_signed_in(self):
        self.mail.person.sees("Sign In to Mail")
        self.contacts.person.sees("Sign In to Contacts")

    def jots(self, *words, says, status=0):
        """Runs Jotter, and looks what it says."""
        done = subprocess.run(
            [self.jotter, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30
        )
        print(f"   $ jotter {' '.join(words)}\n   {done.stdout.strip()}", flush=True)
        if says not in done.stdout or done.returncode != status:
            raise NotAsTold(f"jotter ended with {done.returncode}, and not with {status} and '{says}'")

    def photograph(self, name):
        """One picture of both windows."""
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
        self.tell("Mail, in Swift, and Contacts, in Python, are started. Nobody is signed in, says Jotter, in C, too.")
        self.start()
        self.nobody_is_signed_in()
        self.jots("who", says="Nobody is signed in.")
        self.tell("Ada makes an account in Mail. Contacts and Jotter know her at once.")
        self.mail.person.types(ADA, "Email")
        self.mail.person.types(PHRASE, "Password")
        self.mail.person.presses("Sign In")
        self.mail.person.presses("Create Account")
        self.both_see(ADA)
        self.jots("who", says=f"{ADA} is signed in.")
        self.photograph("three-languages")
        self.tell("She notes something.")
        self.jots("add", "Buy", "milk", says="")
        self.jots("list", says="Buy milk")
        self.tell("She signs out in Contacts. Mail and Jotter follow.")
        self.contacts.person.presses("Sign Out")
        self.nobody_is_signed_in()
        self.jots("list", says="Nobody is signed in.", status=1)
        self.tell("She mistypes her password in Contacts, which says so; then she types it right. Mail shows her.")
        for password, text in (("wrong horse", "The password is wrong."), (PHRASE, ADA)):
            self.contacts.person.types(ADA, "Email")
            self.contacts.person.types(password, "Password")
            self.contacts.person.presses("Sign In")
            self.contacts.person.sees(text)
        self.mail.person.sees(ADA)
        self.jots("list", says="Buy milk")
        self.tell("Jotter signs her out, and both windows follow. She signs in to Mail as a guest.")
        self.jots("sign-out", says="Nobody is signed in now.")
        self.nobody_is_signed_in()
        self.mail.person.presses("Continue as Guest")
        self.both_see("Guest")
        self.jots("who", says="A guest is signed in.")
        self.tell("The keyring is locked, and the windows are opened again. All three say so.")
        self.stop()
        self.keyring.lock()
        self.start()
        self.both_see("Keyring Is Locked")
        self.jots("who", says="locked", status=77)
        self.photograph("locked")
        self.tell("In Contacts, she asks to unlock it, and types the keyring's password. All show who is signed in.")
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
