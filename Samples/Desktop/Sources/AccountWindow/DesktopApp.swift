internal import CAdwaita
internal import Glibc
internal import SharedAuth

/// A desktop app of this sample: a process with one window.
@MainActor
public final class DesktopApp {
    /// The id in reverse DNS form, used for the desktop, the message bus and SharedAuth.
    private let id: String
    /// The displayed name of the app.
    private let name: String
    private var window: AccountWindow?

    /// Creates an app.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// Runs the app until its window is closed. A second process only brings the window of the first one to the front.
    public func run() -> Never {
        // Otherwise GTK ends the process with a less helpful message.
        guard gtk_init_check() != 0 else {
            leave("\(name) has no display to show its window on. Set DISPLAY or WAYLAND_DISPLAY.", EX_UNAVAILABLE)
        }
        // Screen readers and window managers identify the process by this name.
        g_set_prgname(id)
        g_set_application_name(name)
        // example
        MainContext.default.serveMainQueue()
        let application = adw_application_new(id, GApplicationFlags(0))!
        let running = UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self)
        connect(application, "startup") {
            // By default, GLib ends the process when the message bus is lost.
            if let bus = g_application_get_dbus_connection(running) { g_dbus_connection_set_exit_on_close(bus, 0) }
        }
        connect(application, "activate") { self.showWindow(of: application) }
        exit(g_application_run(running, 0, nil))
        // end of example
    }

    private func showWindow(of application: UnsafeMutablePointer<AdwApplication>) {
        do throws(AuthError) {
            let shown = if let window { window } else { AccountWindow(name, try Account(appID: id), application) }
            window = shown
            shown.present()
        } catch {
            leave("\(name) is not configured correctly: \(error)", EX_CONFIG)
        }
    }

    private func leave(_ message: String, _ status: Int32) -> Never {
        let line = message + "\n"
        _ = write(STDERR_FILENO, line, line.utf8.count)
        exit(status)
    }
}
