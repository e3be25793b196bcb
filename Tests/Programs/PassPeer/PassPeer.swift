internal import PassAuth
internal import TestSupport

/// One app's process, for tests. It runs the commands from its standard input, one per line, and answers each with one
/// line that begins with the command's verb. Lines that begin with `!` are notifications.
@main
struct PassPeer {
    static func main() async throws {
        guard let arguments = Arguments(CommandLine.arguments) else {
            print(Arguments.usage)
            return
        }
        let app = try PeerApp(arguments)
        while let line = readLine(), line != "quit" {
            let words = line.split(separator: " ").map(String.init)
            guard let verb = words.first else { continue }
            let answer = app.obey(verb, Array(words.dropFirst()))
            LineOutput.write("\(verb) \(answer)")
        }
    }
}

/// The command-line arguments of a peer.
struct Arguments {
    static let usage = """
        usage: PassPeer APP-ID GROUP PROJECT BUS-ADDRESS MACHINE-ID-FILE GENERATION POLICY DEVICE REQUESTOR:MVPD,…
        GROUP - is none. GENERATION, POLICY and DEVICE are named as in the library. An MVPD that ends with * wants a token
        for each requestor, one that ends with ! shares none.
        """

    let appID: String
    let group: String?
    let project: String
    let busAddress: String
    let machineIDFile: String
    let generation: StorageGeneration
    let policy: DeviceMismatchPolicy
    let device: DeviceIdentity.Kind
    let requestor: RequestorConfiguration

    init?(_ words: [String]) {
        guard words.count == 10, let generation = StorageGeneration.allCases.first(where: { "\($0)" == words[6] }),
            let policy = DeviceMismatchPolicy.allCases.first(where: { "\($0)" == words[7] }),
            let device = DeviceIdentity.Kind.allCases.first(where: { "\($0)" == words[8] })
        else { return nil }
        (appID, group, project) = (words[1], words[2] == "-" ? nil : words[2], words[3])
        (busAddress, machineIDFile) = (words[4], words[5])
        (self.generation, self.policy, self.device) = (generation, policy, device)
        let parts = words[9].split(separator: ":")
        guard parts.count == 2 else { return nil }
        requestor = RequestorConfiguration(
            id: String(parts[0]),
            integrations: parts[1].split(separator: ",").map { text in
                MVPDIntegration(
                    mvpd: String(text.filter { !"*!".contains($0) }),
                    isPerRequestor: text.hasSuffix("*"),
                    isPassive: text.hasSuffix("*"),
                    allowsSingleSignOn: !text.hasSuffix("!")
                )
            }
        )
    }
}
