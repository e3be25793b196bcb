import Glibc

/// A picture of an address, for a telephone's camera.
enum QRCode {
    /// Shows it where the program qrencode is installed; else nothing.
    static func show(_ address: String) {
        fflush(nil)
        // By a pipe, so that no list of processes shows it.
        guard let program = unsafe popen("command -v qrencode >/dev/null && exec qrencode -t UTF8 -m 2", "w") else {
            return
        }
        unsafe fputs(address, program)
        unsafe pclose(program)
    }
}
