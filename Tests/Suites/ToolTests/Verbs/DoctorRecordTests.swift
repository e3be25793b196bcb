import EncryptedFiles
import Foundation
import SecretService
import SharedAuthRecords
import TestSupport
import Testing

@testable import SharedAuth
@testable import SharedAuthTool

/// Tests what doctor says about the records of an app, on stores that no keyring is.
struct DoctorRecordTests {
    private let memory = InMemoryRecordStore()
    private let group = "group.example.one"

    private func findings(
        on store: any RecordStore,
        as machine: MachineName? = .current,
        _ check: (inout Examination, AppInspection) -> Void
    ) throws -> [Finding] {
        var options = AuthApp.Options(appID: "com.example.Mail", stateDirectory: TestDirectory.newPath())
        options.machine = machine
        var examination = Examination(options)
        let identity = try AppIdentity(appID: "com.example.Mail", teamID: nil, accessGroups: [])
        check(&examination, try AppInspection(identity, options, store: store))
        return examination.findings
    }

    private func put(_ uid: String, issued date: Date, in slot: Slot) throws {
        let slots = UserSlots(store: memory, appID: "com.example.Mail", project: "default", instance: "default")
        let account = Account(
            profile: UserProfile(uid: uid),
            tokens: UserTokens.scripted(uid, "1").issued(at: date),
            project: "default",
            issuer: nil
        )
        _ = try slots.update(slot, by: .patient) { .store($0.record.signingIn(account)) }
    }

    @Test("Doctor names the users whose tokens are from the future")
    func dates() throws {
        try put("ada", issued: Date() + 3600, in: .group(group))
        try put("bob", issued: Date(), in: .own)
        let findings = try findings(on: memory) { $0.checkDates(of: $1, in: group) }
        #expect(findings.map(\.check) == ["dates"] && findings.map(\.verdict) == [.warning])
        #expect(findings.first?.message.contains("ada") == true)
        #expect(findings.first?.message.contains(group) == true)
        #expect(findings.first?.remedy?.contains("clock") == true)
    }

    @Test("Doctor names the users who must sign in again, and refreshes that were refused")
    func sessions() throws {
        let slots = UserSlots(store: memory, appID: "com.example.Mail", project: "default", instance: "default")
        for (uid, isAfterExpiry, slot) in [("ada", true, Slot.group(group)), ("bob", false, .own)] {
            let error = AuthError(.requiresRecentLogin, "The provider says a_new_word.", remedy: "Sign in again.")
            var tokens = UserTokens.scripted(uid, "1")
            tokens = tokens.noting(
                RefusedRefresh(of: .session, at: Date(), tokens, isAfterExpiry: isAfterExpiry, error)
            )
            let account = Account(profile: UserProfile(uid: uid), tokens: tokens, project: "default", issuer: nil)
            _ = try slots.update(slot, by: .patient) { .store($0.record.signingIn(account)) }
        }
        let findings = try findings(on: memory) { $0.checkSessions(of: $1, in: group) }
        #expect(findings.map(\.check) == ["session", "session"])
        #expect(findings.map(\.verdict) == [.warning, .bad])
        #expect(findings.allSatisfy { $0.message.contains("a_new_word") && $0.remedy == "Sign in again." })
        #expect(findings.first?.message.contains("bob") == true && findings.last?.message.contains("ada") == true)
    }

    @Test("Doctor warns of a record that another machine has written last")
    func machine() throws {
        let directory = TestDirectory.newPath()
        let store = EncryptedFileRecordStore(directory: directory, key: .passphrase(Secret("pass"), cost: 10))
        func put(_ uid: String, on machine: UInt8) throws {
            let slots = UserSlots(
                store: store,
                appID: "com.example.Mail",
                project: "default",
                instance: "default",
                machine: MachineName(of: [machine])
            )
            let account = Account(
                profile: UserProfile(uid: uid),
                tokens: UserTokens.scripted(uid, "1"),
                project: "default",
                issuer: nil
            )
            _ = try slots.update(.own, by: .patient) { .store($0.record.signingIn(account)) }
        }
        func check() throws -> [Finding] {
            try findings(on: store, as: MachineName(of: [1])) { $0.checkMachine(of: $1, in: group) }
        }
        try put("ada", on: 1)
        #expect(try check().isEmpty)
        try put("ada", on: 2)
        let found = try check()
        #expect(found.map(\.check) == ["machine"] && found.map(\.verdict) == [.warning])
        #expect(found.first?.message.contains("another machine has written") == true)
        try put("ada", on: 1)
        #expect(try check().isEmpty)
    }

    @Test("Doctor says that it cannot list the records that were set aside")
    func setAside() throws {
        let findings = try findings(on: UnlistedStore()) { $0.checkSetAside(of: $1, in: group) }
        #expect(findings.map(\.check) == ["aside", "aside"])
        #expect(findings.allSatisfy { $0.verdict == .warning && $0.message.contains("cannot be listed") })
        #expect(findings.last?.message.contains(group) == true)
    }
}

/// A store that can be read and not listed.
private final class UnlistedStore: ForwardingRecordStore, RecordListing {
    let base = InMemoryRecordStore()

    private static var unreadable: RecordStoreError { RecordStoreError(.failed, "The directory cannot be read.") }

    var listsKinds: Bool { true }

    func kinds(
        beginningWith prefix: String,
        like key: RecordKey,
        by deadline: Deadline
    ) throws(RecordStoreError) -> Set<String> { throw Self.unreadable }

    func records(
        ofProject project: String,
        instance: String?,
        kind: String,
        by deadline: Deadline
    ) throws(RecordStoreError) -> [ListedRecord] { throw Self.unreadable }

    func setAsideRecords(of key: RecordKey, by deadline: Deadline) throws(RecordStoreError) -> [SetAsideRecord] {
        throw Self.unreadable
    }

    func discardSetAside(of keys: [RecordKey], by deadline: Deadline) throws(RecordStoreError) {
        throw Self.unreadable
    }
}
