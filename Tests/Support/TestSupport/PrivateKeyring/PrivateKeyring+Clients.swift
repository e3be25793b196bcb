package import SecretService
package import SharedAuth

/// Separate connections to this keyring, as another process has them.
extension PrivateKeyring {
    package func makeService(
        timeout: Duration = .seconds(10),
        hasDisplay: Bool = true,
        waitsForDaemon: Bool = false,
        interceptor: CallInterceptor? = nil
    ) -> SecretService {
        var configuration = SecretService.Configuration(busAddress: .address(busAddress), timeout: timeout)
        configuration.interceptor = interceptor
        configuration.hasDisplay = hasDisplay
        configuration.waitsForDaemon = waitsForDaemon
        return SecretService(configuration)
    }

    package func makeStore(
        collection: RecordCollection = .standard,
        interceptor: CallInterceptor? = nil
    ) -> SecretServiceRecordStore {
        SecretServiceRecordStore(makeService(interceptor: interceptor), collection: collection)
    }
}
