"""Fails unless each link between the files of a directory with HTML leads to a file, and to a place in it.

    links.py DIRECTORY

Prints the number of links. It sends no requests for links to other servers.
"""

import html.parser
import os
import sys
import urllib.parse

ATTRIBUTES = {"href", "src"}


class Page(html.parser.HTMLParser):
    """The places of a page, and the links from it."""

    def __init__(self, path):
        super().__init__()
        self.places, self.links = set(), set()
        with open(path) as file:
            self.feed(file.read())

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("id", "name"):
                self.places.add(value)
            elif name in ATTRIBUTES and not urllib.parse.urlparse(value).scheme:
                self.links.add(value)


def main():
    directory = sys.argv[1]
    pages = {name: Page(f"{directory}/{name}") for name in os.listdir(directory) if name.endswith(".html")}
    broken, count = [], 0
    for name, page in pages.items():
        for link in page.links:
            count += 1
            path, _, place = urllib.parse.unquote(link).partition("#")
            path = os.path.normpath(path or name)
            if not os.path.exists(f"{directory}/{path}"):
                broken.append(f"{name}: {link} leads to no file")
            elif place and path in pages and place not in pages[path].places:
                broken.append(f"{name}: {link} leads to no place")
    if broken or not count:
        sys.exit("\n".join(sorted(broken)) or f"There is no link in {directory}.")
    print(count)


main()
