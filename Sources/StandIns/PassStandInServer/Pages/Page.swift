internal import LoopbackServer
internal import SharedAuthHTTP

/// An HTML page of the server, for small and large windows, in light and dark mode.
struct Page: Sendable {
    /// The name in the header: a TV provider's, or the server's.
    let name: String
    /// The hue of the page, from 0 to 360.
    let hue: Int
    let title: String
    /// The content as HTML. Texts in it are already escaped.
    let content: String
    /// The address that the browser is sent to automatically.
    var next: String?
    var isWide = false

    /// Returns a page of a TV provider.
    static func of(_ provider: Provider, _ title: String, _ content: String) -> Page {
        Page(name: provider.displayName, hue: provider.hue, title: title, content: content)
    }

    /// Returns a page of the server itself.
    static func of(server title: String, _ content: String) -> Page {
        Page(name: "TV sign-in", hue: 215, title: title, content: content)
    }

    func answer(status: Int = 200, cookie: String? = nil) -> ServedAnswer {
        var answer = ServedAnswer(status: status, body: Array(html.utf8))
        answer.headers["Content-Type"] = "text/html; charset=utf-8"
        answer.headers["Cache-Control"] = "no-store"
        answer.headers["X-Content-Type-Options"] = "nosniff"
        answer.headers["Referrer-Policy"] = "no-referrer"
        answer.headers["Content-Security-Policy"] =
            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'"
        answer.headers["Set-Cookie"] = cookie
        return answer
    }

    static func paragraph(_ text: String) -> String { "<p>\(HTMLPage.escape(text))</p>" }

    /// Returns an error message, which screen readers announce immediately.
    static func alert(_ text: String?) -> String {
        text.map { "<p class=\"alert\" role=\"alert\">\(HTMLPage.escape($0))</p>" } ?? ""
    }

    private var html: String {
        let (name, title) = (HTMLPage.escape(name), HTMLPage.escape(title))
        let refresh = next.map { "<meta http-equiv=\"refresh\" content=\"0; url=\(HTMLPage.escape($0))\">" } ?? ""
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            \(refresh)<title>\(title) – \(name)</title>
            <style>:root { --hue: \(hue) }\n\(Self.style)</style>
            </head>
            <body\(isWide ? " class=\"wide\"" : "")>
            <header><span class="logo" aria-hidden="true">\(name.prefix(1))</span><span>\(name)</span></header>
            <main>
            <h1>\(title)</h1>
            \(content)
            </main>
            <footer>A stand-in for tests and samples. No real TV provider is behind it, and no real password belongs here.</footer>
            </body>
            </html>

            """
    }

    private static let style = """
        :root {
          color-scheme: light dark;
          --accent: hsl(var(--hue) 62% 32%); --on-accent: #fff; --back: hsl(var(--hue) 30% 96%); --card: #fff;
          --text: #1b1f24; --quiet: #57606a; --line: #8b949e; --alert: #9a1b12; --alert-back: #fdecea;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --accent: hsl(var(--hue) 70% 76%); --on-accent: #10141a; --back: hsl(var(--hue) 18% 9%);
            --card: hsl(var(--hue) 14% 14%); --text: #eceff3; --quiet: #a9b3bf; --line: #6b7683; --alert: #ffb4ab;
            --alert-back: #43201d;
          }
        }
        * { box-sizing: border-box }
        body {
          margin: 0 auto; padding: 1.5rem 1rem; max-width: 27rem; min-height: 100vh; display: flex; flex-direction: column;
          justify-content: center; gap: 1rem; background: var(--back); color: var(--text);
          font: 1rem/1.5 system-ui, "Cantarell", "Noto Sans", "DejaVu Sans", sans-serif;
        }
        body.wide { max-width: 48rem; justify-content: flex-start }
        header { display: flex; align-items: center; gap: .75rem; font-size: 1.25rem; font-weight: 600 }
        .logo {
          width: 2.5rem; height: 2.5rem; border-radius: .7rem; display: grid; place-items: center;
          background: var(--accent); color: var(--on-accent);
        }
        main { background: var(--card); border-radius: 1rem; padding: 1.5rem; box-shadow: 0 1px 4px rgb(0 0 0 / .16) }
        h1 { font-size: 1.375rem; line-height: 1.25; margin: 0 0 .75rem }
        p { margin: 0 0 1rem } main > :last-child { margin-bottom: 0 }
        label, legend { display: block; font-weight: 600; margin-bottom: .25rem; padding: 0 }
        fieldset { border: 0; margin: 0 0 1rem; padding: 0 }
        fieldset label { display: flex; gap: .6rem; align-items: center; font-weight: 400; padding: .3rem 0; margin: 0 }
        input[type=text], input[type=password] {
          display: block; width: 100%; padding: .65rem .75rem; margin-bottom: 1rem; font: inherit; color: inherit;
          background: transparent; border: 1px solid var(--line); border-radius: .6rem;
        }
        input[type=radio] { accent-color: var(--accent); width: 1.15rem; height: 1.15rem; margin: 0 }
        input.code { font: 600 1.5rem/1.2 ui-monospace, "DejaVu Sans Mono", monospace; letter-spacing: .2em; text-transform: uppercase }
        button, a.button {
          display: block; width: 100%; padding: .7rem 1rem; margin-top: .5rem; font: inherit; font-weight: 600;
          text-align: center; text-decoration: none; cursor: pointer; border-radius: .6rem;
          border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent);
        }
        button.quiet { background: transparent; color: var(--accent) }
        button:hover, a.button:hover { filter: brightness(1.1) }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
        a { color: var(--accent) }
        .hint, footer { color: var(--quiet); font-size: .875rem }
        .alert { background: var(--alert-back); color: var(--alert); border-radius: .6rem; padding: .6rem .8rem }
        table { border-collapse: collapse; width: 100%; margin-bottom: 1rem }
        th:first-child, td:first-child { white-space: nowrap }
        th, td { text-align: left; padding: .35rem .75rem .35rem 0; vertical-align: top; border-bottom: 1px solid rgb(128 128 128 / .25) }
        code { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: .9em }
        """
}
