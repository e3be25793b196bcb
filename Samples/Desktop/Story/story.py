"""The story of two windows and one sign-in, played and checked step by step; Samples/Desktop/run sets the stage."""

import argparse
import os
import subprocess
import sys
import time

from app import App, Pulse
from keyring import Bus, Keyring
from person import NotAsTold, wait_for

ADA, PHRASE = "ada@example.org", "correct horse battery"


class Story:
    def __init__(self, arguments):
        self.is_long = arguments.long
        self.photos = arguments.photos
        self.mail = App("Mail", arguments.programs, (0, 0))
        self.calendar = App("Calendar", arguments.programs, (450, 0))
        self.keyring = Keyring(arguments.keyring)
        self.other_bus = Bus(arguments.bus_configuration)
        self.began = time.monotonic()
        self.steps = 0

    def tell(self, sentence):
        self.steps += 1
        print(f"\n{self.steps}. {sentence}", flush=True)

    def both_see(self, text):
        self.mail.person.sees(text)
        self.calendar.person.sees(text)

    def both_lose(self, text):
        self.mail.person.loses(text)
        self.calendar.person.loses(text)

    def nobody_is_signed_in(self):
        self.mail.person.sees("Sign In to Mail")
        self.calendar.person.sees("Sign In to Calendar")

    def start(self, **environment):
        self.mail.start(**environment)
        self.calendar.start(**environment)

    def stop(self):
        self.mail.stop()
        self.calendar.stop()

    def photograph(self, name):
        """One picture of both windows, with few colours so that the file is small."""
        parts = [f"{self.photos}/{app.name}.ppm" for app in (self.mail, self.calendar)]
        for app, part in zip((self.mail, self.calendar), parts):
            app.photo(part)
        subprocess.run(
            ["convert", *parts, "-alpha", "set", "-bordercolor", "none", "-border", "8x0", "+append", "+dither",
             "-colors", "128", "-strip", f"{self.photos}/{name}.png"],
            check=True,
        )
        for part in parts:
            os.remove(part)
        print(f"   photo: {self.photos}/{name}.png", flush=True)

    # The chapters, in order.

    def sign_in(self):
        self.tell("Mail and Calendar are started. No user is signed in.")
        self.start()
        self.nobody_is_signed_in()
        self.photograph("signed-out")
        self.tell("In Mail, Ada mistypes her address. Mail asks before it creates an account, and she declines.")
        self.mail.person.types("aad@example.org", "Email")
        self.mail.person.types(PHRASE, "Password")
        self.mail.person.presses("Sign In")
        self.mail.person.sees("Create an Account?")
        self.mail.person.presses("Cancel")
        self.nobody_is_signed_in()
        self.tell("She types her address and a password, and confirms. Calendar shows her immediately.")
        self.mail.person.types(ADA, "Email")
        self.mail.person.types(PHRASE, "Password")
        self.mail.person.presses("Sign In")
        self.mail.person.sees("Create an Account?")
        self.photograph("question")
        self.mail.person.presses("Create Account")
        self.both_see(ADA)
        self.photograph("one-sign-in")

    def switch(self):
        self.tell("In Calendar, she adds a guest. Mail follows.")
        self.calendar.person.presses("Accounts")
        self.calendar.person.presses("Use Another Account…")
        self.calendar.person.presses("Continue as Guest")
        self.both_see("Guest")
        # A guest has no initial.
        self.mail.person.does_not_see("Picture of Guest")
        self.photograph("guest")
        self.tell("In Mail's account menu, she switches back. Calendar follows.")
        self.mail.person.presses("Accounts")
        self.mail.person.presses(f"Switch to {ADA}")
        self.both_see(ADA)

    def start_twice(self):
        self.tell("Mail is started a second time: the second process ends, and the one window comes to the front.")
        self.calendar.take_focus()
        status = self.mail.start_again()
        wait_for("Mail's window is in front", self.mail.has_focus)
        if status != 0 or self.mail.person.window_count() != 1:
            raise NotAsTold(f"status {status}, {self.mail.person.window_count()} windows")

    def be_idle(self):
        seconds = 60 if self.is_long else 10
        self.tell(f"Nothing happens for {seconds} seconds, and neither process uses the processor.")
        # Earlier work may take a while to end: a page fades, idle threads end. libdispatch itself manages its threads
        # once a second, which takes a third of a tick per minute.
        most = 1 if self.is_long else 0
        wait_for("rest", lambda: max(self._ticks_in(seconds)) <= most, patience=3 * seconds)

    def _ticks_in(self, seconds):
        """Returns the processor time that each app uses in the meantime."""
        before = self.mail.processor_ticks(), self.calendar.processor_ticks()
        time.sleep(seconds)
        used = self.mail.processor_ticks() - before[0], self.calendar.processor_ticks() - before[1]
        print(f"   Mail used {used[0]} and Calendar {used[1]} of {seconds * os.sysconf('SC_CLK_TCK')} ticks", flush=True)
        return used

    def sign_out(self):
        self.tell("In Calendar, she signs out. Mail says so and is signed out too.")
        self.calendar.person.presses("Sign Out of Both Apps")
        self.mail.person.sees("Signed out in another app")
        self.nobody_is_signed_in()
        self.calendar.person.does_not_see("Signed out in another app")

    def refuse(self):
        self.tell("She mistypes her password: Mail says so, and no user is signed in.")
        self.mail.person.types(ADA, "Email")
        self.mail.person.types("wrong horse", "Password")
        self.mail.person.presses("Sign In")
        self.mail.person.sees("The password is wrong.")
        self.nobody_is_signed_in()

    def turn_dark(self):
        self.tell("She continues as a guest, closes both windows, and opens them in the evening: dark, and signed in.")
        self.mail.person.presses("Continue as Guest")
        self.both_see("Guest")
        self.stop()
        self.start(ADW_DEBUG_COLOR_SCHEME="prefer-dark")
        self.both_see("Guest")
        self.photograph("dark")
        self.stop()

    def lock(self):
        self.tell("The keyring is locked. The windows say so, and do not ask her to sign in.")
        self.keyring.lock()
        self.start()
        self.both_see("Keyring Is Locked")
        self.photograph("locked")
        self.tell("In Mail, she asks to unlock it, and types the keyring's password. Both windows show who is signed in.")
        self.keyring.start_dialogs()
        self.mail.person.presses("Unlock…")
        self.keyring.sees_dialog()
        self.keyring.answers_dialog()
        self.both_see("Guest")
        self.tell("It is locked while the windows are open. Both still show who is signed in, and offer to unlock it.")
        self.keyring.lock()
        self.both_see("The keyring is locked")
        self.both_see("Guest")
        self.photograph("locked-meanwhile")
        self.tell("In Calendar, she unlocks it. Neither window offers it any more.")
        self.keyring.start_dialogs()
        self.calendar.person.presses("Unlock…")
        self.keyring.sees_dialog()
        self.keyring.answers_dialog()
        self.both_lose("The keyring is locked")
        self.both_see("Guest")
        self.stop()

    def leave_dialog_open(self):
        self.tell("It is locked again, and she does not answer its dialog. Mail continues, and reports the timeout.")
        self.keyring.lock()
        self.start(DESKTOP_UNLOCK_SECONDS="5")
        self.both_see("Keyring Is Locked")
        self.keyring.start_dialogs()
        with Pulse(self.mail):
            self.mail.person.presses("Unlock…")
            self.keyring.sees_dialog()
            self.mail.person.sees("The keyring's dialog timed out")
        self.both_see("Keyring Is Locked")
        self.tell("The dialog is still there. She answers it now, and both windows show who is signed in.")
        self.keyring.answers_dialog()
        self.both_see("Guest")

    def damage(self):
        self.tell("The record is overwritten. The windows are opened again and say so; Mail starts over, and Calendar follows.")
        self.stop()
        self.keyring.damage("group.com.example.office")
        self.start()
        self.both_see("Account Cannot Be Read")
        self.mail.person.presses("Start Over")
        self.nobody_is_signed_in()
        self.mail.person.presses("Continue as Guest")
        self.both_see("Guest")

    def hang(self):
        self.tell("The keyring hangs. She signs out in Mail; the window stays responsive, and reports the error after five seconds.")
        self.keyring.hang()
        with Pulse(self.mail), Pulse(self.calendar):
            self.mail.person.presses("Sign Out of Both Apps")
            self.mail.person.sees("The keyring did not answer in time")
        self.both_see("Guest")
        self.tell("The keyring recovers. She tries again, and both are signed out.")
        self.keyring.recover()
        self.mail.person.presses("Try Again")
        self.nobody_is_signed_in()
        self.tell("It hangs when the windows are opened. They show that they wait, stay responsive, and report the error.")
        self.stop()
        self.keyring.hang()
        for app in (self.mail, self.calendar):
            app.start()
            app.person.sees("Asking the Keyring")
        with Pulse(self.mail), Pulse(self.calendar):
            self.both_see("No Keyring Answers")
        self.tell("It recovers, and both show immediately that no user is signed in.")
        self.keyring.recover()
        self.nobody_is_signed_in()

    def kill(self):
        self.tell("The keyring is killed. Mail cannot sign a guest in, and says so.")
        self.keyring.kill()
        with Pulse(self.mail):
            self.mail.person.presses("Continue as Guest")
            self.mail.person.sees("No keyring answers")
        self.tell("Another keyring is started. She tries again, and both are signed in.")
        self.keyring.start()
        self.mail.person.presses("Try Again")
        self.both_see("Guest")
        self.stop()

    def lack(self):
        self.tell("With no keyring on the bus, Mail says so. One is started, and Mail immediately shows who is signed in.")
        self.keyring.kill()
        self.mail.start()
        self.mail.person.sees("No Keyring Answers")
        self.keyring.start()
        self.mail.person.sees("Guest")
        self.mail.stop()
        self.tell("Without a display, it says what it needs.")
        result = subprocess.run(
            [self.mail.program], env={**os.environ, "DISPLAY": ""}, stderr=subprocess.PIPE, text=True, timeout=20,
        )
        print("   " + result.stderr.strip().splitlines()[-1])
        if result.returncode != 69 or "DISPLAY" not in result.stderr:
            raise NotAsTold(f"status {result.returncode}: {result.stderr}")

    def lose_bus(self):
        self.tell("Without a message bus, Mail still opens its window, and says what is missing.")
        self.keyring.kill()
        # GTK 4.8 crashes with an accessibility bus but no message bus.
        self.mail.start(AT_SPI_BUS_ADDRESS="", **self.other_bus.environment)
        self.mail.logs("shows unavailable")
        self.tell("A bus with a keyring is started, and Mail shows who is signed in.")
        self.other_bus.start()
        self.mail.logs("shows signed-in")
        self.stop()
        self.tell("With both windows open, the bus is lost. They stay open, and report it at a sign-out.")
        self.start(**self.other_bus.environment)
        self.both_see("Guest")
        with Pulse(self.mail), Pulse(self.calendar):
            self.other_bus.lose()
            self.calendar.person.presses("Sign Out of Both Apps")
            self.calendar.person.sees("No keyring answers")
        self.both_see("Guest")
        self.tell("A bus is started in its place. She tries again, and both are signed out.")
        self.other_bus.start()
        self.calendar.person.presses("Try Again")
        self.nobody_is_signed_in()
        self.stop()
        self.other_bus.lose()
        self.keyring.start()

    def repeat(self):
        rounds = 1000 if self.is_long else 20
        self.tell(f"In Mail, {rounds} guests sign in and out while Calendar listens; neither app's memory grows.")
        self.start()
        self.nobody_is_signed_in()
        kilobytes = []
        # A first part, for memory that is allocated once and kept.
        for count in (max(20, rounds // 5), rounds):
            for _ in range(count):
                self.mail.person.presses("Continue as Guest")
                self.mail.person.presses("Sign Out of Both Apps")
            self.nobody_is_signed_in()
            kilobytes.append((self.mail.kilobytes(), self.calendar.kilobytes()))
        (mail, calendar), (mail_after, calendar_after) = kilobytes
        print(f"   Mail had {mail} and has {mail_after} kB, Calendar had {calendar} and has {calendar_after} kB")
        if mail_after > mail + 4096 or calendar_after > calendar + 4096:
            raise NotAsTold("memory was lost")

    def tell_all(self):
        for chapter in (
            self.sign_in, self.switch, self.start_twice, self.be_idle, self.sign_out, self.refuse, self.turn_dark,
            self.lock, self.leave_dialog_open, self.damage, self.hang, self.kill, self.lack, self.lose_bus, self.repeat,
        ):
            chapter()
        print(f"\nEvery step happened as described, in {time.monotonic() - self.began:.0f} seconds.")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--keyring", type=int, required=True)
    parser.add_argument("--bus-configuration", required=True)
    parser.add_argument("--photos", required=True)
    parser.add_argument("--long", action="store_true")
    story = Story(parser.parse_args())
    try:
        story.tell_all()
    except NotAsTold as problem:
        print(f"   NOT AS EXPECTED: {problem}", file=sys.stderr)
        for app in (story.mail, story.calendar):
            print(f"   {app.name} shows: {app.person.everything()}", file=sys.stderr)
        sys.exit(1)
    finally:
        story.stop()
        story.other_bus.lose()
        story.keyring.stop()


main()
