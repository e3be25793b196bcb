import Foundation
import PrivateKeyring
import Synchronization

/// What the run showed of each provider, for the table in the documentation.
///
/// One line for each: what was looked at, the provider, what was seen. They go to the file that
/// `SHAREDAUTH_OBSERVATIONS` names, and nowhere without it.
enum Observations {
    private static let file = Mutex(ProcessInfo.processInfo.environment["SHAREDAUTH_OBSERVATIONS"])

    static func note(_ kind: ProviderKind, _ what: String, _ seen: String) {
        file.withLock { path in
            guard let path, let file = FileHandle(forWritingAtPath: path) else { return }
            _ = try? file.seekToEnd()
            try? file.write(contentsOf: Data("\(what)\t\(kind.rawValue)\t\(seen)\n".utf8))
            try? file.close()
        }
    }
}
