internal import SharedAuth
internal import TestSupport

/// Why a command failed.
enum PeerFailure: Error {
    case auth(AuthError)
    case store(RecordStoreError)
    /// What was asked makes no sense.
    case command(String)

    func line(answering verb: String) -> PeerLine {
        var line = PeerLine(answer: verb)
        switch self {
        case .auth(let error): (line.error, line.message) = (error.code.rawValue, error.text)
        case .store(let error): (line.error, line.message) = (-1, "\(error.code): \(error.message)")
        case .command(let text): (line.error, line.message) = (-2, text)
        }
        return line
    }
}
