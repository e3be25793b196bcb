import CGLibSecret
import DesktopSupport
import FoundationEssentials
import Glibc
import SharedAuthHTTP
import Synchronization

// Makes the process's first request and its first bus connection at the same instant, as an app does when it starts, and
// exits with 0 when both have ended, successful or not:
//     FirstUse URL [TOGETHER]
// At that instant, the main thread does something else that an app does:
//     modules             it loads modules of GLib until both have ended
//     LIBRARY FUNCTION    it calls this function, such as libgtk-4.so.1's gtk_init_check, and registers an application
//                         on the bus
// With `types`, it makes the request after the connection, and prints the types on which two threads could have blocked
// each other: a class names them, they implement interfaces, and they were not registered before.

/// Lets threads begin at the same instant.
final class StartLine: Sendable {
    private let missing: Atomic<Int>

    init(_ count: Int) { missing = Atomic(count) }

    /// Returns up to a millisecond after the last thread has arrived: which thread is first is left to chance.
    func cross() {
        missing.subtract(1, ordering: .acquiringAndReleasing)
        while missing.load(ordering: .acquiring) > 0 { sched_yield() }
        let end = ContinuousClock.now + .microseconds(Int.random(in: 0...1000))
        while ContinuousClock.now < end {}
    }
}

/// Returns a function of a library; of the process's libraries without a name.
func function<Function>(_ name: String, of library: String? = nil, as type: Function.Type) -> Function {
    guard let library = unsafe dlopen(library, RTLD_NOW | RTLD_GLOBAL), let function = unsafe dlsym(library, name)
    else {
        exit(69)
    }
    return unsafe unsafeBitCast(function, to: Function.self)
}

let arguments = Array(CommandLine.arguments.dropFirst())
guard let url = arguments.first.flatMap({ URL(string: $0) }) else { exit(64) }
guard case .success(let address) = Result(catching: { try BusAddress.session.resolved() }) else { exit(69) }

@Sendable func connect() {
    let connection = try? BusConnection.open(address, by: .after(.seconds(10)))
    let rules = [SignalRule(sender: nil, interface: "org.freedesktop.DBus")]
    _ = connection?.subscribe(to: rules, by: .after(.seconds(10))) { _ in }
}

@Sendable func request() async {
    var policy = HTTPPolicy()
    policy.plainHosts = ["0.0.0.0"]
    policy.retryLimit = 0
    let client = HTTPClient(transport: .libsoup, policy: policy)
    _ = try? await client.send(HTTPRequest(.get, url), retrying: .never)
}

if arguments.last == "types" {
    // The thread starts before the first request, and knows the types that it uses.
    _ = httpThread
    let before = registeredTypes()
    connect()
    await request()
    for name in namedTypes().subtracting(before).sorted() { print(name) }
    exit(0)
}

let left = Monitor(2)
var together: (() -> Void)?
if arguments.count == 2 {
    let open = unsafe function(
        "g_module_open",
        as: (@convention(c) (UnsafePointer<CChar>, UInt32) -> OpaquePointer?).self
    )
    together = {
        while left.update({ $0 }) > 0 { unsafe _ = open("/nonexistent/module.so", 0) }
    }
} else if arguments.count == 3 {
    let initialize = function(arguments[2], of: arguments[1], as: (@convention(c) () -> Void).self)
    together = {
        initialize()
        let application = unsafe g_application_new("com.example.FirstUse", G_APPLICATION_NON_UNIQUE)
        unsafe g_application_register(application, nil, nil)
    }
}
let line = StartLine(together == nil ? 2 : 3)
startThread(named: "connecting") {
    line.cross()
    connect()
    left.update { $0 -= 1 }
}
Task.detached {
    line.cross()
    await request()
    left.update { $0 -= 1 }
}
if let together {
    line.cross()
    together()
}
// The calls have limits of their own; a hang outlives all of them.
while left.wait(until: .after(.seconds(3600)), { $0 == 0 ? () : nil }) == nil {}
