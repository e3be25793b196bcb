internal import FoundationEssentials

/// An invented TV provider (MVPD): its names and its behaviour.
struct Provider: Sendable, Identifiable {
    /// The rule that applies while a TV provider is out of order.
    enum Degradation: String, Sendable, CaseIterable {
        /// Every user counts as signed in and may watch everything.
        case authenticatesAll = "AuthN-All"
        /// Every signed-in user may watch everything.
        case authorizesAll = "AuthZ-All"
        /// No user may watch anything.
        case authorizesNone = "AuthZ-None"
    }

    /// The resources that a user may watch.
    enum Permission: Sendable {
        case everything
        /// Only the resources in the line-up; others are refused with this text.
        case lineUp(Set<String>, else: String)
        /// Nothing; everything is refused with this text.
        case nothing(String)
    }

    /// A pass that needs no account.
    struct TemporaryPass: Sendable {
        /// The number of resources that the pass covers; nil for any number.
        var resourceLimit: Int?
        /// True for a promotional pass, which requires the user's identity.
        var needsIdentity = false
    }

    let id: String
    let displayName: String
    /// The purpose of the TV provider, for the server's first page.
    let purpose: String
    /// True if a sign-in counts only for the programmer that it was made for (`authPerAggregator`).
    var isPerRequestor = false
    /// True if a sign-in with one programmer signs the user in with others without a page (`passiveAuthnEnabled`).
    var isPassive = false
    var temporaryPass: TemporaryPass?
    /// True if the login page requires a secure browser.
    var demandsSecureBrowser = false
    var hasLogOutPage = true
    var degradation: Degradation?
    var permission = Permission.everything
    /// The maximum number of resources in a preauthorization; nil for any number.
    var preauthorizationLimit: Int?
    /// The names of the metadata that is encrypted with the programmer's public key.
    var encryptedMetadata: Set<String> = []
}

extension Provider {
    /// The TV providers: one for each behaviour that a client must handle.
    static let all = [
        Provider(id: "Cable", displayName: "Aurora Cable", purpose: "the plain case"),
        Provider(
            id: "PerProgrammer",
            displayName: "Birch Broadband",
            purpose: "one sign-in for each programmer",
            isPerRequestor: true
        ),
        Provider(
            id: "Passive",
            displayName: "Cedar Connect",
            purpose: "one sign-in for each programmer; after the first, no page",
            isPerRequestor: true,
            isPassive: true
        ),
        Provider(
            id: "DayPass",
            displayName: "Day Pass",
            purpose: "a temporary pass",
            isPerRequestor: true,
            temporaryPass: TemporaryPass(),
            hasLogOutPage: false
        ),
        Provider(
            id: "PromoPass",
            displayName: "Promotion Pass",
            purpose: "a temporary pass for two programmes that requires the user's identity",
            isPerRequestor: true,
            temporaryPass: TemporaryPass(resourceLimit: 2, needsIdentity: true),
            hasLogOutPage: false
        ),
        Provider(
            id: "Refusing",
            displayName: "Elm Economy",
            purpose: "refuses everything, and says why",
            permission: .nothing("Your package does not include this channel. Ask Elm Economy for a larger one.")
        ),
        Provider(
            id: "ForkJoin",
            displayName: "Fir Fibre",
            purpose: "decides about at most five resources per request",
            preauthorizationLimit: 5
        ),
        Provider(
            id: "LineUp",
            displayName: "Grove Satellite",
            purpose: "permits the channels in its line-up",
            permission: .lineUp(
                ["news-live", "kids-live"],
                else: "This channel is not in the line-up of Grove Satellite."
            )
        ),
        Provider(
            id: "NoLogOut",
            displayName: "Hazel Home TV",
            purpose: "has no log-out page",
            hasLogOutPage: false
        ),
        Provider(
            id: "SecureBrowser",
            displayName: "Ivy Internet",
            purpose: "demands a secure browser",
            demandsSecureBrowser: true
        ),
        Provider(
            id: "AuthNAll",
            displayName: "Juniper Media",
            purpose: "out of order: every user counts as signed in",
            degradation: .authenticatesAll
        ),
        Provider(
            id: "AuthZAll",
            displayName: "Kelp Networks",
            purpose: "out of order: every signed-in user may watch everything",
            degradation: .authorizesAll
        ),
        Provider(
            id: "AuthZNone",
            displayName: "Larch Television",
            purpose: "out of order: no user may watch anything",
            degradation: .authorizesNone
        ),
        Provider(
            id: "Encrypted",
            displayName: "Maple Mobile",
            purpose: "encrypts the user's zip code and household",
            encryptedMetadata: ["zip", "householdID"]
        ),
    ]

    /// The hue of its pages, from 0 to 360.
    var hue: Int { id.utf8.reduce(200) { ($0 * 31 + Int($1)) % 360 } }

    /// Returns the TV provider's text if the user may not watch a resource; otherwise nil.
    func refusal(of resource: String) -> String? {
        switch permission {
        case .everything: nil
        case .lineUp(let resources, let words): resources.contains(resource) ? nil : words
        case .nothing(let words): words
        }
    }
}

/// An invented programmer (service provider).
struct Programmer: Sendable, Identifiable {
    let id: String
    let name: String
    /// The domains of the programmer. A sign-in for any other domain is refused.
    var domains: [String]
    /// The TV providers that the programmer does not work with at present.
    var disabled: Set<String> = []
    /// The public key for encrypted metadata. If nil, metadata that must be encrypted is left out.
    var metadataKey: MetadataEncryptionKey?

    /// All programmers.
    static let all = [
        Programmer(id: "ExampleNews", name: "Example News", domains: ["news.example.com"]),
        Programmer(id: "ExampleSport", name: "Example Sport", domains: ["sport.example.com"]),
    ]
}
