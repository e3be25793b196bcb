internal import PassAuth

/// Maps the error names of REST v2, and those of v1 that servers may still send, to `PassBackendError` codes.
enum ErrorCatalogue {
    /// Returns the code for an error's name and status, or nil if the name is unknown.
    static func code(of name: String, status: Int) -> PassBackendError.Code? {
        // 403 means another device. Any other status means a bad header, perhaps truncated in transit.
        if name == "invalid_header_device_identifier", status == 403 { return .deviceMismatch }
        if let code = codes[name] { return code }
        // Adobe adds names to these groups; the prefix is enough.
        if name.hasPrefix("invalid_configuration_") { return .server }
        if name.hasPrefix("invalid_header_") || name.hasPrefix("invalid_parameter_") { return .badRequest }
        return nil
    }

    /// Returns the code for a response that has only a status. None of these codes ends a session, because the response
    /// may come from a gateway, or from an address that Pass no longer uses.
    static func code(ofStatus status: Int) -> PassBackendError.Code {
        switch status {
        case 401: .noAccessToken
        case 403: .denied
        case 404, 410: .notFound
        case 408, 504: .timedOut
        case 429: .throttled
        case 500...: .server
        default: .badRequest
        }
    }

    private static let codes: [String: PassBackendError.Code] = [
        "invalid_parameter_service_provider": .invalidRequestor,
        "invalid_requestor": .invalidRequestor,
        "invalid_parameter_mvpd": .notFound,
        "invalid_integration": .notFound,
        "unknown_integration": .notFound,
        "invalid_parameter_domain": .badDomain,
        "invalid_parameter_domain_name": .badDomain,
        "invalid_parameter_code": .codeExpired,
        "invalid_authentication_session": .codeExpired,
        "invalid_parameter_resources": .malformedResource,
        "missing_resource": .malformedResource,
        "malformed_authz_request": .malformedResource,
        "too_many_resources": .tooManyResources,
        "invalid_device_id": .deviceMismatch,
        "invalid_device_info": .badRequest,
        "internal_error": .server,
        "internal_server_error": .server,

        "authenticated_profile_missing": .notAuthenticated,
        "authenticated_profile_expired": .notAuthenticated,
        "authenticated_profile_invalidated": .notAuthenticated,
        "authentication_session_missing": .notAuthenticated,
        "authentication_session_expired": .notAuthenticated,
        "authentication_session_invalidated": .notAuthenticated,
        "authentication_session_issuer_mismatch": .notAuthenticated,
        "preauthorization_authentication_session_missing": .notAuthenticated,
        "preauthorization_authentication_session_expired": .notAuthenticated,
        "authorization_denied_by_session_invalidated": .notAuthenticated,
        "identity_not_recognized_by_mvpd": .notAuthenticated,
        "temporary_access_duration_limit_exceeded": .temporaryPassExpired,
        "temporary_access_resources_limit_exceeded": .temporaryPassExpired,

        "authorization_denied_by_mvpd": .denied,
        "authorization_denied_by_parental_controls": .denied,
        "preauthorization_denied_by_mvpd": .denied,
        // Home-based authentication (HBA): the session is still valid at the user's home, so it is kept.
        "authorization_denied_by_hba_policies": .denied,
        "authorization_not_found": .denied,
        "authorization_expired": .denied,
        "authorization_denied_by_degradation_rule": .deniedByDegradation,
        "network_received_error": .providerUnreachable,
        "network_connection_timeout": .providerUnreachable,
        "maximum_execution_time_exceeded": .providerUnreachable,

        "invalid_access_token_service_provider": .notRegistered,
        "invalid_access_token_client_application": .notRegistered,
    ]
}
