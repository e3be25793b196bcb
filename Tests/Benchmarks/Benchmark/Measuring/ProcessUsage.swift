import Foundation
import Glibc

/// The resources that a process has used so far, as counted by the kernel.
struct ProcessUsage {
    /// Seconds of processor time.
    let processorTime: Double
    /// The number of wake-ups, counted as voluntary context switches.
    let wakeUps: Int
    /// Resident memory, in KiB.
    let memory: Int
    /// The part of it that belongs to this process alone and to no file, in KiB.
    let ownMemory: Int

    init(of processID: Int32) throws {
        let stat = try String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8)
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else {
            throw Failure("no such process")
        }
        processorTime = (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
        // The sum over all threads: the process's own line counts only the first.
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
