internal import FoundationEssentials
internal import PassAuth
internal import SharedAuth
internal import SharedAuthHTTP

/// The common headers of requests to Pass.
enum RESTHeaders {
    /// Returns the headers that describe the device in every request. The description is base64, as REST v2 documents
    /// it; the SDK's servers expect it URL-encoded. Reads the connection type each time unless the app has set it.
    ///
    /// `X-Forwarded-For` is left out: it is for a server that sends requests on behalf of a device. The server sees the
    /// address of a device that sends its requests itself.
    static func ofDevice(_ options: ClientOptions, _ connection: NetworkConnection = .init()) -> HTTPHeaders {
        var headers: HTTPHeaders = ["Accept": "application/json"]
        var client = options.client
        client.connectionType = client.connectionType ?? connection.type
        headers["X-Device-Info"] = options.givenDeviceInformation ?? client.base64
        if let agent = options.client.userAgent, canCarry(agent) { headers["User-Agent"] = agent }
        return headers
    }

    /// Returns the headers of a call, except those that identify the user.
    static func of(_ caller: Caller, _ token: AccessToken) -> HTTPHeaders {
        var headers = ofDevice(caller.options)
        headers["Authorization"] = "Bearer \(token.value)"
        headers["AP-Device-Identifier"] = "fingerprint \(Data(caller.fingerprint.utf8).base64EncodedString())"
        if let visitor = caller.options.visitorID, canCarry(visitor) { headers["AP-Visitor-Identifier"] = visitor }
        return headers
    }

    /// Returns true if a text is a valid header value. A newline in it would start another header.
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
