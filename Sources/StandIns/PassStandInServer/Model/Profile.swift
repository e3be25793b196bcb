internal import FoundationEssentials

/// The sign-in of a user with a TV provider, on a device, for an instance of an app and a programmer.
struct Profile: Sendable {
    /// The kind of sign-in, by its name in responses.
    enum Kind: String, Sendable {
        case regular
        case temporary
        case degraded
        case serviceToken = "serviceTokenSSO"
    }

    let requestor: String
    let mvpd: String
    let caller: Caller
    /// The opaque id of the user.
    let user: String
    let domain: String
    var kind: Kind
    let begins: Date
    var expires: Date
}

/// All sign-ins.
struct Profiles: Sendable {
    /// The result of a search for a sign-in.
    enum Finding {
        case good(Profile)
        case expired
        /// The sign-in was made on another device.
        case otherDevice
        case none
    }

    private var all: [Profile] = []

    /// Adds a profile, and replaces the caller's earlier one.
    mutating func add(_ profile: Profile) {
        all.removeAll {
            $0.requestor == profile.requestor && $0.mvpd == profile.mvpd && $0.caller.isSame(as: profile.caller)
        }
        all.append(profile)
    }

    /// Returns the caller's sign-in, or else one that is shared by its service token.
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

    /// Returns the sign-in of another programmer's app with a TV provider on the same device, if there is one.
    func ofOtherProgrammer(than requestor: String, _ mvpd: String, for caller: Caller, now: Date) -> Profile? {
        all.first {
            $0.mvpd == mvpd && $0.requestor != requestor && $0.caller.fingerprint == caller.fingerprint
                && now < $0.expires
        }
    }

    /// Ends the caller's sign-in, and those shared with it by its service token. Returns true if any has ended.
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
