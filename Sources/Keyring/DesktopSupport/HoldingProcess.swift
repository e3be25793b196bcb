internal import Glibc

/// A process that holds a lock, as described by `/proc`: only its program's name and state.
package struct HoldingProcess: Sendable, Hashable {
    /// The process ID in this process's PID namespace.
    package let processID: Int32
    /// The name of its program; nil if the system does not report it.
    package let program: String?
    /// Indicates whether the process is stopped, by Ctrl-Z or a debugger, and does nothing until it is continued.
    package let isStopped: Bool

    /// Reads the description of a process.
    ///
    /// - Returns: nil if no process with this ID is visible here, or it has ended.
    package init?(processID: Int32) {
        guard processID > 0, let status = beginning(ofFile: "/proc/\(processID)/stat"),
            let (name, state) = Self.fields(ofStatus: status), !"ZXx".contains(state)
        else { return nil }
        self.processID = processID
        isStopped = "Tt".contains(state)
        program = Self.program(processID, named: name)
    }

    /// Returns the kernel's name for a process and the letter of its state, from `4711 (name) S 1 …`. The name can
    /// contain anything.
    static func fields(ofStatus status: String) -> (name: String, state: Character)? {
        guard let start = status.firstIndex(of: "("), let end = status.lastIndex(of: ")"), start < end,
            let state = status[end...].dropFirst(2).first
        else { return nil }
        return (String(status[status.index(after: start)..<end]), state)
    }

    /// Returns the name of the program's file if the kernel's name is its prefix; otherwise the kernel's name, such as
    /// that of a script.
    private static func program(_ processID: Int32, named name: String) -> String? {
        let whole = ProgramFile.name(ofProcess: processID) ?? ""
        // The name of a process must not move the cursor of a terminal that shows it.
        let printable = (whole.hasPrefix(name) ? whole : name).filter { character in
            character.unicodeScalars.allSatisfy {
                !$0.properties.isDefaultIgnorableCodePoint && $0.value >= 32 && $0.value != 127
            }
        }
        return printable.isEmpty ? nil : printable
    }

    /// The program and the process ID, such as `sharedauth (process 4711)`.
    package var name: String { "\(program ?? "A program") (process \(processID))" }

    /// The name and the state, as the beginning of a sentence.
    package var description: String { "\(name), which is \(isStopped ? "stopped" : "running")," }

    /// The remedy if the process does not finish its work.
    package var remedy: String {
        isStopped
            ? "Continue it with kill -CONT \(processID), or end it."
            : "Try again; if the problem persists, end process \(processID)."
    }
}

/// The error of a wait for a lock that another call or process held until the deadline.
package struct LockWait: Error, Hashable {
    /// The owner of a lock.
    package enum Holder: Sendable, Hashable {
        /// Another call of this process.
        case thisProcess
        case process(HoldingProcess)
        /// A process that has inherited the lock from this one, which has ended or no longer has the lock. It is not
        /// known which.
        case child(of: Int32, hasEnded: Bool)
        /// Another process that is not visible here, such as outside the sandbox or in another PID namespace.
        case unknown
    }

    package let holder: Holder
    /// The time for which the call waited.
    package let time: Duration

    package init(_ holder: Holder, since start: ContinuousClock.Instant) {
        self.holder = holder
        time = start.duration(to: .now)
    }

    /// Returns a sentence that names the holder, which did not end `work`, such as "its change of the record", and
    /// states the time of the wait.
    package func sentence(on work: String) -> String {
        "\(holder.description) did not end \(work) in time: this call waited \(time.seconds) for it"
    }

    /// The remedy.
    package var remedy: String {
        switch holder {
        case .thisProcess: "Try again."
        case .process(let process): process.remedy
        case .child(let parent, _): "End the programs that process \(parent) has started, such as workers of Python."
        case .unknown: "Try again; if the problem persists, run sharedauth doctor outside a sandbox to name it."
        }
    }
}

extension LockWait.Holder {
    /// The holder, as the beginning of a sentence.
    package var description: String {
        switch self {
        case .thisProcess: "Another call of this process"
        case .process(let process): process.description
        case .child(let parent, let hasEnded): "A child of process \(parent)\(hasEnded ? ", which has ended," : "")"
        case .unknown: "Another process"
        }
    }
}

extension Duration {
    /// The duration for display, such as `0.1 s` or `45 s`.
    fileprivate var seconds: String {
        let tenths = components.seconds * 10 + components.attoseconds / 100_000_000_000_000_000
        return tenths < 100 ? "\(tenths / 10).\(tenths % 10) s" : "\(tenths / 10) s"
    }
}
