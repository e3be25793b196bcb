import SharedAuth
import TestSupport
import Testing

/// Tests the tool in a sandbox like Flatpak's.
struct SandboxedToolTests {
    static let appID = "org.example.Flat"

    @Test("With both permissions, everything works under the Flatpak's ID")
    func bothPermissions() throws {
        let keyring = try PrivateKeyring()
        let rules = ["--talk=org.freedesktop.secrets", "--own=org.sharedauth.*"]
        let inside = try FlatpakSandbox(Self.appID, rules: rules, around: keyring)
        let signedIn = try inside("sign-in", "--anonymous", "--json")
        #expect(signedIn.status == 0, "\(signedIn.standardError)")
        #expect(try signedIn.json["appID"] == .string(Self.appID))
        // An app outside of the sandbox sees the same user.
        let outside = try keyring.run(
            BuiltProducts.executable("sharedauth"),
            ["status", "--json", "--app-id", Self.appID]
        )
        #expect(try outside.uid != nil)
        #expect(try outside.uid == signedIn.uid)
        let doctor = try Diagnosis(inside("doctor", "--json"))
        #expect(doctor.status == 0)
        #expect(doctor.verdicts.values.allSatisfy { $0 != "bad" })
        #expect(doctor.verdicts["turns"] == "good")
        #expect(doctor.verdicts["signals"] == "good")
        #expect(doctor["sandbox"]?.message.contains(Self.appID) == true)
        keyring.shutdown()
    }

    @Test("Without the permission to talk, the error names it")
    func mayNotTalk() throws {
        let keyring = try PrivateKeyring()
        let inside = try FlatpakSandbox(Self.appID, rules: ["--own=org.sharedauth.*"], around: keyring)
        let permission = "--talk-name=org.freedesktop.secrets"
        for verb in [["status"], ["sign-in", "--anonymous"], ["stored-user", "--own"]] {
            let result = try verb.count == 1 ? inside(verb[0]) : inside(verb[0], verb[1])
            #expect(result.status == 69)
            #expect(result.hasOneLineOfComplaint)
            #expect(result.standardError.contains(permission), "\(result.standardError)")
        }
        let doctor = try Diagnosis(inside("doctor", "--json"))
        #expect(doctor.status == 69)
        #expect(doctor.verdicts["bus"] == "good")
        #expect(doctor.verdicts["provider"] == "bad")
        #expect(doctor["provider"]?.remedy?.contains(permission) == true)
        keyring.shutdown()
    }

    @Test("Without the permission to own names, everything works and doctor reports it")
    func mayNotOwnNames()
        throws
    {
        let keyring = try PrivateKeyring()
        let inside = try FlatpakSandbox(Self.appID, rules: ["--talk=org.freedesktop.secrets"], around: keyring)
        let signedIn = try inside("sign-in", "--anonymous", "--json")
        #expect(signedIn.status == 0, "\(signedIn.standardError)")
        #expect(try inside("status", "--json").uid == signedIn.uid)
        let doctor = try Diagnosis(inside("doctor", "--json"))
        #expect(doctor.status == 0)
        #expect(doctor.verdicts["probe"] == "good")
        #expect(doctor.verdicts["turns"] == "warning")
        #expect(doctor["turns"]?.remedy?.contains("--own-name=org.sharedauth.*") == true)
        keyring.shutdown()
    }
}
