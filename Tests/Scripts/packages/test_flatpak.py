"""Tests the Flatpak module, as far as flatpak-builder does without an SDK. SCRIPTS is the directory of the scripts."""

import glob
import json
import os
import shutil
import subprocess
import tempfile
import unittest

IMAGE = os.environ["IMAGE"]
MODULE = f"{os.environ['SCRIPTS']}/flatpak/sharedauth.json"


class Flatpak(unittest.TestCase):
    def test_manifest(self):
        """flatpak-builder reads the manifest of an app that includes the module."""
        with tempfile.TemporaryDirectory() as directory:
            shutil.copy(MODULE, directory)
            manifest = {
                "id": "com.example.Mail", "command": "mail", "sdk": "org.gnome.Sdk",
                "runtime": "org.gnome.Platform", "runtime-version": "47", "modules": ["sharedauth.json"],
            }
            with open(f"{directory}/com.example.Mail.json", "w") as file:
                json.dump(manifest, file)
            command = ["flatpak-builder", "--show-manifest", f"{directory}/com.example.Mail.json"]
            shown = subprocess.run(command, check=True, capture_output=True, text=True, cwd=directory).stdout
        with open(MODULE) as file:
            module = json.load(file)
        self.assertEqual(json.loads(shown)["modules"][0]["build-commands"], module["build-commands"])

    def test_cleanup(self):
        """Each file that the module removes at the end is installed by it."""
        with open(MODULE) as file:
            patterns = json.load(file)["cleanup"]
        # The image of the Debian packages has no list of files, and its part for Qt is in directories of Debian.
        for pattern in set(patterns) - {"/share/sharedauth", "/lib/cmake"}:
            self.assertTrue(glob.glob(f"{IMAGE}{pattern}"), pattern)


if __name__ == "__main__":
    unittest.main()
