import Dispatch
import Foundation
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests a program that speaks PostgreSQL's protocol, and answers what no PostgreSQL server does.
struct ServerBytesTests {
    /// A server that admits everyone, and gives one answer to every statement.
    private final class Impostor: Sendable {
        // The path of a socket is short.
        let directory = "\(FileManager.default.temporaryDirectory.path)/impostor\(UInt32.random(in: 0 ... .max))"
        private let listener: LocalSocket

        init(answering messages: [UInt8]) throws {
            try FileManager.default.createDirectory(
                atPath: directory,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
            listener = try LocalSocket.listening(at: "\(directory)/.s.PGSQL.5432")
            DispatchQueue(label: "impostor").async { [listener] in
                while let client = listener.accepted() { Self.serve(client, messages) }
            }
        }

        func end() {
            listener.shutDown()
            try? FileManager.default.removeItem(atPath: directory)
        }

        private static func serve(_ client: LocalSocket, _ messages: [UInt8]) {
            defer { client.shutDown() }
            guard let length = client.read(4), client.read(length.number - 4) != nil else { return }
            client.write(message("R", [0, 0, 0, 0]) + message("S", Array("server_version\u{0}15.0\u{0}".utf8)))
            client.write(message("K", [0, 0, 0, 1, 0, 0, 0, 1]) + message("Z", [UInt8(ascii: "I")]))
            while let prefix = client.read(5), client.read(Array(prefix.dropFirst()).number - 4) != nil {
                // The end of a statement's messages.
                if prefix[0] == UInt8(ascii: "S") { client.write(messages) }
                if prefix[0] == UInt8(ascii: "X") { return }
            }
        }

        static func message(_ kind: Unicode.Scalar, _ content: [UInt8]) -> [UInt8] {
            [UInt8(ascii: kind)] + (content.count + 4).bytes(4) + content
        }
    }

    private static let begun = Impostor.message("1", []) + Impostor.message("2", [])
    private static let ended =
        Impostor.message("C", Array("SELECT 1\u{0}".utf8)) + Impostor.message("Z", [UInt8(ascii: "I")])

    /// The description of rows with this many columns of bytes.
    private static func columns(_ count: Int) -> [UInt8] {
        let column = [UInt8(ascii: "c"), 0] + 0.bytes(6) + 17.bytes(4) + 65535.bytes(2) + 0.bytes(4) + 1.bytes(2)
        return Impostor.message("T", count.bytes(2) + (0..<count).flatMap { _ in column })
    }

    private static func row(_ values: [[UInt8]]) -> [UInt8] {
        Impostor.message("D", values.count.bytes(2) + values.flatMap { $0.count.bytes(4) + $0 })
    }

    /// Answers to a statement.
    private static let answers: [(String, [UInt8])] = [
        ("rows without columns", begun + columns(0) + row([]) + ended),
        ("rows of one column", begun + columns(1) + row([[0xFF]]) + ended),
        ("copying in", begun + Impostor.message("G", [0, 0, 0])),
        ("copying out", begun + Impostor.message("H", [0, 0, 0])),
        ("rows without end", begun + columns(1) + (0..<400).flatMap { _ in row([Array(repeating: 7, count: 65536)]) }),
        ("nothing that is a message", Array(repeating: 0xFF, count: 64)),
    ]

    @Test("No answer of a server hangs, fills or ends a client", .timeLimit(.minutes(1)), arguments: answers.indices)
    func answer(_ number: Int) throws {
        let impostor = try Impostor(answering: Self.answers[number].1)
        defer { impostor.end() }
        let settings = [
            "host": impostor.directory, "port": "5432", "user": "alice", "dbname": "fleet", "sslmode": "disable",
        ]
        let connection = try ServerConnection(settings, by: .patient)
        let session = PostgresSession(connection, .init(channel: "fleet", version: 2, device: nil))
        let calls: [(PostgresSession) throws -> Void] = [
            { _ = try $0.lastHeader(by: .patient) }, { _ = try $0.listHeaders(after: 0, by: .patient) },
            { _ = try $0.freeSlot(after: 0, by: .patient) }, { _ = try $0.read([7], by: .patient) },
            { _ = try $0.records(after: [], by: .patient) }, { _ = try $0.lock([7], by: .patient) },
            { _ = try $0.beginExchange(of: [7], by: "a", replacing: nil, deadline: .patient) },
            { _ = try $0.headers([ListedHeader(slot: 1, digest: Data(), size: 1)], by: .patient) },
        ]
        var isRefused = false
        for call in calls {
            do { try call(session) } catch { isRefused = true }
        }
        #expect(isRefused, "\(Self.answers[number].0)")
        // The impostor serves one connection at a time.
        session.close()
        let address = ServerAddress(host: impostor.directory, database: "fleet", role: "alice")
        #expect(throws: FleetError.self) { _ = try PostgresServer(address: address).connect(by: .patient) }
    }
}

extension [UInt8] {
    /// The number that these bytes write, the highest one first.
    fileprivate var number: Int { reduce(0) { $0 << 8 | Int($1) } }
}

extension Int {
    /// The lowest bytes of the number, the highest one first.
    fileprivate func bytes(_ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}
