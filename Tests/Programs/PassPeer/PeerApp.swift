internal import Dispatch
internal import FoundationEssentials
internal import Glibc
internal import PassAuth
internal import SecretService
internal import SharedAuth
internal import Synchronization
internal import TestSupport

/// The app of this process: its token store, and the commands that it runs.
final class PeerApp: Sendable {
    let requestor: RequestorConfiguration
    let store: PassTokenStore
    let deviceIDs: StoredDeviceIDs
    let clients: StoredClients
    let tap = DeathTap()
    private let users: PassUserStore
    private let auth = Mutex<Auth?>(nil)
    private let flows = Mutex<PeerFlows?>(nil)

    init(_ arguments: Arguments) throws {
        var configuration = SecretService.Configuration(busAddress: .address(arguments.busAddress))
        configuration.timeout = .seconds(20)
        configuration.interceptor = tap.interceptor
        let keyring = SecretServiceRecordStore(SecretService(configuration))
        deviceIDs = StoredDeviceIDs(in: keyring, project: arguments.project, timeout: .seconds(20))
        clients = StoredClients(
            appID: arguments.appID,
            in: keyring,
            project: arguments.project,
            timeout: .seconds(20)
        )
        let machine =
            try MachineID.find(in: [arguments.machineIDFile]) ?? MachineID(standIn: deviceIDs.machineStandIn())
        let device: DeviceIdentity =
            switch arguments.device {
            case .vendor: .vendor(of: try AppIdentity(appID: arguments.appID), on: machine)
            case .machine: .machine(machine)
            case .advertising: .advertising(try deviceIDs.advertisingID())
            case .custom: try .custom(arguments.appID)
            }
        requestor = arguments.requestor
        users = PassUserStore(
            of: requestor,
            appID: arguments.appID,
            in: keyring,
            device: device,
            options: .init(
                generation: arguments.generation,
                mismatchPolicy: arguments.policy,
                project: arguments.project,
                timeout: .seconds(20)
            )
        )
        store = users.tokens(in: try arguments.group.map { try AccessGroup($0) })
    }

    func obey(_ verb: String, _ words: [String]) -> String {
        do {
            return try carryOut(verb, words)
        } catch let error as PassStoreError {
            return "failed \(error.code.rawValue)"
        } catch {
            return "failed \(error)"
        }
    }

    private func carryOut(_ verb: String, _ words: [String]) throws -> String {
        switch (verb, words.count) {
        case ("open", 0):
            let report = try store.configure(requestor)
            let extra =
                (report.hasImported ? " imported" : "") + (report.foreignTokens > 0 ? " foreign" : "")
                + report.passiveMVPDs.map { " passive \($0)" }.joined()
            return describe(report.session) + extra
        case ("status", 0):
            return describe(try store.session(of: requestor))
        case ("sign-in", 2):
            return describe(try store.signIn(token(words[0], words[1]), for: requestor))
        case ("log-out", 0):
            try store.logOut()
            return "done"
        case ("authorize", 2):
            return try authorize(words[0], words[1])
        case ("authorizations", 0):
            return "\(try store.session(of: requestor).map(store.cache)?.authorizationCount ?? 0)"
        case ("reset-advertising-id", 0):
            try deviceIDs.resetAdvertisingID()
            return "done"
        case ("die-after", 1):
            tap.die(after: Int(words[0]) ?? 0)
            return "done"
        case ("use-auth", 0):
            return try useAuth()
        case ("sign-out", 0):
            try auth.withLock { $0 }?.signOut()
            return "done"
        case ("flows", 2):
            let flows = try PeerFlows(self, at: words[0], person: words[1], following: users)
            self.flows.withLock { $0 = flows }
            return "done"
        case ("sign-in-with", 1):
            flows.withLock { $0 }?.signIn(with: words[0])
            return "done"
        case ("came-to", 1):
            flows.withLock { $0 }?.come(to: words[0])
            return "done"
        case ("watch", 1):
            flows.withLock { $0 }?.watch(words[0])
            return "done"
        case ("listen", 0):
            let states = try store.states(of: requestor)
            Task {
                for await state in states { LineOutput.write("! \(self.describe(state))") }
            }
            return "done"
        default:
            return "failed unknown"
        }
    }

    /// Creates an `Auth` that shows the store's sessions as users, and reports each user that it announces.
    private func useAuth() throws -> String {
        let options = AuthApp.Options(
            appID: store.appID,
            store: .custom(users),
            listenerExecutor: .dispatchQueue(DispatchQueue(label: "announcements")),
            timeout: .seconds(20)
        )
        let auth = Auth.auth(app: try AuthApp.configure(options))
        try auth.useUserAccessGroup(store.group?.name)
        _ = auth.addStateDidChangeListener { _, user in LineOutput.write("! user \(user?.uid ?? "-")") }
        self.auth.withLock { $0 = auth }
        return "done"
    }

    /// Stores this many authorizations, each in a separate write.
    private func authorize(_ resource: String, _ count: String) throws -> String {
        guard let session = try store.session(of: requestor) else { return "out" }
        for number in 0..<(Int(count) ?? 0) {
            let token = try AuthorizationToken(
                requestor: requestor.id,
                resource: "\(resource)\(number)",
                mvpd: session.token.mvpd,
                expires: Date() + 600,
                fingerprint: store.device.fingerprint
            )
            try store.updateCache(of: session) { $0.keep(token) }
        }
        return "done"
    }

    private func token(_ user: String, _ mvpd: String) throws -> AuthenticationToken {
        try AuthenticationToken(
            userID: user,
            requestor: requestor.id,
            domain: "example.com",
            mvpd: mvpd,
            expires: Date() + 3600,
            fingerprint: store.device.fingerprint
        )
    }

    private func describe(_ session: PassSession?) -> String {
        session.map { "in \($0.token.userID) \($0.token.mvpd)" } ?? "out"
    }

    private func describe(_ state: PassSessionState) -> String {
        switch state {
        case .signedIn(let session): describe(session)
        case .signedOut: "out"
        case .failed(let error): "failed \(error.code.rawValue)"
        }
    }
}

/// Kills the process before a write that a command has chosen.
final class DeathTap: Sendable {
    private let remaining = Mutex<Int?>(nil)

    /// Sets how many more writes succeed before the process dies.
    func die(after writes: Int) { remaining.withLock { $0 = writes } }

    var interceptor: CallInterceptor {
        CallInterceptor { [self] call, _ in
            guard ["CreateItem", "Delete"].contains(call.member) else { return nil }
            let isTime = remaining.withLock { remaining in
                guard let left = remaining else { return false }
                remaining = left - 1
                return left == 0
            }
            if isTime { raise(SIGKILL) }
            return nil
        }
    }
}
