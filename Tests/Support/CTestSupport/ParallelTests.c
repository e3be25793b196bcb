#include "TestThreads.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char option[] = "--experimental-maximum-parallelization-width";
static const char width[] = "5";

// Runs before main. Only the program that `swift test` starts for Swift Testing has these arguments; the programs that
// tests start do not.
__attribute__((constructor)) static void limit_parallel_tests(int count, char **arguments) {
    int is_swift_testing = 0, is_limited = 0;
    for (int index = 1; index < count; index++) {
        if (strcmp(arguments[index], "swift-testing") == 0) is_swift_testing = 1;
        if (strncmp(arguments[index], option, sizeof option - 1) == 0) is_limited = 1;
    }
    if (!is_swift_testing) return;
    use_test_threads();
    if (is_limited) return;
    char **extended = calloc(count + 3, sizeof *extended);
    if (!extended) return;
    memcpy(extended, arguments, count * sizeof *extended);
    extended[count] = (char *)option;
    extended[count + 1] = (char *)width;
    // If this fails, the tests run without a limit.
    execv("/proc/self/exe", extended);
    free(extended);
}
