internal import CSharedAuthGLib
internal import FoundationEssentials
internal import OpenIDConnect
internal import SharedAuth

/// What a person is shown by signals of the session.
extension SessionCore {
    /// Has a handler open an address; false if none does.
    func opens(_ address: String) async -> Bool {
        await withCheckedContinuation { continuation in
            context.invoke { [weak self] in
                guard let object = self?.object else { return continuation.resume(returning: false) }
                let signal = SessionSignal.shared.openAddress
                let isOpened = unsafe shared_auth_glue_emit_address(object.pointer, signal, address) != 0
                continuation.resume(returning: isOpened)
            }
        }
    }

    /// Shows a code.
    func show(_ code: DeviceCode) {
        context.invoke { [weak self] in
            guard let object = self?.object else { return }
            unsafe shared_auth_glue_emit_code(
                object.pointer,
                SessionSignal.shared.deviceCode,
                code.userCode,
                code.verificationURL.absoluteString,
                code.completeVerificationURL?.absoluteString
            )
        }
    }

    /// The identity provider that sessions of this kind sign in with.
    ///
    /// - Throws: `operationNotAllowed` without one.
    var provider: ProviderCore {
        get throws(AuthError) {
            guard let object = settings.identityProvider else {
                throw AuthError(.operationNotAllowed, "The session has no identity provider.")
            }
            return unsafe core(of: object.pointer)
        }
    }
}
