"""Compares the GObject library with libsecret, and with the Swift library; Tests/Benchmarks/languages starts it."""

import argparse
import os
import statistics
import subprocess
import time

APP, GROUP = "org.example.benchmark", "group.org.example.benchmark"


def started(command):
    """Runs a program; returns its milliseconds, and the kilobytes that it needed at most."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        raise SystemExit(f"{command} ended with {status}")
    return (time.perf_counter() - began) * 1000, usage.ru_maxrss


def starts(programs, rounds):
    """Starts the programs in turns; returns the times of each, and its memory."""
    times, memory = {name: [] for name in programs}, {}
    for _ in range(rounds):
        for name, command in programs.items():
            milliseconds, kilobytes = started(command)
            times[name].append(milliseconds)
            memory[name] = kilobytes
    return times, memory


def listener(command):
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def latencies(arguments, state, rounds):
    """Signs the user out and a guest in; returns the milliseconds until each listener was notified of the sign-in."""
    listeners = {
        "C": listener([arguments.glib, "listen", f"{APP}.c", GROUP]),
        "Swift": listener([arguments.app, "listen", f"{APP}.swift", state, GROUP]),
    }
    command = writing(arguments, f"{APP}.writer")
    writer = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def change():
        """Has the writer sign out or in; returns the milliseconds until each listener was notified."""
        writer.stdin.write("go\n")
        writer.stdin.flush()
        began = int(writer.stdout.readline())
        return {name: (int(process.stdout.readline()) - began) / 1e6 for name, process in listeners.items()}

    # The user who is signed in already.
    for process in listeners.values():
        process.stdout.readline()
    found = {name: [] for name in listeners}
    for _ in range(rounds):
        change()
        for name, milliseconds in change().items():
            found[name].append(milliseconds)
    for process in [*listeners.values(), writer]:
        process.kill()
        process.wait()
    return found


def writing(arguments, app):
    return [arguments.glib, "write", app, GROUP]


def main():
    parser = argparse.ArgumentParser()
    for name in ("glib", "app", "libsecret"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--rounds", type=int, default=100)
    arguments = parser.parse_args()
    state = f"{os.environ['XDG_STATE_HOME']}/sharedauth"
    subprocess.run(
        [arguments.libsecret, "serve", "1300"], input="store 1\n", text=True, stdout=subprocess.DEVNULL, check=True
    )
    # The programs that read are in the group, too.
    subprocess.run(writing(arguments, APP), input="go\n", text=True, stdout=subprocess.DEVNULL, check=True)
    programs = {
        "the C program": [arguments.glib, "read", APP],
        "the same in Swift": [arguments.app, "read", APP, state],
        "libsecret in C": [arguments.libsecret, "read"],
    }
    times, memory = starts(programs, arguments.rounds)
    base = times["libsecret in C"]
    print(f"A start that reads the user, {arguments.rounds} rounds in turns")
    print("  minimum, quartile and median in ms, each with its ratio to libsecret; memory")
    for name, found in times.items():
        figures = [min(found), statistics.quantiles(found)[0], statistics.median(found)]
        to = [min(base), statistics.quantiles(base)[0], statistics.median(base)]
        row = "  ".join(f"{figure:6.2f} ({figure / other:.2f})" for figure, other in zip(figures, to))
        print(f"  {name:18} {row}  {memory[name] / 1000:.1f} MB")
    print(f"From the call of a sign-in to the listener of another process, {arguments.rounds} rounds")
    print("  minimum, median and 99th percentile in ms")
    for name, found in latencies(arguments, state, arguments.rounds).items():
        percentile = statistics.quantiles(found, n=100)[98]
        print(f"  {name:18} {min(found):6.2f}  {statistics.median(found):6.2f}  {percentile:6.2f}")


main()
