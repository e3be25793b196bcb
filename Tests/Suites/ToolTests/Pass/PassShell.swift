import FoundationEssentials
import PassAuth
import SecretService
import SharedAuth
import TestSupport

/// Runs `sharedauth pass` for one app of an access group, with a known machine ID.
struct PassShell {
    static let group = "group.com.example.tv"
    static let machineID = "00112233445566778899aabbccddeeff"
    static let expires = "2100-01-01T00:00:00Z"

    let shell: Shell
    let machineIDFile: String

    init(_ appID: String = "com.example.tv.One", in keyring: PrivateKeyring? = nil) throws {
        shell = try Shell(appID, in: keyring)
        machineIDFile = "\(shell.keyring.directory)/machine-id-\(shell.project)"
        try Data("\(Self.machineID)\n".utf8).write(to: URL(filePath: machineIDFile))
    }

    /// The options that identify the app and the store of its tokens.
    var options: [String] { shell.identity + ["--group", Self.group, "--machine-id-file", machineIDFile] }

    /// The device that the app's tokens are bound to.
    var device: DeviceIdentity {
        get throws {
            let machine = MachineID.find(in: [machineIDFile]) ?? MachineID(standIn: UUID())
            return .vendor(of: try AppIdentity(appID: shell.appID), on: machine)
        }
    }

    /// Runs a verb and waits until it exits.
    func callAsFunction(_ arguments: String..., input: String = "") throws -> ProcessResult {
        try run(arguments, input: input)
    }

    func run(_ arguments: [String], input: String = "") throws -> ProcessResult {
        try shell.keyring.run(BuiltProducts.executable("sharedauth"), ["pass"] + arguments + options, input: input)
    }

    /// Returns a token as a server sends it.
    func token(
        of user: String = "somebody",
        for requestor: String = "R1",
        from mvpd: String = "M1",
        until expires: String = Self.expires,
        on device: DeviceIdentity? = nil,
        signedWith key: TokenSigningKey? = nil
    ) throws -> String {
        try AuthenticationToken(
            userID: user,
            requestor: requestor,
            domain: "example.com",
            mvpd: mvpd,
            expires: try Date(expires, strategy: .iso8601),
            fingerprint: (device ?? self.device).fingerprint,
            signedWith: key
        ).serialized
    }

    /// Returns the app's token store through the library.
    func store(for device: DeviceIdentity? = nil) throws -> PassTokenStore {
        PassTokenStore(
            appID: shell.appID,
            group: try AccessGroup(Self.group),
            in: shell.keyring.makeStore(),
            device: try device ?? self.device,
            options: .init(project: shell.project, timeout: .seconds(20))
        )
    }

    /// Stores authorizations, as an app does when it plays a resource.
    func authorize(_ resources: String..., for requestor: String = "R1", from mvpd: String = "M1") throws {
        let store = try store()
        let configuration = RequestorConfiguration(id: requestor, integrations: [MVPDIntegration(mvpd: mvpd)])
        guard let session = try store.session(of: configuration) else { return }
        for resource in resources {
            let token = try AuthorizationToken(
                requestor: requestor,
                resource: resource,
                mvpd: mvpd,
                expires: try Date(Self.expires, strategy: .iso8601),
                fingerprint: store.device.fingerprint
            )
            try store.updateCache(of: session) { $0.keep(token) }
        }
    }

    /// Returns the records of the project by their kind.
    func records() throws -> [String: SecretItem] {
        let service = shell.keyring.makeService()
        var records: [String: SecretItem] = [:]
        for item in try service.items(matching: ["sharedauth-project": shell.project]).unlocked {
            records[try item.attributes()["sharedauth-kind"] ?? ""] = item
        }
        return records
    }

    /// Replaces the content of all records of the project, except those of these kinds.
    func replaceRecords(with text: String, except kinds: some Collection<String> = []) throws {
        for (kind, item) in try records() where !kinds.contains(kind) { try item.setSecret(Secret(text)) }
    }
}
