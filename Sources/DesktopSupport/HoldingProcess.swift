internal import Glibc

/// A process that keeps others waiting, as `/proc` describes it: its program's name and nothing else of it.
package struct HoldingProcess: Sendable, Hashable {
    /// Its number, in this process's namespace.
    package let processID: Int32
    /// The name of its program, if the system says.
    package let program: String?
    /// Whether it was stopped, by Ctrl-Z or a debugger, and so does nothing until it is continued.
    package let isStopped: Bool

    /// Looks at a process.
    ///
    /// - Returns: nil if there is none of this number here, or it has ended.
    package init?(processID: Int32) {
        guard processID > 0, let status = beginning(ofFile: "/proc/\(processID)/stat"),
            let (name, state) = Self.fields(ofStatus: status), !"ZXx".contains(state)
        else { return nil }
        self.processID = processID
        isStopped = "Tt".contains(state)
        program = Self.program(processID, named: name)
    }

    /// The name that the kernel has for a process, and the letter of its state: `4711 (name) S 1 …`, where the name may
    /// be anything.
    static func fields(ofStatus status: String) -> (name: String, state: Character)? {
        guard let start = status.firstIndex(of: "("), let end = status.lastIndex(of: ")"), start < end,
            let state = status[end...].dropFirst(2).first
        else { return nil }
        return (String(status[status.index(after: start)..<end]), state)
    }

    /// The name of the program's file, of which the kernel's name is the beginning; else the latter, as of a script.
    private static func program(_ processID: Int32, named name: String) -> String? {
        let whole = ProgramFile.name(ofProcess: processID) ?? ""
        // What a process calls itself must not move the cursor of a terminal that shows it.
        let printable = (whole.hasPrefix(name) ? whole : name).filter { character in
            character.unicodeScalars.allSatisfy {
                !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 32 && $0.value != 127
            }
        }
        return printable.isEmpty ? nil : printable
    }

    /// The program and the process, such as `sharedauth (process 4711)`.
    package var name: String { "\(program ?? "A program") (process \(processID))" }

    /// The same with what it is doing.
    package var description: String { "\(name), which is \(isStopped ? "stopped" : "running")," }

    /// The remedy when the process does not end its work.
    package var remedy: String {
        isStopped
            ? "Continue it with kill -CONT \(processID), or end it."
            : "Try again; if it stays so, end process \(processID)."
    }
}

/// A wait for a lock that was still another's when the time of the call was over.
package struct LockWait: Error, Hashable {
    /// The owner of a lock.
    package enum Holder: Sendable, Hashable {
        /// Another call of this process.
        case thisProcess
        case process(HoldingProcess)
        /// Another process, of which nothing can be known here, as in a sandbox or in another namespace of processes.
        case unknown
    }

    package let holder: Holder
    /// The time that the call waited.
    package let time: Duration

    package init(_ holder: Holder, since start: ContinuousClock.Instant) {
        self.holder = holder
        time = start.duration(to: .now)
    }

    /// Says who did not end `work`, such as "its change of the record", and how long that was waited for.
    package func sentence(on work: String) -> String {
        let who =
            switch holder {
            case .thisProcess: "Another call of this process"
            case .process(let process): process.description
            case .unknown: "Another process"
            }
        return "\(who) did not end \(work) in time: this call waited \(time.seconds) for it"
    }

    /// The remedy.
    package var remedy: String {
        switch holder {
        case .thisProcess: "Try again."
        case .process(let process): process.remedy
        case .unknown: "Try again; if it stays so, run sharedauth doctor outside of any sandbox: it names the process."
        }
    }
}

extension Duration {
    /// For people, such as `0.1 s` or `45 s`.
    fileprivate var seconds: String {
        let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\(tenths / 10) s"
    }
}
