import Glibc

/// A QR code of an address, for a phone's camera.
enum QRCode {
    /// Shows the QR code if the program qrencode is installed.
    static func show(_ address: String) {
        fflush(nil)
        // Through a pipe, so that the address is in no process list.
        guard let program = unsafe popen("command -v qrencode >/dev/null && exec qrencode -t UTF8 -m 2", "w") else {
            return
        }
        unsafe fputs(address, program)
        unsafe pclose(program)
    }
}
