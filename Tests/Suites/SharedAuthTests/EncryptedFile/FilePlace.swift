import FoundationEssentials
import Glibc
import SecretService
import SharedAuth
import TestSupport

@testable import EncryptedFiles

/// A temporary directory for a store and its key file, removed when the value is released.
final class FilePlace: Sendable {
    let root: String
    var directory: String { "\(root)/store" }
    var keyFile: String { "\(root)/key" }

    init() throws {
        // Uses memory where possible, because the time that a disk takes to sync is not tested.
        let memory = "/dev/shm"
        let parent =
            FileManager.default.isWritableFile(atPath: memory)
            ? memory : FileManager.default.temporaryDirectory.path
        root = "\(parent)/file-store-\(UUID())"
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try writeKey((0..<32).map { _ in .random(in: 0...255) }, to: keyFile)
    }

    deinit {
        unsafe chmod(directory, 0o700)
        try? FileManager.default.removeItem(atPath: root)
    }

    func writeKey(_ bytes: [UInt8], to path: String, mode: mode_t = 0o600) throws {
        try Data(bytes).write(to: URL(filePath: path))
        unsafe chmod(path, mode)
    }

    /// Returns a store of this directory, as another process opens it.
    func store(key: FileStoreKey? = nil, steps: FileStepInterceptor = .none) -> EncryptedFileRecordStore {
        EncryptedFileRecordStore(directory: directory, key: key ?? .keyFile(keyFile), steps: steps)
    }

    static func names(in directory: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory)
    }

    /// The names in the store's directory, without the locks.
    func names() throws -> [String] {
        try Self.names(in: directory).filter { $0 != "locks" }.sorted()
    }

    /// The paths of the records, in no particular order.
    func records() throws -> [String] {
        try names().filter { $0.hasSuffix(".record") }.map { "\(directory)/\($0)" }
    }

    func bytes(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path)))
    }

    func put(_ bytes: [UInt8], at path: String) throws {
        let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0 else { throw CocoaError(.fileNoSuchFile) }
        defer { close(file) }
        _ = unsafe bytes.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
    }
}

extension RecordStore {
    /// Writes a text, whatever the record's content.
    @discardableResult
    func put(_ text: String, _ key: RecordKey) throws(RecordStoreError) -> StoredRecord {
        try update(key, by: .patient) { _ in .write(Array(text.utf8)) }
    }

    /// Returns the text under a key, or "damaged: reason", "newer: reason", or nil.
    func text(_ key: RecordKey) throws(RecordStoreError) -> String? {
        switch try read(key, by: .patient) {
        case .none: nil
        case .whole(let record): String(decoding: record.payload, as: UTF8.self)
        case .empty: "damaged: it is empty"
        case .damaged(let reason): "damaged: \(reason)"
        case .newer(let reason): "newer: \(reason)"
        }
    }
}

extension RecordKey {
    static let mail = RecordKey(scope: .app("com.example.Mail"), project: "p", instance: "default", kind: "user")
    static let other = RecordKey(scope: .app("com.example.Other"), project: "p", instance: "default", kind: "user")
}
