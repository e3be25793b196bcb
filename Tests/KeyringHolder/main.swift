import Glibc
import PrivateKeyring

// Starts a private keyring whose provider hangs, says where its bus is, and keeps it until it is killed.
let keyring = try PrivateKeyring()
keyring.stopProvider()
let line = keyring.busAddress + "\n"
_ = unsafe write(STDOUT_FILENO, line, line.utf8.count)
while true { pause() }
