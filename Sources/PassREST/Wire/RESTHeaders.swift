internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// The headers that requests to Pass have in common.
enum RESTHeaders {
    /// Returns the headers that describe the device in every request, as base64; a page of REST v2 has it so, but the
    /// SDK's servers want it URL-encoded. The device's connection is looked up each time, unless the app has named it.
    ///
    /// `X-Forwarded-For` is not among them: it is for a server that asks on behalf of a device. A device that asks for
    /// itself says its address by asking.
    static func ofDevice(_ options: ClientOptions, _ connection: NetworkConnection = .init()) -> HTTPHeaders {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        var client = options.client
        client.connectionType = client.connectionType ?? connection.type
        headers["X-Device-Info"] = options.givenDeviceInformation ?? client.base64
        if let agent = options.client.userAgent, canCarry(agent) { headers["User-Agent"] = agent }
        return headers
    }

    /// The headers of a call, but those that say who uses the app.
    static func of(_ caller: Caller, _ token: AccessToken) -> HTTPHeaders {
        var headers = ofDevice(caller.options)
        headers["Authorization"] = "Bearer \(token.value)"
        headers["AP-Device-Identifier"] = "fingerprint \(Data(caller.fingerprint.utf8).base64EncodedString())"
        if let visitor = caller.options.visitorID, canCarry(visitor) { headers["AP-Visitor-Identifier"] = visitor }
        return headers
    }

    /// Whether a header can have this as its value; one that has a line end would begin another header.
    static func canCarry(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    static func base64(_ object: [String: String]) -> String {
        Data(JSONValue.object(object.mapValues { .string($0) }).bytes).base64EncodedString()
    }

    static func request(
        _ method: HTTPRequest.Method,
        _ address: String,
        _ headers: HTTPHeaders,
        body: [UInt8]? = nil
    ) throws(PassBackendError) -> HTTPRequest {
        guard let url = URL(string: address) else {
            throw PassBackendError(.badRequest, "The address of a call to Pass is malformed.")
        }
        return HTTPRequest(method, url, headers: headers, body: body)
    }
}
