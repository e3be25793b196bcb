import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuth

/// Names in messages.
struct QuotedNameTests {
    private static let long = String(repeating: "x", count: 1_000_000)

    @Test("A name is quoted unchanged up to 80 characters, and cut after them")
    func cut() {
        let longest = String(repeating: "ä", count: 80)
        #expect(longest.quotedName == "\"\(longest)\"")
        #expect((longest + "b").quotedName == "\"\(longest)…\"")
        #expect("a\nb".quotedName == #""a\nb""#)
        #expect(("e" + String(repeating: "\u{301}", count: 1_000_000)).quotedName.utf8.count < 1000)
    }

    @Test("No error repeats a long name in full")
    func errors() {
        let options = AuthApp.Options(store: .inMemory())
        var ofProject = options
        ofProject.project = Self.long
        let errors = [
            expectFailure(.invalidAppIdentifier) { _ = try AppIdentity(appID: Self.long) },
            expectFailure(.invalidAppIdentifier) { _ = try AppIdentity(appID: "a", teamID: Self.long) },
            expectFailure(.invalidAccessGroup) { _ = try AccessGroup(Self.long) },
            expectFailure(.invalidAppIdentifier) { try AppInspection.check(project: Self.long) },
            expectFailure(.invalidAppIdentifier) { _ = try AuthApp(name: Self.long, unregistered: options) },
            expectFailure(.invalidAppIdentifier) { _ = try AuthApp(unregistered: ofProject) },
        ]
        for error in errors {
            #expect((error?.text.utf8.count ?? .max) < 400 && error?.message.contains("xxx…") == true)
        }
    }
}
