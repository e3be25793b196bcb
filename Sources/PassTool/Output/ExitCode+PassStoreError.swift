internal import ArgumentParser
internal import CommandLineSupport
internal import PassAuth

extension ExitCode {
    /// The status, out of `sysexits.h`, with which the tool ends because of an error.
    init(_ code: PassStoreError.Code) {
        self =
            switch code {
            case .damaged, .newerSchema: .data
            case .unavailable: .unavailable
            case .locked, .timedOut, .outcomeUnknown, .conflict, .sessionEnded: .tryAgain
            case .denied, .invalidToken, .groupRefused: .refused
            default: .software
            }
    }
}
