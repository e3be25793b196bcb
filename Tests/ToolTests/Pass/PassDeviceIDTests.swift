import PassAuth
import SharedAuth
import TestSupport
import Testing

struct PassDeviceIDTests {
    @Test func `it prints the fingerprint that tokens carry, and what it comes from`() throws {
        let pass = try PassShell()
        let fingerprint = try pass.device.fingerprint
        #expect(
            try pass("device-id").standardOutput == """
                app id        com.example.tv.One
                access group  group.com.example.tv
                kind          vendor
                fingerprint   \(fingerprint)
                comes from    \(pass.machineIDFile)

                """
        )
        let machine = try pass("device-id", "--device", "machine", "--json").json
        #expect(machine["kind"] == .string("machine"))
        #expect(machine["fingerprint"]?.string?.count == 64)
        #expect(machine["fingerprint"] != .string(fingerprint))
    }

    @Test func `on a machine without an id it warns, and keeps the one it made`() throws {
        let pass = try PassShell()
        let nowhere = ["pass", "device-id", "--json", "--machine-id-file", "/nonexistent"] + pass.shell.identity
        let first = try pass.shell.bare(nowhere).json
        #expect(first["warning"]?.string?.contains("no machine id") == true)
        #expect(try pass.shell.bare(nowhere).json == first)
        _ = try pass("clear")
        #expect(try pass.shell.bare(nowhere).json == first)
        #expect(try pass("device-id", "--json").json["warning"] == nil)
    }

    @Test func `the advertising id is the same for every app of the project`() throws {
        let pass = try PassShell()
        let first = try pass("device-id", "--device", "advertising", "--json").json["fingerprint"]
        let other = pass.shell.app("org.example.Other")
        let second = try other("pass", "device-id", "--device", "advertising", "--json").json["fingerprint"]
        #expect(first == second)
        #expect(first?.string?.count == 64)
    }
}
