import ArgumentParser

/// The programs that are measured, as `Tests/Benchmarks/run` built them.
struct Programs: ParsableArguments {
    @Option(help: "The program that uses libsecret.")
    var libsecret: String

    @Option(help: "The tool sharedauth, with the standard library inside.")
    var tool: String

    @Option(help: "The smallest app, linked to the toolchain's dynamic libraries.")
    var app: String

    @Option(help: "The smallest app, with the standard library inside.")
    var staticApp: String

    @Option(help: "A Python that has SecretStorage, keyring and msal-extensions.")
    var python: String?

    @Option(help: "The Python program that uses them.")
    var pythonPeers = "Tests/Benchmarks/Peers/peers.py"
}
