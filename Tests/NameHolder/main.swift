import Glibc
import SecretService

// Owns the bus name given as its argument, says so, and keeps it until it is killed.
let owned = try SecretService().acquireName(CommandLine.arguments[1])
let line = owned.name + "\n"
_ = unsafe write(STDOUT_FILENO, line, line.utf8.count)
while true { pause() }
