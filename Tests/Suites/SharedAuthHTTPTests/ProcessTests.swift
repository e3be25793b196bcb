import FoundationEssentials
import Glibc
import SharedAuthHTTP
import TestSupport
import Testing

@Suite("Requests in separate processes")
struct ProcessTests {
    @Test("Without libsoup the error names its package")
    func libsoupMissing() async throws {
        let client = HTTPClient.once(LibsoupTransport(library: "libsoup-9.9.so.0", proxy: nil))
        let url = try address(1)
        let error = await expectFailure(\HTTPError.code, .transportMissing) { try await client.get(url) }
        #expect(error?.remedy?.contains("libsoup-3.0-0") == true)
    }

    @Test("A library without a required function is an error")
    func libraryIncomplete() async throws {
        let client = HTTPClient.once(LibsoupTransport(library: "libgio-2.0.so.0", proxy: nil))
        let url = try address(1)
        let error = await expectFailure(\HTTPError.code, .transportMissing) { try await client.get(url) }
        #expect(error?.message.contains("lacks a function") == true)
    }

    @Test("A process with libsoup 2 does not load libsoup 3, which would end it")
    func libsoup2() async throws {
        let output = try await peer(["LD_PRELOAD=libsoup-2.4.so.1"], ["http://127.0.0.1:1/"])
        #expect(output.standardError.isEmpty, "libsoup2.4-1 has to be installed")
        #expect(output.status == 0)
        #expect(output.standardOutput.hasPrefix("transportMissing: This process has loaded libsoup 2"))
    }

    @Test("Without glib-networking https fails and names that package, but http works")
    func networkingMissing() async throws {
        let output = try await peer(["GIO_MODULE_DIR=/nowhere"], ["https://127.0.0.1:1/"])
        #expect(output.standardOutput.hasPrefix("unreachable:"))
        let server = try RawHTTPServer(answering: "HTTP/1.1 200 OK\r\n\r\n")
        let secure = try await peer(["GIO_MODULE_DIR=/nowhere"], ["https://127.0.0.1:\(server.port)/"])
        #expect(secure.standardOutput.hasPrefix("transportMissing:"))
        #expect(secure.standardOutput.contains("glib-networking"))
        let plain = try await peer(["GIO_MODULE_DIR=/nowhere"], ["http://127.0.0.1:\(server.port)/"])
        #expect(plain.standardOutput == "200\n")
    }

    @Test("A process whose requests made GIO use the session bus survives that bus", arguments: [true, false])
    func busDies(asksSettings: Bool) throws {
        let server = try RawHTTPServer(200)
        let home = try PrivateKeyring(state: .noDaemon)
        let streams = try (input: SocketPair(), output: SocketPair())
        defer { for file in [streams.input.ours, streams.output.ours] { close(file) } }
        // GNOME's settings are read through dconf, which watches the bus; the portal is called over the bus itself.
        let settings = asksSettings ? ["XDG_CURRENT_DESKTOP=GNOME", "GSETTINGS_BACKEND=dconf"] : ["GTK_USE_PORTAL=1"]
        let process = try home.start(
            "env",
            settings + [
                try BuiltProducts.executable("HTTPPeer"), "plain=0.0.0.0", "pause", "http://0.0.0.0:\(server.port)/",
            ],
            input: streams.input.theirs,
            output: streams.output.theirs
        )
        for file in [streams.input.theirs, streams.output.theirs] { close(file) }
        #expect(nextLine(from: streams.output.ours) == "200")
        #expect(try hasBusConnection(process.processID, home))
        home.killBus()
        // By default GIO then ends the process.
        #expect(nextLine(from: streams.output.ours) == "bus closed")
        _ = unsafe write(streams.input.ours, "\n", 1)
        #expect(nextLine(from: streams.output.ours) == "200")
        #expect(process.wait() == 0)
    }

    @Test("A portal that hangs in a proxy look-up delays no request without a proxy")
    func portalHangs() throws {
        let server = try RawHTTPServer(200)
        let portal = """
            from gi.repository import Gio, GLib
            xml = '''<node><interface name="org.freedesktop.portal.ProxyResolver"><method name="Lookup">
              <arg type="s" direction="in"/><arg type="as" direction="out"/></method></interface></node>'''
            bus = Gio.bus_get_sync(Gio.BusType.SESSION)
            info = Gio.DBusNodeInfo.new_for_xml(xml)
            bus.register_object("/org/freedesktop/portal/desktop", info.interfaces[0], lambda *_: print("asked", flush=True))
            Gio.bus_own_name_on_connection(bus, "org.freedesktop.portal.Desktop", 0,
                                           lambda *_: print("ready", flush=True), None)
            GLib.MainLoop().run()
            """
        let home = try PrivateKeyring(state: .noDaemon)
        let (calls, input, output) = (try SocketPair(), try SocketPair(), try SocketPair())
        defer { for file in [calls.ours, input.ours, output.ours] { close(file) } }
        _ = try home.start("/usr/bin/python3", ["-c", portal], output: calls.theirs)
        close(calls.theirs)
        #expect(nextLine(from: calls.ours) == "ready", "python3-gi has to be installed")
        // GIO waits 25 seconds for a portal.
        let process = try home.start(
            "env",
            [
                "GTK_USE_PORTAL=1", "timeout", "20", try BuiltProducts.executable("HTTPPeer"), "plain=0.0.0.0",
                "then=http://127.0.0.1:\(server.port)/", "http://0.0.0.0:1/",
            ],
            input: input.theirs,
            output: output.theirs
        )
        for file in [input.theirs, output.theirs] { close(file) }
        #expect(nextLine(from: calls.ours) == "asked")
        _ = unsafe write(input.ours, "\n", 1)
        #expect(nextLine(from: output.ours) == "200")
        #expect(process.wait() == 0)
    }

    @Test("Many requests do not increase a process's memory")
    func memory() async throws {
        let server = try RawHTTPServer { connection, _ in
            repeat {
                connection.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + String(repeating: "x", count: 1000))
            } while connection.readHead() != nil
        }
        let count = unsafe getenv("SHAREDAUTH_REQUESTS").flatMap { Int(unsafe String(cString: $0)) } ?? 1000
        let output = try await peer([], ["count=\(count)", "http://127.0.0.1:\(server.port)/"])
        let sizes = output.standardOutput.split(separator: "\n").compactMap { Int($0) }
        try #require(sizes.count == 2, "\(output)")
        #expect(sizes[1] - sizes[0] < 1024, "\(sizes) kB")
    }

    private func peer(_ environment: [String], _ arguments: [String]) async throws -> ProcessResult {
        let home = try PrivateKeyring(state: .noDaemon)
        return try home.run("env", environment + [try BuiltProducts.executable("HTTPPeer")] + arguments)
    }

    /// Returns whether a process is connected to the bus; otherwise the test would prove nothing.
    private func hasBusConnection(_ process: Int32, _ home: PrivateKeyring) throws -> Bool {
        let names = try home.run(
            "gdbus",
            [
                "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/", "--method",
                "org.freedesktop.DBus.ListNames",
            ]
        ).standardOutput
        for name in names.split(separator: "'").filter({ $0.hasPrefix(":") }) {
            let answer = try home.run(
                "gdbus",
                [
                    "call", "--session", "--dest", "org.freedesktop.DBus", "--object-path", "/", "--method",
                    "org.freedesktop.DBus.GetConnectionUnixProcessID", String(name),
                ]
            ).standardOutput
            if answer == "(uint32 \(process),)\n" { return true }
        }
        return false
    }
}
