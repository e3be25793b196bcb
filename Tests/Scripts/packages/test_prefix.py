"""Tests install and uninstall. IMAGE is the directory with the files of an earlier build, SCRIPTS that of the scripts."""

import os
import shutil
import stat
import subprocess
import tempfile
import unittest

IMAGE = os.environ["IMAGE"]
SCRIPTS = os.environ["SCRIPTS"]
USER = 65534


def run(*words, user=None, **options):
    """Runs a program, as root or as another user, and returns its status, output and errors."""
    done = subprocess.run(words, capture_output=True, text=True, user=user, group=user, **options)
    return done.returncode, done.stdout, done.stderr


def files(directory):
    """Returns the paths of all files and directories below a directory."""
    return {
        os.path.relpath(os.path.join(folder, name), directory)
        for folder, folders, names in os.walk(directory)
        for name in folders + names
    }


class Prefix(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.directory)
        os.chmod(self.directory, 0o755)
        self.prefix = f"{self.directory}/prefix"
        # An unpacked archive: the files, and the scripts beside them.
        self.archive = f"{self.directory}/archive"
        shutil.copytree(IMAGE, self.archive, symlinks=True)
        for script in ("install", "uninstall"):
            shutil.copy(f"{SCRIPTS}/{script}", self.archive)

    def install(self, *words, **options):
        return run(f"{self.archive}/install", "--prefix", self.prefix, *words, **options)

    def uninstall(self, *words, **options):
        return run(f"{self.archive}/uninstall", "--prefix", self.prefix, *words, **options)

    def refused(self, outcome, status, *words):
        """Checks that a call failed with one sentence, and changed nothing."""
        code, output, errors = outcome
        self.assertEqual((code, output), (status, ""))
        self.assertEqual(errors.count("\n"), 1, errors)
        for word in words:
            self.assertIn(word, errors)

    def test_round(self):
        """Everything that install writes, uninstall removes, and nothing else."""
        os.makedirs(f"{self.prefix}/share/man")
        with open(f"{self.prefix}/share/man/other", "w"):
            pass
        before = files(self.prefix)
        self.assertEqual(self.install()[0], 0)
        self.assertEqual(files(self.prefix) - before - {"share/sharedauth", "share/sharedauth/installed"}, files(IMAGE) - before)
        self.assertEqual(run(f"{self.prefix}/bin/sharedauth", "--version")[0], 0)
        with open(f"{self.prefix}/lib/pkgconfig/sharedauth-glib-1.pc") as file:
            self.assertIn(f"prefix={self.prefix}\n", file.read())
        self.assertEqual(self.uninstall()[0], 0)
        self.assertEqual(files(self.prefix), before)
        self.refused(self.uninstall(), 66, self.prefix)

    def test_upgrade(self):
        """A second installation removes the files that only the first one had, and their directories later."""
        extra = f"{self.archive}/share/former/file"
        os.makedirs(os.path.dirname(extra))
        with open(extra, "w"):
            pass
        self.assertEqual(self.install()[0], 0)
        os.unlink(extra)
        self.assertEqual(self.install()[0], 0)
        self.assertFalse(os.path.exists(f"{self.prefix}/share/former/file"))
        self.assertEqual(self.uninstall()[0], 0)
        self.assertFalse(os.path.exists(self.prefix))

    def test_destination(self):
        """With DESTDIR, the files are below that directory, and name the prefix."""
        self.prefix = "/opt/sharedauth"
        root = f"{self.directory}/root"
        self.assertEqual(self.install(f"DESTDIR={root}")[0], 0)
        self.assertFalse(os.path.exists(self.prefix))
        with open(f"{root}/opt/sharedauth/lib/pkgconfig/sharedauth-glib-1.pc") as file:
            self.assertIn("prefix=/opt/sharedauth\n", file.read())
        self.assertEqual(self.uninstall(f"DESTDIR={root}")[0], 0)
        self.assertEqual(files(root), {"opt"})

    def test_relocation(self):
        """The files of an archive work where they are unpacked."""
        elsewhere = f"{self.directory}/else where"
        os.rename(self.archive, elsewhere)
        self.assertEqual(run(f"{elsewhere}/bin/sharedauth", "--version")[0], 0)
        flags = run(
            "pkg-config", "--cflags", "sharedauth-glib-1",
            env={**os.environ, "PKG_CONFIG_PATH": f"{elsewhere}/lib/pkgconfig"},
        )
        self.assertEqual(flags[0], 0, flags[2])
        program = "import gi; gi.require_version('SharedAuth', '1'); from gi.repository import SharedAuth; SharedAuth.LocalProvider()"
        library = {"LD_LIBRARY_PATH": f"{elsewhere}/lib", "GI_TYPELIB_PATH": f"{elsewhere}/lib/girepository-1.0"}
        self.assertEqual(run("/usr/bin/python3", "-B", "-c", program, env={**os.environ, **library})[0], 0)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user, or mount")
    def test_unwritable(self):
        """A prefix that cannot be written is refused, and so is one directory below it."""
        os.mkdir(self.prefix)
        self.refused(self.install(user=USER), 77, self.prefix, "--prefix")
        os.chown(self.prefix, USER, USER)
        os.mkdir(f"{self.prefix}/share")
        self.refused(self.install(user=USER), 77, f"{self.prefix}/share")
        self.assertEqual(files(self.prefix), {"share"})

    def test_file_in_the_way(self):
        """A prefix that is a file is refused, and so is a directory in place of a file."""
        with open(self.prefix, "w"):
            pass
        self.refused(self.install(), 73, self.prefix)
        os.unlink(self.prefix)
        os.makedirs(f"{self.prefix}/bin/sharedauth")
        self.refused(self.install(), 73, "bin/sharedauth")
        self.assertEqual(files(self.prefix), {"bin", "bin/sharedauth"})

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user, or mount")
    def test_full_device(self):
        """Without space on the device, the former installation stays as it was."""
        os.mkdir(self.prefix)
        script = """
            mount -t tmpfs -o size=1M none "$1" && cd "$1" && mkdir bin && echo former >bin/sharedauth
            "$2" --prefix "$1" 2>/dev/null && exit 1
            [[ $(cat bin/sharedauth) == former && $(find . | sort | tr '\\n' ' ') == '. ./bin ./bin/sharedauth ' ]]
        """
        outcome = run("unshare", "--mount", "bash", "-uc", script, "bash", self.prefix, f"{self.archive}/install")
        self.assertEqual(outcome[0], 0, outcome)

    def test_missing_toolchain(self):
        """Without a Swift toolchain, a build is refused before anything is written."""
        programs = f"{self.directory}/programs"
        os.mkdir(programs)
        for program in ("bash", "dirname", "env", "realpath", "sed"):
            os.symlink(shutil.which(program), f"{programs}/{program}")
        refusal = run(f"{SCRIPTS}/install", "--prefix", self.prefix, env={"PATH": programs})
        self.refused(refusal, 69, "Swift toolchain", "https://")
        self.assertFalse(os.path.exists(self.prefix))

    def test_program_that_does_not_start(self):
        """A program that needs a newer glibc, or a missing library, is refused before anything is written."""
        complaints = {
            "version `GLIBC_2.99' not found (required by sharedauth)": ("glibc 2.99 or newer", "has glibc 2."),
            "version `GLIBC_ABI_DT_RELR' not found (required by sharedauth)": ("glibc 2.36 or newer", "has glibc 2."),
            "sharedauth: error while loading shared libraries: libsecret-1.so.0: cannot open": ("libsecret-1.so.0",),
        }
        for complaint, words in complaints.items():
            tool = f"{self.archive}/bin/sharedauth"
            os.unlink(tool)
            with open(tool, "w") as file:
                file.write(f"#!/bin/sh\ncat >&2 <<'EOF'\n{complaint}\nEOF\nexit 1\n")
            os.chmod(tool, stat.S_IRWXU)
            self.refused(self.install(), 69, *words)
            self.assertFalse(os.path.exists(self.prefix))


if __name__ == "__main__":
    unittest.main()
