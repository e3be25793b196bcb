import FoundationEssentials
import Glibc
import KeyDerivation
import SecretService
import TestSupport
import Testing

@testable import EncryptedFiles
@testable import SharedAuth
@testable import SharedAuthRecords

/// Valid and invalid keys of every kind.
struct FileStoreKeyTests {
    let place: FilePlace

    init() throws {
        place = try FilePlace()
    }

    static func passphrase(_ text: String) -> FileStoreKey { .passphrase(Secret(text), cost: 10) }

    @Test("The same key opens the store again: passphrase, key file or credential")
    func sameKey() throws {
        let credentials = "\(place.root)/credentials"
        try FileManager.default.createDirectory(atPath: credentials, withIntermediateDirectories: true)
        // Like systemd, where access-control lists restrict access further.
        try place.writeKey(Array(repeating: 7, count: 32), to: "\(credentials)/store-key", mode: 0o440)
        let keys: [() -> FileStoreKey] = [
            { Self.passphrase("correct horse") }, { .keyFile(place.keyFile) },
            { .systemdCredential("store-key", directory: credentials) },
        ]
        for key in keys {
            try place.store(key: key()).put("x", .mail)
            #expect(try place.store(key: key()).text(.mail) == "x")
            try FileManager.default.removeItem(atPath: place.directory)
        }
    }

    @Test("A wrong passphrase is a different error from damage and changes nothing")
    func wrongPassphrase() throws {
        try place.store(key: Self.passphrase("right")).put("x", .mail)
        let before = try place.names().map { try place.bytes("\(place.directory)/\($0)") }
        let wrong = place.store(key: Self.passphrase("wrong"))
        for _ in 1...2 {
            let error = try #require(failure { try wrong.text(.mail) })
            #expect(error.code == .denied)
            #expect(error.message.contains("passphrase"))
            #expect(!"\(error)".contains("wrong"))
            #expect(failure { try wrong.put("y", .mail) }?.code == .denied)
        }
        #expect(try place.names().map { try place.bytes("\(place.directory)/\($0)") } == before)
        #expect(try place.store(key: Self.passphrase("right")).text(.mail) == "x")
        #expect(failure { try place.store(key: Self.passphrase("")).text(.mail) }?.code == .denied)
    }

    @Test("A key of another kind or another value is refused")
    func otherKey() throws {
        try place.store().put("x", .mail)
        #expect(failure { try place.store(key: Self.passphrase("p")).text(.mail) }?.code == .denied)
        try place.writeKey(Array(repeating: 1, count: 32), to: place.keyFile)
        let error = try #require(failure { try place.store().text(.mail) })
        #expect(error.code == .denied)
        #expect(error.message.contains(place.keyFile))
    }

    @Test("A passphrase store refuses a key file")
    func keyFileForPassphrase() throws {
        try place.store(key: Self.passphrase("p")).put("x", .mail)
        #expect(failure { try place.store().text(.mail) }?.message.contains("passphrase") == true)
    }

    @Test(
        "A key file that others can read is refused with the command to fix it",
        arguments: [0o640, 0o604, 0o644]
    )
    func openKeyFile(mode: mode_t) throws {
        unsafe chmod(place.keyFile, mode)
        let error = try #require(failure { try place.store().put("x", .mail) })
        #expect(error.code == .denied)
        #expect(error.remedy == "Run: chmod 600 \(place.keyFile)")
        unsafe chmod(place.keyFile, 0o600)
        try place.store().put("x", .mail)
    }

    @Test("A key that is missing, too short, too long or no file is refused", arguments: [nil, 0, 31, 33, 5000, -1])
    func badKeyFile(size: Int?) throws {
        try FileManager.default.removeItem(atPath: place.keyFile)
        if size == -1 {
            try FileManager.default.createDirectory(atPath: place.keyFile, withIntermediateDirectories: true)
        } else if let size {
            try place.writeKey(Array(repeating: 1, count: size), to: place.keyFile)
        }
        let error = try #require(failure { try place.store().put("x", .mail) })
        #expect(error.code == .unavailable)
        #expect(error.message.contains(place.keyFile))
        #expect(!FileManager.default.fileExists(atPath: place.directory))
    }

