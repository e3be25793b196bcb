import FoundationEssentials

/// The parsers of foreign bytes, by the names of their corpora.
///
/// None of them may trap, hang or grow. An accepted input has the properties that its function checks.
let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "envelope": fuzzEnvelope, "file-store": fuzzFileStore, "user-record": fuzzUserRecord, "state-files": fuzzStateFiles,
    "id-token": fuzzIDToken, "redirect": fuzzRedirect, "http-headers": fuzzHeaders, "json": fuzzJSON,
    "jws": fuzzJWS, "pass-xml": fuzzPassXML, "pass-answers": fuzzPassAnswers, "bus": fuzzBus, "fleet": fuzzFleet,
]

/// The target that `FUZZ_TARGET` names.
private let target: @Sendable ([UInt8]) -> Void = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = targets[name] else {
        fatalError("FUZZ_TARGET must be one of \(targets.keys.sorted().joined(separator: " "))")
    }
    return target
}()

/// Tries one input of the fuzzer.
@c(LLVMFuzzerTestOneInput)
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    target(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
