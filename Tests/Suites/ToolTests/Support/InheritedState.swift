/// The state that a program inherits from its parent process.
enum InheritedState {
    /// A perl script that prints the open files and the signals, except 32 and 33, which the C library uses. Perl does
    /// not change its signals.
    static let script = #"""
        opendir D, "/proc/self/fd"; print join(" ", sort { $a <=> $b } grep /\d/, readdir D), "\n";
        open S, "/proc/self/status"; my @lines = <S>; print grep /^(Pid|ShdPnd|NoNewPrivs|Threads)/, @lines;
        for (@lines) { printf "%s %x\n", $1, hex($2) & 0x7fffffff if /^(Sig\w+):.*(\w{8})$/ }
        """#
}
