internal import FoundationEssentials

/// That a person is signed in with a TV provider, on a device, for an instance of an app and a programmer.
struct Profile: Sendable {
    /// The kind of sign-in, by its name in answers.
    enum Kind: String, Sendable {
        case regular
        case temporary
        case degraded
        case serviceToken = "serviceTokenSSO"
    }

    let requestor: String
    let mvpd: String
    let caller: Caller
    /// The person who signed in: an opaque id.
    let user: String
    let domain: String
    var kind: Kind
    let begins: Date
    var expires: Date
}

/// The sign-ins that there are.
struct Profiles: Sendable {
    /// The state of a sign-in.
    enum Finding {
        case good(Profile)
        case expired
        /// It was made on another device.
        case otherDevice
        case none
    }

    private var all: [Profile] = []

    /// Adds one; it takes the place of an earlier one.
    mutating func add(_ profile: Profile) {
        all.removeAll {
            $0.requestor == profile.requestor && $0.mvpd == profile.mvpd && $0.caller.isSame(as: profile.caller)
        }
        all.append(profile)
    }

    /// The caller's sign-in; else one that its service token, or the TV provider's single sign-on, makes its own.
    func find(_ requestor: String, _ provider: Provider, for caller: Caller, now: Date) -> Finding {
        let ofProvider = all.filter { $0.mvpd == provider.id }
        let own = ofProvider.filter { $0.requestor == requestor && $0.caller.client == caller.client }
        if let profile = own.first(where: { $0.caller.isSame(as: caller) }), now < profile.expires {
            return .good(profile)
        }
        if let subject = caller.subject {
            let shared = ofProvider.first {
                $0.caller.subject == subject && now < $0.expires
                    && ($0.requestor == requestor || !provider.isPerRequestor)
            }
            if var shared {
                shared.kind = .serviceToken
                return .good(shared)
            }
        }
        if own.contains(where: { $0.caller.isSame(as: caller) }) { return .expired }
        return own.isEmpty ? .none : .otherDevice
    }

    /// Whether another programmer's app on the same device, of the same person, is signed in with a TV provider.
    func isElsewhere(_ requestor: String, _ mvpd: String, for caller: Caller, now: Date) -> Profile? {
        all.first {
            $0.mvpd == mvpd && $0.requestor != requestor && $0.caller.fingerprint == caller.fingerprint
                && now < $0.expires
        }
    }

    /// Ends the caller's sign-in, and those that were one with it by its service token; whether there was any.
    mutating func remove(_ requestor: String, _ mvpd: String, for caller: Caller) -> Bool {
        let count = all.count
        all.removeAll { profile in
            guard profile.mvpd == mvpd else { return false }
            if let subject = caller.subject, profile.caller.subject == subject { return true }
            return profile.requestor == requestor && profile.caller.isSame(as: caller)
        }
        return all.count < count
    }

    mutating func removeAll() { all = [] }
}

extension Caller {
    func isSame(as other: Caller) -> Bool { client == other.client && fingerprint == other.fingerprint }
}
