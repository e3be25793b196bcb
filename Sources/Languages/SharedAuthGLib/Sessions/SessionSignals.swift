internal import CSharedAuthGLib
internal import FoundationEssentials
internal import OpenIDConnect
internal import SharedAuth

/// The ids of the signals of `SharedAuthSession`.
struct SessionSignals {
    let announced: guint
    let openAddress: guint
    let deviceCode: guint

    static let shared = SessionSignals(of: SessionCore.type)

    private init(of type: GType) {
        unsafe g_type_class_unref(g_type_class_ref(type))
        unsafe announced = g_signal_lookup("announced", type)
        unsafe openAddress = g_signal_lookup("open-address", type)
        unsafe deviceCode = g_signal_lookup("device-code", type)
    }
}

extension SessionCore {
    /// Emits `open-address` in the session's context.
    ///
    /// - Returns: True if a handler opened the address.
    func emitOpenAddress(_ address: String) async -> Bool {
        await withCheckedContinuation { continuation in
            context.invoke { [weak self] in
                guard let object = self?.object else { return continuation.resume(returning: false) }
                let signal = SessionSignals.shared.openAddress
                let isOpened = unsafe shared_auth_glue_emit_address(object.pointer, signal, address) != 0
                continuation.resume(returning: isOpened)
            }
        }
    }

    /// Emits `device-code` in the session's context, without waiting for it.
    func emitDeviceCode(_ code: DeviceCode) {
        context.invoke { [weak self] in
            guard let object = self?.object else { return }
            unsafe shared_auth_glue_emit_code(
                object.pointer,
                SessionSignals.shared.deviceCode,
                code.userCode,
                code.verificationURL.absoluteString,
                code.completeVerificationURL?.absoluteString
            )
        }
    }
}
