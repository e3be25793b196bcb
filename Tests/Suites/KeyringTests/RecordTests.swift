import Dispatch
import SecretService
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthRecords

extension OnEveryDaemon {
    /// Tests the guarantees of a record store on each daemon.
    struct RecordTests {
        @Test(
            "A record is created, read, replaced and deleted; its revisions never repeat",
            arguments: DaemonKind.allCases
        )
        func lifecycle(
            _ kind: DaemonKind
        ) throws {
            let bench = Bench(try Daemons.shared(kind))
            #expect(try bench.isEmpty)
            var revisions: Set<Revision> = []
            for text in ["one", "two", "three"] {
                let written = try bench.write(text)
                #expect(try bench.read().revision == written.revision)
                #expect(try bench.text() == text)
                revisions.insert(try #require(written.revision))
            }
            #expect(try bench.items().count == 1)
            _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .delete }
            #expect(try bench.isEmpty)
            #expect(try bench.items().isEmpty)
            revisions.insert(try #require(try bench.write("again").revision))
            #expect(revisions.count == 4)
        }

        @Test(
            "A list has each record of a kind once, intact, with its set-aside records",
            arguments: DaemonKind.allCases
        )
        func list(_ kind: DaemonKind) throws {
            let bench = Bench(try Daemons.shared(kind))
            let keys = (0..<5).map { number in
                RecordKey(
                    scope: .app("com.example.App\(number)"),
                    project: bench.project,
                    instance: AuthApp.defaultName,
                    kind: "test"
                )
            }
            for key in keys {
                _ = try bench.store.update(key, by: bench.deadline) { _ in .write(Array(key.name.utf8)) }
            }
            _ = try bench.store.update(keys[0], by: bench.deadline) { _ in .replaceDamaged(Array(keys[0].name.utf8)) }
            let listed = try bench.list(bench.otherStore(), by: bench.deadline)
            #expect(Set(listed.map(\.key)) == Set(keys))
            for record in listed {
                #expect(record.stored.text == record.key?.name)
                #expect(record.duplicates == 0)
                #expect(record.setAside.count == (record.key == keys[0] ? 1 : 0))
            }
            #expect(try Bench(bench.keyring).list(bench.store, by: bench.deadline).isEmpty)
        }

        @Test("All byte values are stored and read, up to 64 kB", arguments: DaemonKind.allCases)
        func everyByte(_ kind: DaemonKind) throws {
            let bench = Bench(try Daemons.shared(kind))
            let all = (0..<256).map { UInt8($0) }
            // A message of more than about 60 kB hangs pass-secret-service permanently.
            let large = Array(repeating: all, count: kind == .passSecretService ? 64 : 256).joined()
            // Text that KeePassXC treats as placeholders must be read back unchanged, too.
            for payload in [[], all, Array("{TITLE}{S:app}\0{REF:T@I:x}".utf8), Array(large)] {
                _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .write(payload) }
                guard case .whole(let record) = try bench.read() else {
                    Issue.record("\(payload.count) bytes were not read back")
                    continue
                }
                #expect(record.payload == payload)
            }
            Observations.note(kind, "Largest record tested", large.count == 65536 ? "64 kB" : "16 kB")
            let item = try #require(try bench.items().first)
            let printable = Set((0x21...0x7e).map { UInt8($0) }).subtracting(Array("{}".utf8))
            #expect(try item.secret().bytes.allSatisfy(printable.contains))
        }

        @Test(
            "An item with extra attributes is never read as the record",
            arguments: DaemonKind.allCases
        )
        func plantedSuperset(
            _ kind: DaemonKind
        ) throws {
            let bench = Bench(try Daemons.shared(kind))
            try bench.plant(Secret("before"), adding: ["theirs": "1"])
            #expect(try bench.isEmpty)
            try bench.write("ours")
            #expect(try bench.text() == "ours")
            try bench.plant(Secret("after"), adding: ["theirs": "2"])
            #expect(try bench.text() == "ours")
            for text in ["newer", "newest"] {
                // The daemon may select the planted item as the one to replace.
                try bench.write(text)
                #expect(try bench.text() == text)
            }
            let named = try bench.items().filter { bench.key.isNamed(by: try $0.attributes()) }
            #expect(named.count == 1)
            _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .delete }
            #expect(try bench.isEmpty)
        }

