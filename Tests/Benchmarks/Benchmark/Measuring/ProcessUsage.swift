import Foundation
import Glibc

/// What a process has used so far, as the kernel counts it.
struct ProcessUsage {
    /// Seconds of processor time.
    let processorTime: Double
    /// How often the process was given the processor.
    let wakeUps: Int
    /// Resident memory, in KiB.
    let memory: Int
    /// What of it is this process's alone and not a file's, in KiB.
    let ownMemory: Int

    init(of processID: Int32) throws {
        let stat = try String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw Failure("no such process")
        }
        processorTime = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        // Of every thread: the process's own line counts the first one only.
        wakeUps = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/task").reduce(0) {
            sum,
            task in
            sum + (try Self.number("voluntary_ctxt_switches", in: "/proc/\(processID)/task/\(task)/status"))
        }
        memory = try Self.number("VmRSS", in: "/proc/\(processID)/status")
        ownMemory = try Self.number("RssAnon", in: "/proc/\(processID)/status")
    }

    private static func number(_ name: String, in path: String) throws -> Int {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("\(name):") }
        return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) } ?? 0
    }
}
