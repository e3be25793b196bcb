import BrowserFlow
import Foundation
import OpenIDConnect
import SharedAuth
import TestSupport
import Testing

extension AtForeignServers {
    struct ChromiumTests {
        static let isInstalled = FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")

        @Test("A user signs in on the page in Chromium and then sees the app's own page")
        func fillsIn() async throws {
            guard Self.isInstalled else {
                print("Test \"\(Test.current?.displayName ?? "")\" is not run: chromium-driver is not installed.")
                try Test.cancel("chromium-driver is not installed")
            }
            let identityProvider = OpenIDConnect(try Foreign.nanoidp.client())
            let auth = try makeApp(identityProvider)
            let picture = ProcessInfo.processInfo.environment["FOREIGN_LOGS"].map { "\($0)/page" } ?? ""
            var settings = BrowserSettings()
            settings.redirectPath = "/callback"
            settings.page = BrowserPage(title: "Signed in to Mail", message: "Go back to the app.")
            settings.opener = BrowserOpener { url throws(BrowserFlowError) in
                do {
                    let title = try await PersonProgram.act("browser", url.absoluteString, picture)
                    #expect(title.contains("Signed in to Mail"))
                } catch {
                    throw BrowserFlowError(.browserNotOpened, "\(error)")
                }
            }
            let user = try await auth.signIn(with: OpenIDSignIn(identityProvider, browser: settings).credential()).user
            #expect(user.email == "test@example.org")
        }
    }
}
