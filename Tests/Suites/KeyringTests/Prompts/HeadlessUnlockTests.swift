import SecretService
import TestSupport
import Testing

extension OnEveryDaemon {
    /// Tests a program without a display that requests an unlock of GNOME Keyring while another program's dialog is
    /// open. A prompt dismissed at that time would end the daemon, and with it the secrets of the whole desktop.
    struct HeadlessUnlockTests {
        @Test(
            "GNOME Keyring survives a headless unlock while a dialog is open",
            arguments: OrdinaryUser.Packaging.allCases
        )
        func outlives(_ packaging: OrdinaryUser.Packaging) async throws {
            let user = try OrdinaryUser()
            defer { user.keyring.shutdown() }
            try requirePossible(packaging, for: user)
            let person = try Person(at: user.keyring)
            try user.startDaemon(packaging, unlocked: true)
            try user.killDaemon()
            try user.startDaemon(packaging, unlocked: false)
            let daemon = try user.keyring.makeService().daemon()
            let tool = try BuiltProducts.executable("sharedauth")
            let asked = Recorder<ChildProcess>()
            try await person.typesLate([PrivateKeyring.password]) {
                // The prompter uses another display; the tool only checks that `DISPLAY` is set.
                let unlocking = ["env", "DISPLAY=:0", tool, "unlock", "--app-id", "com.example.Mail"]
                asked.record(try user.start(unlocking))
                try person.seesPrompt()
                let headless = try user.run([tool, "unlock", "--app-id", "com.example.Cron"])
                #expect(headless.status == 77, "\(headless.standardError)")
                #expect(headless.standardError.contains("there is no display"))
            }
            // The user's answer reaches the daemon that prompted.
            #expect(asked.takeAll().first?.wait() == 0)
            #expect(try user.keyring.makeService().daemon() == daemon)
        }

        private func requirePossible(_ packaging: OrdinaryUser.Packaging, for user: OrdinaryUser) throws {
            guard let obstacle = try user.obstacle(to: packaging) else { return }
            let title = Test.current?.displayName ?? ""
            print("Test \"\(title)\" is not run on \(packaging): \(obstacle).")
            try Test.cancel("\(obstacle)")
        }
    }
}