        @Test(
            "The newest of several items of a record wins, and damaged ones are set aside",
            arguments: DaemonKind.allCases
        )
        func newestWins(
            _ kind: DaemonKind
        ) throws {
            let bench = Bench(try Daemons.shared(kind))
            try bench.write("old")
            let old = try #require(try bench.items().first).secret()
            try bench.write("new")
            try bench.plant(old)
            try bench.plant(Secret("garbage"))
            let other = bench.otherStore()
            #expect(try other.read(bench.key, by: bench.deadline).text == "new")
            #expect(try bench.items().count == 3)
            try other.repairDuplicates(of: bench.key, by: bench.deadline)
            #expect(try bench.items().count == 1)
            let project = try bench.service.items(matching: ["sharedauth-project": bench.project]).unlocked
            #expect(project.count == 2)
            #expect(try bench.text() == "new")
            #expect(try other.setAsideRecords(of: bench.key, by: bench.deadline).count == 1)
        }

        @Test(
            "A damaged record is reported, and set aside only on request",
            arguments: DaemonKind.allCases
        )
        func damagedRecord(_ kind: DaemonKind) throws {
            let bench = Bench(try Daemons.shared(kind))
            try bench.write("whole")
            try #require(try bench.items().first).setSecret(Secret("SharedAuth1.cut"))
            guard case .damaged = try bench.read() else {
                Issue.record("not damaged: \(try bench.read())")
                return
            }
            do throws(RecordStoreError) {
                _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .write([1]) }
                Issue.record("the damaged record was overwritten")
            } catch {
                #expect(error.code == .damaged)
            }
            _ = try bench.store.update(bench.key, by: bench.deadline) { _ in .replaceDamaged(Array("mended".utf8)) }
            #expect(try bench.text() == "mended")
            let project = try bench.service.items(matching: ["sharedauth-project": bench.project]).unlocked
            #expect(project.count == 2)
        }

        @Test(
            "A watch on another connection reports creation, replacement and deletion",
            arguments: DaemonKind.allCases
        )
        func announced(_ kind: DaemonKind) throws {
            let bench = Bench(try Daemons.shared(kind))
            let told = Recorder<RecordEvent>()
            let watching = bench.otherStore()
            let watch = try watching.watch(bench.key, by: bench.deadline) { event in told.record(event) }
            for text in ["one", "two", nil] {
                let change: RecordChange = text.map { .write(Array($0.utf8)) } ?? .delete
                _ = try bench.store.update(bench.key, by: bench.deadline) { _ in change }
                // Read on each event. The last event arrives when the change can be read.
                var seen: String?? = .none
                while seen != .some(text) {
                    _ = try #require(told.take { $0 == .changed }, "no report of \(text ?? "the deletion")")
                    seen = .some(try watching.read(bench.key, by: bench.deadline).text)
                }
            }
            watch.cancel()
        }

        @Test("Four processes increment one record, and no increment is lost", arguments: DaemonKind.allCases)
        func countUp(_ kind: DaemonKind) throws {
            let keyring = try Daemons.shared(kind)
            let bench = Bench(keyring)
            let peer = try BuiltProducts.executable("TestPeer")
            let results = Recorder<Int32>()
            DispatchQueue.concurrentPerform(iterations: 4) { number in
                let arguments = ["com.example.Peer\(number)", bench.project, keyring.busAddress]
                let state = "\(keyring.directory)/state-\(bench.project)-\(number)"
                let options = [state, "automatic", "--no-observing", "--deadline", "20000"]
                let result = try? keyring.run(peer, arguments + options, input: "cas count 5\nquit\n")
                results.record(result?.status ?? -1)
            }
            #expect(results.events == [0, 0, 0, 0])
            let key = RecordKey(
                scope: .project,
                project: bench.project,
                instance: AuthApp.defaultName,
                kind: "count"
            )
            #expect(try bench.store.read(key, by: bench.deadline).text == "20")
            Observations.note(kind, "Four programs that write one record simultaneously", "no write is lost")
        }
    }
}
