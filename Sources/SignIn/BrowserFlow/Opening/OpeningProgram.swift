internal import DesktopSupport
internal import FoundationEssentials
internal import Glibc

/// The program `xdg-open`, or another one with the same arguments.
struct OpeningProgram: Sendable {
    let name: String

    /// Runs the program and waits until it exits or the task is cancelled. Cancelling does not end the program, which
    /// may have replaced itself by the browser.
    func open(_ url: URL) async throws(BrowserFlowError) {
        let address = Self.escaped(url)
        let race = Race<Result<Int32, BrowserFlowError>>()
        startThread(named: "browser-opener") { [self] in
            race.finish(Result { () throws(BrowserFlowError) in try run(address) })
        }
        let status = try await withTaskCancellationHandler {
            await race.result()
        } onCancel: {
            race.finish(.failure(.cancelled))
        }.get()
        if let error = failure(status) { throw error }
    }

    /// Returns the URL with shell metacharacters escaped, except those that are part of a URL, such as `&`: some
    /// versions of `xdg-open` pass it to a shell.
    static func escaped(_ url: URL) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = url.absoluteString.utf8.flatMap { byte in
            "'()$;!*`\\|<>\"".utf8.contains(byte)
                ? [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]] : [byte]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the error for an exit status, or nil for success: https://manpages.debian.org/xdg-open lists them.
    func failure(_ status: Int32) -> BrowserFlowError? {
        let reason =
            switch status {
            case 0: nil as String?
            case 3: "\(name) found no program that opens web addresses"
            case 4: "the program that \(name) started failed"
            default: "\(name) ended with status \(status)"
            }
        return reason.map { reason in
            BrowserFlowError(
                .browserNotOpened,
                "No browser could be opened: \(reason).",
                remedy: "Install a browser and make it the default, or open the URL manually."
            )
        }
    }

    /// Runs the program without input and output, in its own process group, so that Ctrl-C does not reach it.
    private func run(_ address: String) throws(BrowserFlowError) -> Int32 {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for stream in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        // The calling thread may block signals, and a child process would inherit that.
        var none = sigset_t()
        unsafe sigemptyset(&none)
        unsafe posix_spawnattr_setsigmask(&attributes, &none)
        unsafe posix_spawnattr_setpgroup(&attributes, 0)
        unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))

        var process: pid_t = 0
        let arguments = unsafe [strdup(name), strdup(address), nil]
        // Secrets are removed: a browser keeps its environment for days, and the programs that it starts can read it.
        let environment = unsafe SecretVariables.environmentWithout + [nil]
        defer {
            for index in unsafe arguments.indices { unsafe free(arguments[index]) }
        }
        let code = unsafe posix_spawnp(&process, name, &actions, &attributes, arguments, environment)
        guard code == 0 else {
            throw BrowserFlowError(
                .browserNotOpened,
                "No browser could be opened: \(name) \(code == ENOENT ? "is not installed" : "cannot be run").",
                remedy: "Install the package xdg-utils, or open the URL manually."
            )
        }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) == -1 {
            guard errno == EINTR else { return 0 }
        }
        return status & 0x7f == 0 ? (status >> 8) & 0xff : 128 + (status & 0x7f)
    }
}
