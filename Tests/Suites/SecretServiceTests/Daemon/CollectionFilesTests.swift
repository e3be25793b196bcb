import Testing

@testable import SecretService

struct CollectionFilesTests {
    @Test("The files that a daemon has not loaded are told by the paths of its collections")
    func files() {
        let names = [
            "login.keyring", "Default keyring.keyring", "work.keyring", "login.keyring.old", "default", "user.keystore",
        ]
        let path = "/org/freedesktop/secrets/collection"
        let files = CollectionFiles(
            directory: "/data",
            names: names,
            suffix: ".keyring",
            paths: ["\(path)/login", "\(path)/Default_20keyring", "\(path)/session"]
        )
        #expect(files.unloaded == ["work.keyring"] && files.others == ["login.keyring.old"])
        #expect(files.unused == ["/data/work.keyring", "/data/login.keyring.old"])
    }
}
