internal import CGLibSecret
internal import CSoup

/// An error that libsoup or GIO reported for an exchange.
struct SoupFailure {
    private let cause: Cause
    private let certificateFlaws: GTlsCertificateFlags

    private enum Cause {
        case noTLS, tls, noAddress, refused, timedOut, proxy, malformed, broken
    }

    /// Creates a failure from a GLib error, and takes ownership of it.
    init(taking error: UnsafeMutablePointer<GError>?, certificateFlaws: GTlsCertificateFlags, soupDomain: GQuark) {
        self.certificateFlaws = certificateFlaws
        guard let error = unsafe error else {
            cause = .broken
            return
        }
        cause = unsafe Self.cause(domain: error.pointee.domain, code: error.pointee.code, soupDomain: soupDomain)
        unsafe g_error_free(error)
    }

    private static func cause(domain: GQuark, code: gint, soupDomain: GQuark) -> Cause {
        switch domain {
        case g_tls_error_quark():
            switch GTlsError(rawValue: .init(code)) {
            case G_TLS_ERROR_UNAVAILABLE: .noTLS
            case G_TLS_ERROR_EOF: .broken
            default: .tls
            }
        case g_resolver_error_quark():
            .noAddress
        case soupDomain:
            code <= gint(CSOUP_SESSION_ERROR_ENCODING) ? .malformed : .broken
        case g_io_error_quark():
            ioCause(GIOErrorEnum(rawValue: .init(code)))
        default:
            .broken
        }
    }

    private static func ioCause(_ code: GIOErrorEnum) -> Cause {
        switch code {
        case G_IO_ERROR_HOST_NOT_FOUND: .noAddress
        case G_IO_ERROR_CONNECTION_REFUSED, G_IO_ERROR_HOST_UNREACHABLE, G_IO_ERROR_NETWORK_UNREACHABLE: .refused
        case G_IO_ERROR_TIMED_OUT: .timedOut
        case G_IO_ERROR_PROXY_FAILED, G_IO_ERROR_PROXY_AUTH_FAILED, G_IO_ERROR_PROXY_NEED_AUTH,
            G_IO_ERROR_PROXY_NOT_ALLOWED:
            .proxy
        case G_IO_ERROR_INVALID_DATA: .malformed
        default: .broken
        }
    }

    /// Returns the error for the caller.
    func error(of server: String, requestWasSent: Bool) -> HTTPError {
        let (code, message, remedy) = words(server, requestWasSent)
        return HTTPError(code, message, remedy: remedy, requestWasSent: requestWasSent)
    }

    private func words(_ server: String, _ wasSent: Bool) -> (HTTPError.Code, String, String?) {
        switch cause {
        case .noTLS:
            (SoupLibrary.tlsMissing.code, SoupLibrary.tlsMissing.message, SoupLibrary.tlsMissing.remedy)
        case .tls:
            tlsWords(server)
        case .noAddress:
            (.unreachable, "The host name of \(server) cannot be resolved.", SoupExchange.networkRemedy)
        case .refused:
            (.unreachable, "Cannot connect to \(server).", SoupExchange.networkRemedy)
        case .timedOut:
            (.timedOut, "\(server) did not respond in time.", SoupExchange.laterRemedy)
        case .proxy:
            (.unreachable, "The proxy does not connect to \(server).", SoupExchange.proxyRemedy)
        case .malformed:
            (.malformedAnswer, "The response of \(server) is not HTTP or is damaged.", SoupExchange.laterRemedy)
        case .broken where wasSent:
            (.cutOff, "\(server) closed the connection before its response was complete.", SoupExchange.laterRemedy)
        case .broken:
            (.unreachable, "Cannot connect to \(server).", SoupExchange.networkRemedy)
        }
    }

    private func tlsWords(_ server: String) -> (HTTPError.Code, String, String?) {
        let clock = "Check the date and time of this computer."
        let flaws: [(GTlsCertificateFlags, String, String?)] = [
            (G_TLS_CERTIFICATE_EXPIRED, "has expired", clock),
            (G_TLS_CERTIFICATE_NOT_ACTIVATED, "is not valid yet", clock),
            (G_TLS_CERTIFICATE_BAD_IDENTITY, "belongs to another host", nil),
            (G_TLS_CERTIFICATE_REVOKED, "has been revoked", nil),
            (
                G_TLS_CERTIFICATE_UNKNOWN_CA, "is from an authority that this system does not trust",
                "If the authority is your organisation's, add its certificate to the system's, on Debian and Ubuntu by "
                    + "update-ca-certificates. The variable SSL_CERT_FILE has no effect."
            ),
            (G_TLS_CERTIFICATE_INSECURE, "is not secure", nil),
        ]
        for (flaw, words, remedy) in flaws where certificateFlaws.rawValue & flaw.rawValue != 0 {
            return (.tls, "The certificate of \(server) \(words).", remedy)
        }
        return (.tls, "Could not establish a secure connection to \(server).", nil)
    }
}
