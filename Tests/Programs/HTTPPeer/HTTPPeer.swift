import CGLibSecret
import DesktopSupport
import FoundationEssentials
import Glibc
import SharedAuthHTTP

/// A program that sends requests, for tests that need a separate process.
///
///     HTTPPeer [proxy=ADDRESS] [authorities=FILE] [plain=HOST] [library=NAME] [pause] [then=URL] [count=NUMBER] URL
///
/// It prints the status or the error. With `pause` it then reports when a bus connection is closed, reads a line and
/// sends the request again. With `then` it reads a line during the request, sends another request, and prints only the
/// status of that one. With `count` it prints instead its resident kilobytes after a tenth of the requests and at the
/// end.
@main
struct HTTPPeer {
    static func main() async throws {
        // Started from the main thread, the HTTP thread blocks no signals, unlike one started from a task.
        httpThread.enqueue {}
        var options: [String: String] = [:]
        for argument in CommandLine.arguments.dropFirst().dropLast() {
            let parts = argument.split(separator: "=", maxSplits: 1)
            options[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
        }
        guard let url = URL(string: CommandLine.arguments.last ?? "") else { exit(64) }
        let transport = LibsoupTransport(
            library: options["library"] ?? "libsoup-3.0.so.0",
            proxy: options["proxy"],
            authorities: options["authorities"]
        )
        var policy = HTTPPolicy()
        policy.plainHosts = Set([options["plain"]].compactMap { $0 })
        policy.retryLimit = 0
        let client = HTTPClient(transport: transport, policy: policy)
        if let count = options["count"].flatMap({ Int($0) }) {
            try await measure(client, url, count)
        } else if let other = options["then"].flatMap({ URL(string: $0) }) {
            Task.detached { _ = try? await client.send(HTTPRequest(.get, url), retrying: .never) }
            _ = readLine()
            await report(client, other)
        } else {
            // An app with windows has such a main loop.
            if options["pause"] != nil {
                startThread(named: "main-loop") { unsafe g_main_loop_run(g_main_loop_new(nil, 0)) }
            }
            await report(client, url)
            guard options["pause"] != nil else { return }
            let type = g_dbus_connection_get_type()
            unsafe g_signal_add_emission_hook(g_signal_lookup("closed", type), 0, busIsClosed, nil, nil)
            _ = readLine()
            await report(client, url)
        }
    }

    private static func report(_ client: HTTPClient, _ url: URL) async {
        do throws(HTTPError) {
            say("\(try await client.send(HTTPRequest(.get, url), retrying: .idempotent).status)")
        } catch {
            say("\(error)")
        }
    }

    private static func measure(_ client: HTTPClient, _ url: URL, _ count: Int) async throws {
        for number in 1...count {
            // Every tenth request uses a separate connection, since it is a POST.
            let method: HTTPRequest.Method = number % 10 == 0 ? .post : .get
            _ = try await client.send(HTTPRequest(method, url), retrying: .never)
            if number == count / 10 || number == count { say("\(residentKilobytes())") }
        }
    }

    private static func residentKilobytes() -> Int {
        let file = unsafe open("/proc/self/statm", O_RDONLY)
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe read(file, &buffer, buffer.count)
        let fields = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
        return (Int(fields[1]) ?? 0) * Int(getpagesize()) / 1024
    }

    fileprivate static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
    }
}

/// A `GSignalEmissionHook` that is called after the hooks installed before it.
private func busIsClosed(
    _ hint: UnsafeMutablePointer<GSignalInvocationHint>?,
    _ count: guint,
    _ values: UnsafePointer<GValue>?,
    _ data: gpointer?
) -> gboolean {
    HTTPPeer.say("bus closed")
    return 0
}
