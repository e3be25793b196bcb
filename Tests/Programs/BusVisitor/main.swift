import DesktopSupport
import Glibc
import SecretService

// Uses the session's Secret Service as short programs do. The first argument selects a command:
//     threads PATH        searches, acquires and releases a name, reads the item at PATH; prints the threads of the
//                         process
//     watch               starts a watch and prints the threads of the process
//     leave PATH          starts to read the item at PATH, gives up after 100 ms, and exits
//     visit COUNT PATH    opens COUNT connections, one after the other. Half of them start to read the item at PATH and
//                         give up too early; the others search for `test=soak`, and every second of these reads the
//                         item found. Prints how often each outcome occurred
//     give-up PATH        reads the attributes of the item at PATH: 200 times with no time for a response while the
//                         daemon is stopped, and 2,000 times with hardly enough time once it runs again. Prints the
//                         number of descriptors of the process before and after, and waits for a line before each of
//                         the two
//     connect-late        connects 20 times while GLib's thread is busy, until each attempt times out; prints how many
//                         descriptors stay open

func say(_ line: String) {
    let line = Array("\(line)\n".utf8)
    _ = unsafe line.withUnsafeBytes { bytes in unsafe write(STDOUT_FILENO, bytes.baseAddress, bytes.count) }
}

/// Returns the names of this process's threads.
func threadNames() -> String {
    var names: [String] = []
    guard let directory = unsafe opendir("/proc/self/task") else { return "" }
    defer { unsafe closedir(directory) }
    while let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        let file = unsafe open("/proc/self/task/\(name)/comm", O_RDONLY)
        guard file >= 0 else { continue }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 64)
        let count = unsafe read(file, &buffer, buffer.count)
        names.append(String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self))
    }
    return names.joined(separator: " ")
}

/// Returns the number of this process's descriptors, including the directory's. It is the lowest of several counts,
/// since GDBus's thread may be about to close one.
func descriptorCount() -> Int {
    (1...20).map { _ in
        sched_yield()
        guard let directory = unsafe opendir("/proc/self/fd") else { return -1 }
        defer { unsafe closedir(directory) }
        var count = 0
        while unsafe readdir(directory) != nil { count += 1 }
        return count
    }.min() ?? -1
}

/// Reads attributes, and gives up if no response arrives in time.
func glance(at item: SecretItem, for time: Duration) {
    _ = try? service.attributes(of: [item, item], by: .after(time)) {}
}

/// Returns the outcome of one connection's visit.
func visit(_ number: Int, _ path: String) -> String {
    let service = SecretService()
    do {
        if number.isMultiple(of: 2) {
            // The connection is open, and the daemon is working on the session, when the caller gives up and leaves.
            _ = try service.defaultCollection()
            _ = try? service.item(at: path).secret(by: .after(.microseconds(number % 40 * 25)))
            return "hurry"
        }
        let found = try service.items(matching: ["test": "soak"])
        guard let item = found.unlocked.first else { return found.locked.isEmpty ? "search=missing" : "search=locked" }
        guard number % 4 == 1 else { return "search=found" }
        return try item.secret() == Secret("x") ? "read=right" : "read=wrong"
    } catch {
        return "error=\(error.code)/\(error.remoteErrorName ?? "-")"
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let service = SecretService()
switch arguments.first {
case "threads":
    _ = try service.items(matching: ["test": "one"])
    try service.acquireName("com.example.Visitor").release()
    _ = try service.attributes(of: [service.item(at: arguments[1])], by: .after(.seconds(10))) {}
    _ = try service.item(at: arguments[1]).secret()
    _ = try service.daemon()
    say(threadNames())
case "watch":
    let watch = try service.watch { _ in }
    say(threadNames())
    watch.cancel()
case "leave":
    // The connection is open when the time limit begins.
    _ = try service.defaultCollection()
    _ = try? service.item(at: arguments[1]).secret(by: .after(.milliseconds(100)))
    say("left")
case "visit":
    var outcomes: [String: Int] = [:]
    for number in 1...(Int(arguments[1]) ?? 1) { outcomes[visit(number, arguments[2]), default: 0] += 1 }
    say(outcomes.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value)" }.joined(separator: " "))
case "give-up":
    let item = service.item(at: arguments[1])
    _ = try service.attributes(of: [item], by: .after(.seconds(60))) {}
    say("\(descriptorCount())")
    _ = readLine()
    for _ in 1...200 { glance(at: item, for: .milliseconds(2)) }
    say("given up")
    _ = readLine()
    for number in 1...2000 { glance(at: item, for: .microseconds(number % 40 * 25)) }
    _ = try service.attributes(of: [item], by: .after(.seconds(60))) {}
    say("\(descriptorCount())")
case "connect-late":
    let watch = try service.watch { _ in }
    let before = descriptorCount()
    let mayGo = Monitor(false)
    GLibThread.shared.enqueue { _ = mayGo.wait(until: .after(.seconds(60))) { mayGo in mayGo ? () : nil } }
    for _ in 1...20 { _ = try? SecretService().collections(by: .after(.milliseconds(20))) }
    mayGo.update { $0 = true }
    GLibThread.catchUp(by: .after(.seconds(60)))
    say("\(descriptorCount() - before)")
    watch.cancel()
default:
    exit(64)
}
