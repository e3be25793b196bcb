// Names that Adobe's SDK no longer had in version 3.

extension AccessEnabler {
    /// Ended before version 3.
    @available(*, unavailable, renamed: "init(_:tokens:backEnd:settings:listenerExecutor:)")
    public convenience init() { fatalError() }

    /// Ended before version 3.
    @available(*, unavailable, renamed: "setRequestor(_:serviceProviders:)")
    public func setRequestor(_ requestorID: String, setSignedRequestorId signed: String) {}

    /// Ended before version 3.
    @available(*, unavailable, renamed: "setRequestor(_:serviceProviders:)")
    public func setRequestor(_ requestorID: String, setSignedRequestorId signed: String, serviceProviders: [String]) {}

    /// Ended before version 3.
    @available(*, unavailable, renamed: "setRequestor(_:serviceProviders:)")
    public func setRequestor(
        _ requestorID: String,
        setSignedRequestorId signed: String,
        serviceProviders: [String],
        secret: String,
        publicKey: String
    ) {}

    /// Ended before version 3.
    @available(*, unavailable, renamed: "handleExternalURL(_:)")
    public func getAuthenticationToken() {}

    /// Ended before version 3.
    @available(*, unavailable, renamed: "getAuthentication(_:withData:andFilter:)")
    public func getAuthentication(_ filter: [String]) {}
}
