internal import FoundationEssentials

/// A TV provider (MVPD) of the script: what people call it, and what it does.
struct Provider: Sendable, Identifiable {
    /// Why a TV provider is out of order, and what counts meanwhile.
    enum Degradation: String, Sendable, CaseIterable {
        /// Everyone counts as signed in and permitted.
        case authenticatesAll = "AuthN-All"
        /// Everyone who is signed in may watch everything.
        case authorizesAll = "AuthZ-All"
        /// Nobody may watch anything.
        case authorizesNone = "AuthZ-None"
    }

    /// The resources that a person may watch.
    enum Permission: Sendable {
        case everything
        /// The resources in the line-up; the rest is refused with these words.
        case lineUp(Set<String>, else: String)
        /// Nothing, with these words.
        case nothing(String)
    }

    /// A pass that needs no account, and what it is good for.
    struct TemporaryPass: Sendable {
        /// The number of resources that it is good for; nil: any number.
        var resourceLimit: Int?
        /// Whether it needs to know who the person is: a promotion.
        var needsIdentity = false
    }

    let id: String
    let displayName: String
    /// Its purpose, in a word or two for the page of the server.
    let purpose: String
    /// Whether a sign-in counts for the programmer alone that it was made for (`authPerAggregator`).
    var isPerRequestor = false
    /// Whether it signs a person in without asking, once another programmer has (`passiveAuthnEnabled`).
    var isPassive = false
    var temporaryPass: TemporaryPass?
    /// Whether its login page is for a secure browser alone.
    var demandsSecureBrowser = false
    var hasLogOutPage = true
    var degradation: Degradation?
    var permission = Permission.everything
    /// The number of resources that one preauthorization may ask for; nil: any number.
    var preauthorizationLimit: Int?
    /// The names of the metadata that only the programmer's private key can read.
    var encryptedMetadata: Set<String> = []
}

extension Provider {
    /// The script: one for each thing that a client has to get right.
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
            purpose: "one sign-in for each programmer, the later ones without asking",
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
            purpose: "a temporary pass for two programmes, which asks who the person is",
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
            purpose: "answers for five resources at once",
            preauthorizationLimit: 5
        ),
        Provider(
            id: "LineUp",
            displayName: "Grove Satellite",
            purpose: "permits what is in its line-up",
            permission: .lineUp(
                ["news-live", "kids-live"],
                else: "This channel is not in the line-up of Grove Satellite."
            )
        ),
        Provider(
            id: "NoLogOut",
            displayName: "Hazel Home TV",
            purpose: "has no page to log out at",
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
            purpose: "out of order: everyone is signed in",
            degradation: .authenticatesAll
        ),
        Provider(
            id: "AuthZAll",
            displayName: "Kelp Networks",
            purpose: "out of order: whoever is signed in may watch everything",
            degradation: .authorizesAll
        ),
        Provider(
            id: "AuthZNone",
            displayName: "Larch Television",
            purpose: "out of order: nobody may watch anything",
            degradation: .authorizesNone
        ),
        Provider(
            id: "Encrypted",
            displayName: "Maple Mobile",
            purpose: "encrypts what it says of a person's zip code and household",
            encryptedMetadata: ["zip", "householdID"]
        ),
    ]

    /// Which colour its pages have, from 0 to 360.
    var hue: Int { id.utf8.reduce(200) { ($0 * 31 + Int($1)) % 360 } }

    /// Why a person may not watch a resource, in the TV provider's words; nil if they may.
    func refusal(of resource: String) -> String? {
        switch permission {
        case .everything: nil
        case .lineUp(let resources, let words): resources.contains(resource) ? nil : words
        case .nothing(let words): words
        }
    }
}

/// A programmer (service provider) of the script.
struct Programmer: Sendable, Identifiable {
    let id: String
    let name: String
    /// Its domains; a sign-in for any other is refused.
    var domains: [String]
    /// TV providers that it does not work with at present.
    var disabled: Set<String> = []
    /// The public key that its metadata is encrypted with; nil: what is to be encrypted is left out.
    var metadataKey: MetadataEncryptionKey?

    /// The script's.
    static let all = [
        Programmer(id: "ExampleNews", name: "Example News", domains: ["news.example.com"]),
        Programmer(id: "ExampleSport", name: "Example Sport", domains: ["sport.example.com"]),
    ]
}
