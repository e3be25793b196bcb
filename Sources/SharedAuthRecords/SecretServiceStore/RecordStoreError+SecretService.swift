internal import SecretService

extension RecordStoreError {
    init(_ error: SecretServiceError) {
        let code: Code =
            switch error.code {
            case .noSessionBus, .busClosed, .noProvider, .noDefaultCollection, .noSuchCollection: .unavailable
            case .locked: .locked
            case .dismissed: .dismissed
            case .timedOut: .timedOut
            case .denied: .denied
            default: .failed
            }
        self.init(code, error.message, outcomeIsUnknown: error.outcomeIsUnknown, underlying: error)
    }
}
