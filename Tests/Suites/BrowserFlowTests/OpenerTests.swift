import BrowserFlow
import Foundation
import SecretService
import TestSupport
import Testing

@Suite("Opening the browser")
struct OpenerTests {
    private let page = URL(string: "https://login.example/authorize?state=s&a=%20b")!

    @Test("Without a portal xdg-open receives the address unchanged")
    func program() async throws {
        let desktop = try await Desktop()
        let program = try desktop.program("printf '%s\\n' \"$#\" \"$1\" >\"$0.arguments\"")
        try await desktop.opener(program).open(page)
        let arguments = try String(contentsOfFile: "\(program).arguments", encoding: .utf8)
        #expect(arguments == "1\n\(page.absoluteString)\n")
    }

    @Test(
        "A failure of xdg-open is an error that names the reason",
        arguments: [(3, "no program"), (4, "failed"), (7, "status 7")]
    )
    func programFails(status: Int, words: String) async throws {
        let desktop = try await Desktop()
        let opener = desktop.opener(try desktop.program("exit \(status)"))
        let error = await expectFailure(\BrowserFlowError.code, .browserNotOpened) {
            try await opener.open(page)
        }
        #expect(error?.message.contains(words) == true)
        #expect(error?.remedy != nil)
    }

    @Test("Without xdg-open the error names its package")
    func programMissing() async throws {
        let desktop = try await Desktop()
        let opener = desktop.opener("/nowhere/xdg-open")
        let error = await expectFailure(\BrowserFlowError.code, .browserNotOpened) {
            try await opener.open(page)
        }
        #expect(error?.remedy?.contains("xdg-utils") == true)
    }

    @Test("A browser that replaces xdg-open does not delay the answer and keeps running")
    func browserInForeground() async throws {
        let desktop = try await Desktop()
        let listener = try RedirectListener()
        let port = try #require(listener.redirectURI.port)
        let fifo = "\(desktop.keyring.directory)/fifo"
        #expect(unsafe mkfifo(fifo, 0o600) == 0)
        // It reports that it runs, and ends when the test lets it.
        let program = try desktop.program(
            "echo runs >'\(fifo)'; read line <'\(fifo)'; echo \"$line\" >\"$0.end\"; echo over >'\(fifo)'"
        )
        let opener = desktop.opener(program)
        async let answer = listener.redirect(opening: page, by: opener, matching: "s")
        #expect(readAll(fifo) == "runs\n")
        #expect(get(port, "/callback?state=s")?.hasPrefix("HTTP/1.1 200") == true)
        #expect(try await answer.parameters == ["state": "s"])
        writeAll("still there\n", to: fifo)
        #expect(readAll(fifo) == "over\n")
        #expect(try String(contentsOfFile: "\(program).end", encoding: .utf8) == "still there\n")
    }

    @Test("A browser that cannot be opened ends the wait and closes the port")
    func failureEndsWait() async throws {
        let listener = try RedirectListener()
        let opener = BrowserOpener { _ throws(BrowserFlowError) in
            throw BrowserFlowError(.browserNotOpened, "No browser.")
        }
        await expectFailure(\BrowserFlowError.code, .browserNotOpened) {
            _ = try await listener.redirect(opening: page, by: opener, matching: "s")
        }
        #expect(RawConnection(try #require(listener.redirectURI.port)) == nil)
    }

    @Test("An app's own opener receives the address, and the answer arrives")
    func own() async throws {
        let listener = try RedirectListener()
        let port = try #require(listener.redirectURI.port)
        let opened = Recorder<URL>()
        let opener = BrowserOpener { url throws(BrowserFlowError) in
            opened.record(url)
            _ = get(port, "/callback?state=s&code=c")
        }
        let answer = try await listener.redirect(opening: page, by: opener, matching: "s")
        #expect(answer["code"] == "c")
        #expect(opened.events == [page])
    }

