internal import SecretService
internal import SharedAuth
internal import TestSupport

extension Session {
    /// Returns the key of a record that only these commands use.
    func key(_ kind: String) -> RecordKey {
        RecordKey(scope: .project, project: arguments.project, instance: AuthApp.defaultName, kind: kind)
    }

    func record(_ key: RecordKey) throws(PeerFailure) -> Record? {
        do throws(RecordStoreError) {
            switch try store.read(key, by: .after(arguments.timeout)) {
            case .none: return nil
            case .whole(let record): return record
            case .empty: throw RecordStoreError(.damaged, "it is empty")
            case .damaged(let reason): throw RecordStoreError(.damaged, reason)
            case .newer(let reason): throw RecordStoreError(.newerVersion, reason)
            }
        } catch {
            throw .store(error)
        }
    }

    func swap(
        _ key: RecordKey,
        expecting revision: Revision?,
        for value: String
    ) throws(PeerFailure) -> Record? {
        do throws(RecordStoreError) {
            var isExpected = false
            let stored = try store.update(key, by: .after(arguments.timeout)) { stored in
                isExpected = stored.revision == revision
                return isExpected ? .write(Array(value.utf8)) : .keep
            }
            guard isExpected, case .whole(let record) = stored else { return nil }
            return record
        } catch {
            throw .store(error)
        }
    }

    /// Increments a number in a record `times` times. The response has the number of swaps lost to peers.
    func swap(_ kind: String, times: String) throws(PeerFailure) -> PeerLine {
        guard let times = Int(times) else { throw .command("cas KIND TIMES") }
        let key = key(kind)
        var lost = 0
        for _ in 0..<times {
            while true {
                let found = try record(key)
                let number = found.flatMap { Int(String(decoding: $0.payload, as: UTF8.self)) } ?? 0
                if try swap(key, expecting: found?.revision, for: "\(number + 1)") != nil { break }
                lost += 1
            }
        }
        var line = PeerLine(answer: "cas")
        line.count = lost
        return line
    }

    /// Increments a number in a record `times` times, each time in one atomic update.
    func add(_ kind: String, times: String) throws(PeerFailure) -> PeerLine {
        guard let times = Int(times) else { throw .command("add KIND TIMES") }
        do throws(RecordStoreError) {
            for _ in 0..<times {
                try store.update(key(kind), by: .after(arguments.timeout)) { found in
                    guard case .whole(let record) = found else { return .write(Array("1".utf8)) }
                    let number = Int(String(decoding: record.payload, as: UTF8.self)) ?? 0
                    return .write(Array("\(number + 1)".utf8))
                }
            }
        } catch {
            throw .store(error)
        }
        return PeerLine(answer: "add")
    }
}
