internal import Glibc

extension PrivateKeyring {
    /// A bus that lets everybody do everything but own names below `denied.example`, and starts whom the files in the
    /// directory `services` say: nobody at first.
    static func busConfiguration(socket: String, services: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
          "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(socket)</listen>
          <auth>EXTERNAL</auth>
          <servicedir>\(services)</servicedir>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
            <deny own_prefix="denied.example"/>
          </policy>
          <limit name="max_replies_per_connection">50000</limit>
          <limit name="max_match_rules_per_connection">50000</limit>
          <limit name="max_completed_connections">10000</limit>
          <limit name="max_connections_per_user">10000</limit>
        </busconfig>
        """
    }

    static func makeDirectory() throws -> String {
        // In memory where there is such a place: nothing here outlives the tests, and both the daemon and the library
        // wait for the disk at every write.
        let root = unsafe access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(root)/private-keyring-XXXXXX".utf8CString)
        guard unsafe mkdtemp(&template) != nil else {
            throw PrivateKeyringError("no temporary directory: error \(errno)")
        }
        let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        for folder in ["", "/home", "/config", "/data", "/cache", "/state", "/runtime", "/services"] {
            _ = unsafe mkdir(directory + folder, 0o700)
        }
        return directory
    }

    static func environment(in directory: String, busAddress: String) -> [String: String] {
        // What a sanitizer was told holds for the processes inside too.
        let sanitizers = ["ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"].compactMap { (name: String) in
            unsafe getenv(name).map { value in (name, unsafe String(cString: value)) }
        }
        let ours = [
            "DBUS_SESSION_BUS_ADDRESS": busAddress,
            "HOME": "\(directory)/home",
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            // Programs with windows get none; KeePassXC is one per user and directory for temporary files.
            "QT_QPA_PLATFORM": "offscreen",
            "TMPDIR": "\(directory)/runtime",
            "XDG_CACHE_HOME": "\(directory)/cache",
            "XDG_CONFIG_HOME": "\(directory)/config",
            "XDG_DATA_HOME": "\(directory)/data",
            "XDG_RUNTIME_DIR": "\(directory)/runtime",
            "XDG_STATE_HOME": "\(directory)/state",
        ]
        return ours.merging(sanitizers) { ours, _ in ours }
    }
}