    @Test(
        "An app's opener that ignores cancellation delays neither answer nor cancellation",
        .timeLimit(.minutes(1)),
        arguments: [true, false]
    )
    func endless(isAnswered: Bool) async throws {
        let listener = try RedirectListener()
        let port = try #require(listener.redirectURI.port)
        let (opened, open) = AsyncStream<CheckedContinuation<Void, Never>>.makeStream()
        let opener = BrowserOpener { _ throws(BrowserFlowError) in
            await withCheckedContinuation { open.yield($0) }
        }
        let page = page
        let task = Task { () -> BrowserFlowError.Code? in
            do throws(BrowserFlowError) {
                _ = try await listener.redirect(opening: page, by: opener, matching: "s")
                return nil
            } catch {
                return error.code
            }
        }
        var opening = opened.makeAsyncIterator()
        let end = try #require(await opening.next())
        if isAnswered {
            _ = get(port, "/callback?state=s")
        } else {
            task.cancel()
        }
        #expect(await task.value == (isAnswered ? nil : .cancelled))
        end.resume()
    }

    @Test(
        "Only web addresses are opened",
        arguments: ["file:///etc/passwd", "--help", "javascript:alert(1)", "https:", "mailto:a@b.example"]
    )
    func noWebAddress(_ address: String) async throws {
        let desktop = try await Desktop()
        let program = try desktop.program("touch \"$0.ran\"")
        let url = try #require(URL(string: address))
        await expectFailure(\BrowserFlowError.code, .browserNotOpened) { try await desktop.opener(program).open(url) }
        #expect(!FileManager.default.fileExists(atPath: "\(program).ran"))
    }

    @Test("Characters that a shell interprets are escaped in the address for xdg-open")
    func shellCharacters() async throws {
        let desktop = try await Desktop()
        let program = try desktop.program("printf '%s' \"$1\" >\"$0.arguments\"")
        let url = try #require(URL(string: "https://a.example/x?a='$(id)';b=!*"))
        try await desktop.opener(program).open(url)
        let argument = try String(contentsOfFile: "\(program).arguments", encoding: .utf8)
        #expect(argument == "https://a.example/x?a=%27%24%28id%29%27%3Bb=%21%2A")
    }

    @Test("The portal is used if it runs, and receives the address unchanged", arguments: [true, false])
    func portal(isSandboxed: Bool) async throws {
        let desktop = try await Desktop()
        let calls = try await desktop.startPortal(response: 0)
        try await desktop.opener("/nowhere/xdg-open", isSandboxed: isSandboxed).open(page)
        #expect(calls.next() == "'' \(page.absoluteString)")
    }

    @Test(
        "A dialog that the user closes is not a failure of the browser",
        arguments: [(1, BrowserFlowError.Code.dismissed), (2, .browserNotOpened)]
    )
    func portalRefuses(response: Int, code: BrowserFlowError.Code) async throws {
        let desktop = try await Desktop()
        let calls = try await desktop.startPortal(response: response)
        defer { withExtendedLifetime(calls) {} }
        let opener = desktop.opener("/nowhere/xdg-open")
        await expectFailure(\BrowserFlowError.code, code) { try await opener.open(page) }
    }

    @Test(
        "A bus lost during the portal's dialog is a failure; cancelling ends the wait",
        arguments: [true, false]
    )
    func portalNeverAnswers(busDies: Bool) async throws {
        let desktop = try await Desktop()
        let calls = try await desktop.startPortal(response: nil)
        let opener = desktop.opener("/nowhere/xdg-open")
        let page = page
        let task = Task { () -> BrowserFlowError.Code? in
            do throws(BrowserFlowError) { try await opener.open(page) } catch { return error.code }
            return nil
        }
        _ = calls.next()
        if busDies { desktop.keyring.killBus() } else { task.cancel() }
        #expect(await task.value == (busDies ? .browserNotOpened : .cancelled))
    }

    @Test("In a sandbox without a portal nothing else is tried, and the error names it")
    func sandboxWithoutPortal() async throws {
        let desktop = try await Desktop()
        let program = try desktop.program("touch \"$0.ran\"")
        let opener = desktop.opener(program, isSandboxed: true)
        let error = await expectFailure(\BrowserFlowError.code, .browserNotOpened) {
            try await opener.open(page)
        }
        #expect(error?.remedy?.contains("xdg-desktop-portal") == true)
        #expect(!FileManager.default.fileExists(atPath: "\(program).ran"))
    }

