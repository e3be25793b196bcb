import SecretService
import Testing

struct ErrorTests {
    @Test func `Errors are matched by code and described without secrets`() {
        let error = SecretServiceError(code: .locked, message: "GetSecret on /x: it is locked.", outcomeIsUnknown: true)
        do {
            throw error
        } catch SecretServiceError.Code.dismissed {
            Issue.record("the wrong code matched")
        } catch SecretServiceError.Code.locked {
            #expect("\(error)".hasPrefix("locked: GetSecret on /x: it is locked."))
            #expect("\(error)".contains("unknown"))
        } catch {
            Issue.record("no code matched")
        }
    }

    @Test func `Deadlines run down and never below zero`() {
        #expect(Deadline.after(.seconds(-5)).remaining == .zero)
        #expect(Deadline.after(.seconds(-5)).isPast)
        let later = Deadline.after(.seconds(60))
        #expect(!later.isPast)
        #expect(later.remaining > .seconds(50))
        #expect(later.remaining <= .seconds(60))
    }
}
