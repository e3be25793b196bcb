import SecretService
import Testing

@testable import SharedAuthRecords

struct FailedSearchesTests {
    @Test("Searches that fail alike are a contradiction; those that differ are changes")
    func searches() {
        func cause(_ searches: [(found: [String], missing: [String])]) -> FailedSearches.Cause {
            var failed = FailedSearches()
            for search in searches { failed.note(found: search.found, missing: search.missing) }
            return failed.cause
        }
        #expect(cause([]) == .changes)
        #expect(cause([(["a"], ["a"]), (["a"], ["a"])]) == .ghosts(1))
        #expect(cause([(["a", "b"], ["a"]), (["a", "c"], ["a", "c"])]) == .ghosts(1))
        #expect(cause([(["a"], ["a"]), (["b"], ["b"])]) == .changes)
        #expect(cause([(["a", "b"], []), (["b", "a"], [])]) == .contradiction(2))
        #expect(cause([(["a", "b"], ["a"]), (["a", "b"], ["b"])]) == .contradiction(2))
        for cause in [FailedSearches.Cause.ghosts(1), .contradiction(2)] {
            let error = SecretServiceError(cause, of: "the record")
            #expect(error.remedy?.contains("sharedauth doctor") == true && error.remedy?.contains("Try again") == false)
        }
    }
}
