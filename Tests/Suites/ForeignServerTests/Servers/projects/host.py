"""Serves an application of another project on 127.0.0.1, and the orders of its administrator beside it.

It prints each request before it answers it, so that a test can count the requests of which it has seen the response.
"""

import pathlib
import socketserver
import subprocess
import sys
import urllib.parse
import wsgiref.simple_server

PORT = int(sys.argv[1])
FOLDER = pathlib.Path(sys.argv[2]).absolute()
ISSUER = f"http://127.0.0.1:{PORT}"

USER, PASSWORD, EMAIL = "testuser", "test1234", "test@example.org"
# The lifetime of tokens: far below the five minutes in which long-lived ones are refreshed before they expire, and far
# above the time that two processes take to start.
SECONDS = 120


def rsa_key():
    """Returns a new private key as PEM text."""
    arguments = ["openssl", "genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]
    return subprocess.run(arguments, check=True, capture_output=True, text=True).stdout


class Server(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True


class Handler(wsgiref.simple_server.WSGIRequestHandler):
    def log_request(self, code="-", size="-"):
        print(f"  {code} for {self.path.partition('?')[0]}", flush=True)


def serve(application, **orders):
    """Serves an application. An order is a function that POST /administrator/NAME calls with the form's fields."""

    def respond(environment, start):
        print(f"{environment['REQUEST_METHOD']} {environment['PATH_INFO']} HTTP", flush=True)
        order = orders.get(environment["PATH_INFO"].removeprefix("/administrator/"))
        if environment["REQUEST_METHOD"] != "POST" or not order:
            return application(environment, start)
        form = environment["wsgi.input"].read(int(environment.get("CONTENT_LENGTH") or 0)).decode()
        said = order(**dict(urllib.parse.parse_qsl(form))) or ""
        start("200 OK", [("Content-Type", "text/plain")])
        return [said.encode()]

    with wsgiref.simple_server.make_server("127.0.0.1", PORT, respond, Server, Handler) as server:
        server.serve_forever()
