internal import SharedAuthRecords

/// The files of a journal that a machine uses, in a home that several machines may share.
///
/// The choice, its steps and the keepers are about the records in one machine's keyring. The first machine to write has
/// the files named by the instance alone, and says so in `INSTANCE.machine`. Any other machine has files of its own, named
/// `INSTANCE@MACHINE`. A machine without an id uses the former, and does not say so.
struct JournalShare: Hashable {
    /// The origin of the files that are read.
    enum Origin {
        /// They are this machine's, or there are none.
        case own
        /// A version that named no machine has written them.
        case former
        /// They are another machine's, and this one has none.
        case otherMachine
    }

    /// The files that are there.
    struct Finding: Hashable {
        /// The machine that the files named by the instance alone belong to.
        var owner: MachineName?
        /// Whether there are such files.
        var hasFiles = false
        /// Whether there are files of this machine.
        var hasOwnFiles = false
    }

    /// The names of the files to read and of those to write, without the suffix.
    let (read, written): (String, String)
    let origin: Origin
    /// Whether this machine has to say that the written files are its own.
    let isUnclaimed: Bool
    /// Whether the share stays as it is, whatever other machines write.
    let isFinal: Bool

    /// Decides by what is there.
    init(of instance: String, on machine: MachineName?, _ finding: Finding) {
        let own = machine.map { Self.name(of: instance, on: $0) } ?? instance
        switch finding.owner {
        case _ where machine == nil:
            self.init(instance, instance, .own, isFinal: true)
        case machine?:
            self.init(instance, instance, .own, isFinal: true)
        case _ where finding.hasOwnFiles:
            self.init(own, own, .own, isFinal: true)
        case nil:
            self.init(instance, instance, finding.hasFiles ? .former : .own, isUnclaimed: true)
        case _?:
            self.init(finding.hasFiles ? instance : own, own, finding.hasFiles ? .otherMachine : .own)
        }
    }

    private init(_ read: String, _ written: String, _ origin: Origin, isUnclaimed: Bool = false, isFinal: Bool = false)
    {
        (self.read, self.written, self.origin) = (read, written, origin)
        (self.isUnclaimed, self.isFinal) = (isUnclaimed, isFinal)
    }

    /// The name of a file to read.
    func readName(_ kind: JournalFiles.Kind) -> String { "\(read).\(kind.suffix)" }

    /// The name of a file to write.
    func writtenName(_ kind: JournalFiles.Kind) -> String { "\(written).\(kind.suffix)" }

    /// The name of the file that is locked during a change.
    var lockName: String { "\(written).lock" }

    /// The name of the files of a machine that does not have those named by the instance alone, without the suffix.
    static func name(of instance: String, on machine: MachineName) -> String { "\(instance)@\(machine.text)" }

    /// The name of the file that says which machine has the files named by the instance alone.
    static func ownerFile(of instance: String) -> String { "\(instance).machine" }

    /// Returns whether there are files to read.
    func hasFiles(in folder: Folder) -> Bool { Self.hasFiles(read, in: folder) }

    private static func hasFiles(_ name: String, in folder: Folder) -> Bool {
        JournalFiles.Kind.allCases.contains { folder.contains("\(name).\($0.suffix)") }
    }

    /// Looks which files there are in a folder.
    static func find(in folder: Folder, of instance: String, on machine: MachineName?) -> JournalShare {
        var finding = Finding()
        if let machine {
            if case .bytes(let bytes) = try? folder.read(ownerFile(of: instance), atMost: 64) {
                finding.owner = MachineName(reading: bytes)
            }
            if finding.owner != machine {
                finding.hasFiles = hasFiles(instance, in: folder)
                finding.hasOwnFiles = hasFiles(name(of: instance, on: machine), in: folder)
            }
        }
        return JournalShare(of: instance, on: machine, finding)
    }
}

/// The treatment of a journal that a machine finds, and that may be another machine's.
enum JournalClaim: Hashable {
    /// Use it from now on.
    case takeOver
    /// Leave it, and begin another one.
    case begin
    /// Use it as it is for now.
    case wait

    /// Decides whether the journal is about the records in this machine's store.
    ///
    /// - Parameters:
    ///   - holdsUser: whether a slot has a user in this machine's store.
    ///   - isKept: whether a keyring daemon is noted that keeps a user of the chosen slot.
    init(
        _ origin: JournalShare.Origin,
        chosen slot: Slot,
        isKept: Bool,
        holdsUser: (Slot) throws(AuthError) -> Bool
    ) throws(AuthError) {
        if origin == .own {
            self = .wait
        } else if try holdsUser(slot) {
            self = .takeOver
        } else if slot == .own {
            // The choice of another machine says nothing, and its steps are about its own records.
            self = origin == .otherMachine ? .begin : isKept ? .wait : .takeOver
        } else if try holdsUser(.own) {
            self = .begin
        } else {
            // Nobody is signed in here. The group is the app's choice; but a user who is kept elsewhere may be another
            // machine's.
            self = origin == .former && isKept ? .wait : .takeOver
        }
    }
}

extension Journal {
    /// Decides what this machine does with the files that it has found.
    ///
    /// - Throws: the error that keeps them, or this machine's store, from being read.
    func claim(for slots: UserSlots, by deadline: Deadline) throws(AuthError) -> JournalClaim {
        let origin = try origin(by: deadline)
        if origin == .own { return .wait }
        let chosen = try read(by: deadline).slot
        let isKept = try !keepers(of: chosen, by: deadline).isEmpty
        return try JournalClaim(origin, chosen: chosen, isKept: isKept) { slot throws(AuthError) in
            try !slots.read(slot, by: deadline).record.accounts.isEmpty
        }
    }

    /// Carries a decision out.
    ///
    /// - Throws: as `change(by:_:)`.
    func settle(_ claim: JournalClaim, by deadline: Deadline) throws(AuthError) {
        switch claim {
        case .wait: break
        case .takeOver: try takeOver(by: deadline)
        case .begin: try begin(by: deadline)
        }
    }
}

extension Operation {
    /// Decides whose journal it is if this machine has found that of a former version, or another machine's.
    ///
    /// - Returns: true if this machine has begun a journal of its own, and another slot is in use.
    func settleJournal() -> Bool {
        do throws(AuthError) {
            let claim = try journal.claim(for: slots, by: deadline)
            if claim == .wait { return false }
            let chosen = try journal.read(by: deadline).slot
            try journal.settle(claim, by: deadline)
            return claim == .begin && chosen != .own
        } catch {
            // A later start decides. Until then the journal counts as it is.
            return false
        }
    }
}
