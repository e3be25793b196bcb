/// What a program has inherited from whoever started it.
enum InheritedState {
    /// A script for perl, which leaves its signals alone, that prints the open files and the signals: without 32 and 33,
    /// which are the C library's own.
    static let script = #"""
        opendir D, "/proc/self/fd"; print join(" ", sort { $a <=> $b } grep /\d/, readdir D), "\n";
        open S, "/proc/self/status"; my @lines = <S>; print grep /^(Pid|ShdPnd|NoNewPrivs|Threads)/, @lines;
        for (@lines) { printf "%s %x\n", $1, hex($2) & 0x7fffffff if /^(Sig\w+):.*(\w{8})$/ }
        """#
}
