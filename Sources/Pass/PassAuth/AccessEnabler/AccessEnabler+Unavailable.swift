// Names that version 3 of Adobe's SDK no longer has.

extension AccessEnabler {
    /// Removed before version 3.
    @available(*, unavailable, renamed: "init(_:tokens:backEnd:settings:listenerExecutor:)")
    public convenience init() { fatalError() }

    /// Removed before version 3.
    @available(*, unavailable, renamed: "setRequestor(_:serviceProviders:)")
    public func setRequestor(_ requestorID: String, setSignedRequestorId signed: String) {}

    /// Removed before version 3.
    @available(*, unavailable, renamed: "setRequestor(_:serviceProviders:)")
    public func setRequestor(_ requestorID: String, setSignedRequestorId signed: String, serviceProviders: [String]) {}

    /// Removed before version 3.
    @available(*, unavailable, renamed: "setRequestor(_:serviceProviders:)")
    public func setRequestor(
        _ requestorID: String,
        setSignedRequestorId signed: String,
        serviceProviders: [String],
        secret: String,
        publicKey: String
    ) {}

    /// Removed before version 3.
    @available(*, unavailable, renamed: "handleExternalURL(_:)")
    public func getAuthenticationToken() {}

    /// Removed before version 3.
    @available(*, unavailable, renamed: "getAuthentication(_:withData:andFilter:)")
    public func getAuthentication(_ filter: [String]) {}
}
