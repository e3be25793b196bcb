internal import GLibSupport

extension SecretService {
    /// Sends a request; if nobody answers to the name, as asked either fails or waits for a provider to appear.
    func call(_ request: BusRequest, by deadline: Deadline) throws(SecretServiceError) -> Variant {
        try awaitingProvider(by: deadline) { () throws(SecretServiceError) in
            try connection(by: deadline).call(request, by: deadline)
        }
    }

    /// Does `work`, which sends something; if nobody answers to the name, as asked either fails or does it once more when a
    /// provider has appeared.
    func awaitingProvider<Done>(
        by deadline: Deadline,
        _ work: () throws(SecretServiceError) -> Done
    ) throws(SecretServiceError) -> Done {
        do throws(SecretServiceError) {
            return try work()
        } catch {
            guard error.code == .noProvider, !error.outcomeIsUnknown, configuration.waitsForProvider else {
                throw error
            }
            guard try providerAppears(by: deadline) else { throw error }
            return try work()
        }
    }

    /// Waits until somebody owns the name.
    private func providerAppears(by deadline: Deadline) throws(SecretServiceError) -> Bool {
        let connection = try connection(by: deadline)
        let name = try Wire.busName(configuration.busName)
        let news = Monitor<Bool?>(nil)
        let subscription = try connection.subscribe(to: [.owner(of: name)], by: deadline) { event in
            switch event {
            case .closed:
                news.update { $0 = $0 ?? false }
            case .signal(let signal):
                if signal.arguments.type == "(sss)", !signal.arguments[2].string.isEmpty { news.update { $0 = true } }
            }
        }
        defer { subscription.end() }
        // It may have appeared before the subscription did.
        if try owner(of: name, on: connection, by: deadline) != nil { return true }
        return news.wait(until: deadline) { $0 } ?? false
    }
}