    @Test(
        "There is no credential without systemd's directory or without a plain name",
        arguments: ["", "..", "a/b", "x"]
    )
    func badCredential(name: String) throws {
        let key = FileStoreKey.systemdCredential(name, directory: "\(place.root)/nowhere")
        #expect(failure { try place.store(key: key).put("x", .mail) }?.code == .unavailable)
        #expect(failure { try place.store(key: .systemdCredential("x")).put("x", .mail) }?.code == .unavailable)
    }

    @Test("A passphrase that has opened a store is forgotten, and the store keeps working")
    func forgotten() throws {
        let passphrase = Passphrase(Secret("p"), cost: 10)
        let key = FileStoreKey(source: .passphrase(passphrase))
        try place.store(key: key).put("x", .mail)
        let other = try FilePlace()
        try other.store(key: Self.passphrase("p")).put("y", .mail)
        #expect(failure { try other.store(key: key).text(.mail) }?.message.contains("forgotten") == true)
        #expect(try place.store(key: key).text(.mail) == "x")
        #expect(!"\(key)".contains("\"p\"") && Mirror(reflecting: key).children.isEmpty)
    }

    @Test("A derivation that exceeds the deadline fails in time; the next call can use it")
    func slowDerivation() throws {
        let store = place.store(key: .passphrase(Secret("p"), cost: 15))
        let slow = try #require(failure { try store.update(.mail, by: .after(.zero)) { _ in .write([1]) } })
        #expect(slow.code == .timedOut)
        #expect(!slow.outcomeIsUnknown)
        #expect(try place.records().isEmpty)
        try store.put("x", .mail)
        #expect(try place.store(key: Self.passphrase("p")).text(.mail) == "x")
    }

    @Test("Key derivation parameters that need too much memory are refused")
    func dearParameters() {
        func isUsable(_ cost: Int, _ blockSize: Int, _ parallelism: Int, _ salt: Int) -> Bool {
            Scrypt(cost: cost, blockSize: blockSize, parallelism: parallelism, salt: Data(count: salt)).isOfStore
        }
        #expect(isUsable(17, 8, 1, 32))
        #expect(!isUsable(40, 8, 1, 32) && !isUsable(1, 8, 1, 32) && !isUsable(17, 99, 1, 32))
        #expect(!isUsable(17, 8, 0, 32) && !isUsable(17, 8, 1, 3))
    }

    @Test("A changed header has no effect, or is reported as damage or as newer")
    func changedHeader() throws {
        try place.store(key: Self.passphrase("p")).put("x", .mail)
        let path = "\(place.directory)/\(StoreHeader.name)"
        let whole = try place.bytes(path)
        var random = SeededRandom(seed: 1)
        var damaged = 0
        for _ in 0..<300 {
            let changed = random.mutation(of: whole)
            if changed == whole { continue }
            try place.put(changed, at: path)
            do throws(RecordStoreError) {
                // A change of white space, for example, has no effect.
                #expect(try place.store(key: Self.passphrase("p")).text(.mail) == "x")
            } catch {
                #expect([.damaged, .newerVersion].contains(error.code), "\(error)")
                if error.code == .damaged { damaged += 1 }
            }
        }
        #expect(damaged > 200)
        try place.put(whole, at: path)
        #expect(try place.store(key: Self.passphrase("p")).text(.mail) == "x")
    }
}

/// Returns the error that a call throws.
func failure<Value>(sourceLocation: SourceLocation = #_sourceLocation, _ call: () throws -> Value) -> RecordStoreError?
{
    do {
        _ = try call()
        return nil
    } catch let error as RecordStoreError {
        return error
    } catch {
        Issue.record(error, sourceLocation: sourceLocation)
        return nil
    }
}
