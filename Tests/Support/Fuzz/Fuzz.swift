import Foundation
import Fuzzing

/// Gives one decoder whatever libFuzzer makes up, with AddressSanitizer watching. `Deploy/fuzz` builds and runs it.
///
/// The variable `THRONG_FUZZED` names the decoder: libFuzzer starts itself again with options of its own.
enum Fuzz {
    /// Made with the first input.
    static let target: any FuzzTarget = {
        let name = ProcessInfo.processInfo.environment["THRONG_FUZZED"] ?? ""
        guard let decoder = FuzzedDecoder(rawValue: name) else {
            let all = FuzzedDecoder.allCases.map(\.rawValue).joined(separator: ", ")
            preconditionFailure("THRONG_FUZZED is '\(name)', and no decoder is called so; there are \(all)")
        }
        do { return try decoder.target() } catch { preconditionFailure("\(decoder) can't be made: \(error)") }
    }()
}

/// What libFuzzer's own main calls.
@_cdecl("LLVMFuzzerTestOneInput")
func read(_ bytes: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    do throws(FuzzFinding) {
        try Fuzz.target.read(Array(UnsafeBufferPointer(start: bytes, count: size)))
    } catch {
        preconditionFailure("\(error)")
    }
    return 0
}

/// The program's main where SwiftPM gives it the target's name, so that tests can link programs: the linker asks for it then, and
/// takes it in place of libFuzzer's own.
@_cdecl("Fuzz_main")
func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
    var (count, arguments) = (count, arguments)
    return drive(&count, &arguments, read)
}

/// libFuzzer's driver, which its own main calls as well: `int LLVMFuzzerRunDriver(int *, char ***, int (*)(const uint8_t *, size_t))`.
@_silgen_name("LLVMFuzzerRunDriver")
private func drive(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
