import Glibc
import TestSupport
import Testing

struct CapabilityTests {
    @Test(
        "A program with more privileges than its caller ignores SharedAuth's variables",
        .enabled(if: geteuid() == 0, "only root can give a file a capability")
    )
    func environment() throws {
        let keyring = try Shell().keyring
        let folder = TestDirectory.newPath()
        let program = try BuiltProducts.executable("sharedauth")
        let script = """
            mkdir -m 755 "$0" && cp "$1" "$0/tool" && chmod 755 "$0/tool"
            status() {
                setpriv --reuid=65534 --regid=65534 --clear-groups \
                    env SHAREDAUTH_APP_ID=com.example.Other "$0/tool" status --json --project p 2>&1 \
                    | grep -q com.example.Other && echo read || echo ignored
            }
            status
            PATH=$PATH:/usr/sbin:/sbin setcap cap_ipc_lock=ep "$0/tool" && status
            rm -r "$0"
            """
        let result = try keyring.run("/bin/sh", ["-c", script, folder, program])
        #expect(result.standardOutput == "read\nignored\n", "\(result.standardError)")
    }
}
