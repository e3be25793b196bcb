import SharedAuth

/// The company's server, simulated in the sample's process; an app would use a client of the real server.
actor CompanyServer {
    private struct Person {
        let id: String
        let name: String
        let mail: String
        let password: String
    }

    private var people: [Person] = []
    /// The users of the sessions by refresh token; each token is valid once.
    private var sessions: [String: Person] = [:]
    private var accesses: [String: Person] = [:]
    private var issued = 0

    /// The number of sessions.
    var sessionCount: Int { sessions.count }

    /// Adds a user.
    func enrol(_ name: String, mail: String, password: String) {
        people.append(Person(id: "employee-\(people.count + 1)", name: name, mail: mail, password: password))
    }

    /// Handles a posted form.
    ///
    /// - Parameter refusal: The code of the error if the server refuses the request.
    func post(
        _ path: String,
        _ form: [String: String],
        else refusal: AuthErrorCode
    ) throws(AuthError) -> [String: String] {
        if let answer = answer(path, form) { return answer }
        throw AuthError(refusal, "The company's server refuses \(path).")
    }

    private func answer(_ path: String, _ form: [String: String]) -> [String: String]? {
        let token = form["token"] ?? ""
        switch path {
        case "/login":
            return people.first { $0.mail == form["mail"] && $0.password == form["password"] }.map(begin)
        case "/refresh":
            return sessions.removeValue(forKey: token).map(begin)
        case "/me":
            return accesses[token].map { ["id": $0.id, "name": $0.name, "mail": $0.mail] }
        case "/logout":
            sessions[token] = nil
            return [:]
        default:
            return nil
        }
    }

    private func begin(_ person: Person) -> [String: String] {
        issued += 1
        let (access, refresh) = ("opaque-access-\(issued)", "opaque-refresh-\(issued)")
        (accesses[access], sessions[refresh]) = (person, person)
        return ["access": access, "refresh": refresh]
    }
}
