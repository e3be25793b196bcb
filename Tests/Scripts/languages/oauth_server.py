"""A plain OAuth 2 server on this machine, for tests: it grants every request, and notes what it was asked."""

import base64
import hashlib
import http.server
import json
import threading
import urllib.error
import urllib.parse
import urllib.request


class OAuthServer:
    """The server, from its creation to `close()`.

    `names_itself` says whether its redirects name it (RFC 9207); `has_metadata` whether it publishes metadata.
    """

    def __init__(self, names_itself=True, has_metadata=True):
        self.names_itself, self.has_metadata = names_itself, has_metadata
        self.asked, self.registered, self.challenges, self.count = [], [], {}, 0
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                path, _, query = self.path.partition("?")
                server.get(self, path, dict(urllib.parse.parse_qsl(query)))

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                is_json = "json" in self.headers["Content-Type"]
                server.post(self, self.path, json.loads(body) if is_json else dict(urllib.parse.parse_qsl(body)))

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def close(self):
        self.http.shutdown()
        self.http.server_close()

    @staticmethod
    def answer(request, content, status=200, location=None):
        text = json.dumps(content).encode()
        request.send_response(status)
        if location:
            request.send_header("Location", location)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)

    def get(self, request, path, query):
        self.asked.append(path)
        if path == "/.well-known/oauth-authorization-server" and self.has_metadata:
            self.answer(request, self.metadata())
        elif path == "/authorize":
            self.count += 1
            code = f"code-{self.count}"
            self.challenges[code] = query["code_challenge"]
            given = {"code": code, "state": query["state"], **({"iss": self.issuer} if self.names_itself else {})}
            target = f"{query['redirect_uri']}?{urllib.parse.urlencode(given)}"
            self.answer(request, {}, 302, target)
        elif path == "/user" and request.headers["Authorization"].startswith("Bearer access-"):
            self.answer(request, {"sub": "ada", "account": {"id": 7}, "name": "Ada", "email": "ada@example.org"})
        else:
            self.answer(request, {}, 404)

    def post(self, request, path, form):
        self.asked.append(path)
        if path == "/token":
            if form["grant_type"] == "authorization_code":
                digest = hashlib.sha256(form["code_verifier"].encode()).digest()
                challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
                if challenge != self.challenges.pop(form["code"], None):
                    return self.answer(request, {"error": "invalid_grant"}, 400)
            self.count += 1
            tokens = {"access_token": f"access-{self.count}", "refresh_token": f"refresh-{self.count}"}
            self.answer(request, {**tokens, "token_type": "Bearer", "expires_in": 3600})
        elif path == "/device":
            codes = {"device_code": "device", "user_code": "ABCD", "verification_uri": f"{self.issuer}/enter"}
            self.answer(request, {**codes, "expires_in": 60, "interval": 1})
        elif path == "/register":
            self.registered.append(form)
            self.answer(request, {**form, "client_id": f"client-{len(self.registered)}"}, 201)
        else:
            self.answer(request, {})

    def metadata(self):
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "device_authorization_endpoint": f"{self.issuer}/device",
            "revocation_endpoint": f"{self.issuer}/revoke",
            "registration_endpoint": f"{self.issuer}/register",
            "userinfo_endpoint": f"{self.issuer}/user",
            "authorization_response_iss_parameter_supported": self.names_itself,
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none", "client_secret_basic"],
        }


class Browser:
    """Visits the addresses that a session opens, each on a thread."""

    def __init__(self, session):
        self.addresses, self.pages, self.threads = [], [], []
        session.connect("open-address", lambda _, address: self.open(address))

    def open(self, address):
        self.addresses.append(address)
        self.threads.append(threading.Thread(target=self.visit, args=(address,)))
        self.threads[-1].start()
        return True

    def visit(self, address):
        with urllib.request.urlopen(address, timeout=60) as page:
            self.pages.append(page.read().decode())

    def page(self):
        """Returns the last page, after all visits have ended."""
        for thread in self.threads:
            thread.join(60)
        return self.pages[-1]


def redirect(address):
    """Returns the address to which the sign-in page redirects, without going there."""

    class Stop(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    try:
        urllib.request.build_opener(Stop).open(address, timeout=60)
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.headers["Location"]
