import EncryptedFiles
import LocalIdentity
import SecretService
import SharedAuth

// The code of the article "Without a Keyring", and of the landing pages of LocalIdentity and SecretService.

enum StoreExamples {
    static func encryptedFiles() {
        // example
        let options = AuthApp.Options(
            appID: "com.example.Report",
            store: .encryptedFiles(key: .keyFile("/home/me/.config/office/key"))
        )
        // end of example
        _ = options
    }

    static func memory() {
        // example
        let options = AuthApp.Options(appID: "com.example.Report", store: .inMemory())
        // end of example
        _ = options
    }

    static func localIdentity() {
        // example
        let options = AuthApp.Options(appID: "com.example.Mail", identityProvider: .local)
        // end of example
        _ = options
    }

    static func secretService() throws {
        // example
        let service = SecretService()
        let item = try service.defaultCollection().createItem(
            label: "Example",
            attributes: ["application": "com.example.Mail", "account": "ana"],
            secret: Secret("correct horse")
        )
        for found in try service.items(matching: ["application": "com.example.Mail"]).unlocked {
            print(try found.label())
        }
        try item.delete()
        // end of example
    }
}
