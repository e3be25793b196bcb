"""The programs in the articles for Python, C, JavaScript and Vala, as files that can be run."""

import os
import re
import sys
import tempfile

from support import compile_c, compile_vala

GUIDES = f"{os.path.dirname(os.path.abspath(__file__))}/../../../Sources/Auth/SharedAuth/SharedAuth.docc/Guides"


def text(article):
    with open(f"{GUIDES}/{article}.md") as file:
        return file.read()


def section(article, heading):
    """Returns the text below a heading of an article, up to the next one."""
    return re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text(article), re.MULTILINE | re.DOTALL)[1]


def blocks(text, language):
    """Returns the blocks of code of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


class Article:
    """An article with programs in one language."""

    def __init__(self, name, language, compiler=None, interpreter=()):
        self.name, self.language, self.compiler, self.interpreter = name, language, compiler, interpreter

    def headings(self):
        """Returns the headings of the sections that have a program."""
        found = re.findall(r"^## (.*)\n", text(self.name), re.MULTILINE)
        return [heading for heading in found if f"\n```{self.language}\n" in section(self.name, heading)]

    def command(self, case, heading):
        """Writes and compiles the program of a section, for a test case. Returns the command that runs it."""
        folder = tempfile.TemporaryDirectory()
        case.addCleanup(folder.cleanup)
        [program] = blocks(section(self.name, heading), self.language)
        source = f"{folder.name}/program.{self.language}"
        with open(source, "w") as file:
            file.write(program)
        if self.compiler is None:
            return [*self.interpreter, source]
        self.compiler(source, f"{folder.name}/program")
        return [f"{folder.name}/program"]


PYTHON = Article("Python", "python", interpreter=[sys.executable, "-u"])
LIBSECRET = Article("ComingFromLibsecret", "python", interpreter=PYTHON.interpreter)
C = Article("C", "c", compile_c)
JAVASCRIPT = Article("JavaScript", "javascript", interpreter=["gjs", "-m"])
VALA = Article("Vala", "vala", compile_vala)
