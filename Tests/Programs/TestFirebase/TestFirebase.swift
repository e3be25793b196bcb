internal import FirebaseStandInServer
internal import FoundationEssentials
internal import LoopbackServer
internal import SharedAuth
internal import SharedAuthHTTP
internal import Synchronization
internal import TestSupport

/// The stand-in for Firebase in a process that a test controls. Each input line is a JSON list of words, and is
/// answered by one line of JSON. The process ends when its standard input does.
@main
struct TestFirebase {
    static func main() async throws {
        let site = try TappedStandIn()
        LineOutput.write(site.address)
        while let line = readLine() {
            let words = (try? JSONDecoder().decode([String].self, from: Data(line.utf8))) ?? []
            LineOutput.write(try await site.obey(words).text)
        }
    }
}

/// A stand-in that records client calls, and returns scripted responses instead of the usual ones.
private final class TappedStandIn: Sendable {
    private struct Notes {
        var requests: [String] = []
        /// The last responses, by the last component of the path.
        var answered: [String: JSONValue] = [:]
        var scripted: [String: ServedAnswer] = [:]
    }

    private final class Log: Sendable {
        let notes = Mutex(Notes())
    }

    private struct UnknownCommand: Error {
        let words: [String]
    }

    private let log = Log()
    private let standIn: StandIn
    /// The secret of the accounts that have a second factor.
    private let secret = StandIn.newFactorSecret

    var address: String { standIn.address }

    init() throws {
        standIn = try StandIn(project: "p") { [log] request, proceed in
            let name = request.pathParts.last ?? ""
            let scripted = log.notes.withLock { notes in
                notes.requests.append("key=\(request.query["key"] ?? "") \(name) \(request.text)")
                return notes.scripted[name]
            }
            if let scripted { return scripted }
            let answer = await proceed(request)
            log.notes.withLock { $0.answered[name] = JSONValue(bytes: answer.body) }
            return answer
        }
    }

    func obey(_ words: [String]) async throws -> JSONValue {
        let arguments = Array(words.dropFirst())
        switch (words.first, arguments.count) {
        case ("stop", 0): standIn.stop()
        case ("requests", 0): return .array(log.notes.withLock { $0.requests.map(JSONValue.string) })
        case ("answered", 1): return log.notes.withLock { $0.answered[arguments[0]] } ?? .null
        case ("answer", 2):
            let answer = ServedAnswer(headers: ["Content-Type": "application/json"], body: Array(arguments[1].utf8))
            log.notes.withLock { $0.scripted[arguments[0]] = answer }
        case ("refuse", 2):
            var fault = CallFault(.refusal, path: arguments[0])
            fault.message = arguments[1]
            standIn.add(fault)
        case ("account", 4):
            let (uid, email, password) = (arguments[0], arguments[1], arguments[2])
            let hasFactor = arguments[3] == "factor"
            standIn.addAccount(uid, email: email, password: password, factorSecret: hasFactor ? secret : nil)
        case ("one-time-password", 0): return JSONValue(standIn.oneTimePassword(of: secret))
        case ("mailed-code", 0): return JSONValue(standIn.codes.last?.code)
        case ("uids", 0): return .array(standIn.uids.map(JSONValue.string))
        case ("refresh-token", 1): return JSONValue(standIn.refreshToken(of: arguments[0]))
        case ("custom-token", 1): return .string(try await standIn.mint(CustomTokenOrder(uid: arguments[0])))
        case ("accept", 3): standIn.accept(idToken: arguments[0], of: arguments[1], at: arguments[2])
        case ("sign-in", 2): return JSONValue(standIn.signIn(arguments[0], at: arguments[1]))
        case ("visit", 1):
            guard let url = URL(string: arguments[0]) else { throw UnknownCommand(words: words) }
            _ = try await HTTPClient().send(HTTPRequest(.get, url), retrying: .never)
        case ("free-port", 0):
            let server = try LoopbackServer(named: "a port for a moment") { _ in ServedAnswer() }
            server.stop()
            return .number(Double(server.port))
        default: throw UnknownCommand(words: words)
        }
        return .null
    }
}

extension JSONValue {
    /// Creates a string value, or null.
    fileprivate init(_ text: String?) { self = text.map(JSONValue.string) ?? .null }
}