    @Test("Without a bus xdg-open is used")
    func noBus() async throws {
        let desktop = try await Desktop()
        let program = try desktop.program("touch \"$0.ran\"")
        try await BrowserOpener.desktop(bus: .address("unix:path=/nowhere/bus"), program: program, isSandboxed: false)
            .open(page)
        #expect(FileManager.default.fileExists(atPath: "\(program).ran"))
    }
}

/// A bus of the test, with programs and a portal on it.
private final class Desktop: Sendable {
    let keyring: PrivateKeyring

    init() async throws {
        keyring = try PrivateKeyring(state: .noDaemon)
    }

    func opener(_ program: String, isSandboxed: Bool = false) -> BrowserOpener {
        .desktop(bus: .address(keyring.busAddress), program: program, isSandboxed: isSandboxed)
    }

    /// Creates a program that runs a line of shell script.
    ///
    /// A separate process writes the file. A file that is open for writing in this process, and therefore in a child
    /// that another test starts at that moment, cannot be run.
    func program(_ line: String) throws -> String {
        let path = "\(keyring.directory)/xdg-open"
        let made = try keyring.run(
            "sh",
            ["-c", #"cat >"$0" && chmod 700 "$0""#, path],
            input: "#!/bin/sh\n\(line)\n"
        )
        try #require(made.status == 0)
        return path
    }

    /// Starts a portal that gives this response to each request, or none. Returns the calls that it receives.
    func startPortal(response: Int?) async throws -> PortalCalls {
        let script = """
            import gi
            from gi.repository import Gio, GLib
            xml = '''<node><interface name="org.freedesktop.portal.OpenURI"><method name="OpenURI">
              <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="a{sv}" direction="in"/>
              <arg type="o" direction="out"/></method></interface></node>'''
            def called(bus, sender, path, interface, method, arguments, invocation):
                window, address, options = arguments.unpack()
                handle = "/org/freedesktop/portal/desktop/request/" + sender[1:].replace(".", "_") + "/t"
                invocation.return_value(GLib.Variant("(o)", (handle,)))
                print(repr(window), address, flush=True)
                response = \(response.map { "\($0)" } ?? "None")
                if response is not None:
                    bus.emit_signal(sender, handle, "org.freedesktop.portal.Request", "Response",
                                    GLib.Variant("(ua{sv})", (response, {})))
            bus = Gio.bus_get_sync(Gio.BusType.SESSION)
            info = Gio.DBusNodeInfo.new_for_xml(xml)
            bus.register_object("/org/freedesktop/portal/desktop", info.interfaces[0], called)
            Gio.bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop", 0,
                                           lambda *_: print("ready", flush=True), None)
            GLib.MainLoop().run()
            """
        let output = try SocketPair()
        // Debian's own Python has GLib's bindings.
        _ = try keyring.start("/usr/bin/python3", ["-c", script], output: output.theirs)
        close(output.theirs)
        let calls = PortalCalls(output.ours)
        #expect(calls.next() == "ready", "python3-gi has to be installed")
        return calls
    }
}

/// The output of a portal.
private final class PortalCalls: Sendable {
    private let descriptor: Int32

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Returns the next line, or an empty one if the portal has ended.
    func next() -> String { nextLine(from: descriptor) }
}

/// Waits for a program to write to a named pipe, and reads until the end.
private func readAll(_ pipe: String) -> String {
    let file = unsafe open(pipe, O_RDONLY | O_CLOEXEC)
    defer { close(file) }
    var all: [UInt8] = []
    var byte: UInt8 = 0
    while unsafe read(file, &byte, 1) == 1 { all.append(byte) }
    return String(decoding: all, as: UTF8.self)
}

/// Waits for a program to read from a named pipe, and writes to it.
private func writeAll(_ text: String, to pipe: String) {
    let file = unsafe open(pipe, O_WRONLY | O_CLOEXEC)
    defer { close(file) }
    let bytes = Array(text.utf8)
    _ = unsafe write(file, bytes, bytes.count)
}
