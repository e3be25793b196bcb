"""Prints the uid of the user of an access group, for the tests of the Debian packages."""

import sys

import gi

gi.require_version("SharedAuth", "1")
from gi.repository import GLib, SharedAuth

loop = GLib.MainLoop()
status = 1


def joined(session, result):
    global status
    try:
        session.use_access_group_finish(result)
        print(session.props.user.props.uid)
        status = 0
    finally:
        loop.quit()


session = SharedAuth.Session(app_id="com.example.Contacts")
session.use_access_group_async(sys.argv[1], None, joined)
loop.run()
sys.exit(status)
