import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuthFleet

/// Tests shared records on a real server.
struct ServerTests {
    @Test("A record written on one device is read on another, and the server stores it sealed")
    func sharing() throws {
        let person = try PostgresFleet()
        let (first, second) = (try person.firstDevice(), TestDevice())
        try first.enrol(second, at: person.address)
        try first.store().change(sharedKey, .write(Array("secret text".utf8)))
        #expect(try second.store().payload(sharedKey) == Array("secret text".utf8))
        try second.store().change(sharedKey, .delete)
        #expect(try first.store().payload(sharedKey) == nil)
        let dump = try person.server.run("pg_dump", ["--inserts", PrivatePostgres.database])
        #expect(!dump.contains("secret") && !dump.contains("group.example") && !dump.contains("first"))
    }
}
