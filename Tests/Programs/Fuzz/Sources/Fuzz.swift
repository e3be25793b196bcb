import FoundationEssentials

/// The parsers that take bytes of others, by the names of their corpora.
///
/// None may trap, hang or grow; an input that one accepts has the properties that its function names.
let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "envelope": fuzzEnvelope, "file-store": fuzzFileStore, "user-record": fuzzUserRecord, "state-files": fuzzStateFiles,
    "id-token": fuzzIDToken, "redirect": fuzzRedirect, "http-headers": fuzzHeaders, "json": fuzzJSON,
    "pass-xml": fuzzPassXML, "pass-answers": fuzzPassAnswers, "bus": fuzzBus,
]

/// The target that `FUZZ_TARGET` names.
private let target: @Sendable ([UInt8]) -> Void = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = targets[name] else {
        fatalError("FUZZ_TARGET is none of \(targets.keys.sorted().joined(separator: " "))")
    }
    return target
}()

/// Tries one input of the fuzzer.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    target(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
