internal import AccountWindow

/// The sample app Calendar; its window shows the signed-in user.
@main
struct Calendar {
    static func main() {
        DesktopApp(id: "com.example.Calendar", name: "Calendar").run()
    }
}
