import FoundationEssentials
import Testing

struct ReadmeTests {
    @Test func `the first example is the sample Hello, which is built`() throws {
        let package = URL(filePath: #filePath).appending(path: "../../../..").standardized
        let readme = try String(contentsOf: package.appending(path: "README.md"), encoding: .utf8)
        let sample = try String(contentsOf: package.appending(path: "Samples/Hello/Hello.swift"), encoding: .utf8)
        let example = try #require(
            readme.split(separator: "```swift\n", maxSplits: 1).last?.split(separator: "```").first
        )
        #expect(example == sample)
    }
}
