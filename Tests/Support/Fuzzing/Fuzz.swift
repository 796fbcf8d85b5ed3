import Foundation

#if LIBFUZZER
    /// Gives one decoder whatever libFuzzer makes up, with AddressSanitizer watching. `Deploy/fuzz` builds and runs it.
    ///
    /// The variable `THRONG_FUZZED` names the decoder: libFuzzer starts itself again with options of its own.
    enum Fuzz {
        /// Made with the first input.
        static let target: any FuzzTarget = {
            let name = ProcessInfo.processInfo.environment["THRONG_FUZZED"] ?? ""
            guard let decoder = FuzzedDecoder(rawValue: name) else {
                preconditionFailure("THRONG_FUZZED is '\(name)', and no decoder is called so; \(FuzzedDecoder.names)")
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

    /// The program's main where SwiftPM gives it the target's name, so that tests can link programs: the linker asks for it
    /// then, and takes it in place of libFuzzer's own.
    @_cdecl("Fuzzing_main")
    func fuzz(_ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> CInt {
        var (count, arguments) = (count, arguments)
        return drive(&count, &arguments, read)
    }

    /// libFuzzer's driver, which its own main calls as well:
    /// `int LLVMFuzzerRunDriver(int *, char ***, int (*)(const uint8_t *, size_t))`.
    @_silgen_name("LLVMFuzzerRunDriver")
    private func drive(
        _ count: UnsafeMutablePointer<CInt>,
        _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
        _ read: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
    ) -> CInt
#else
    /// Reads files by one decoder, without libFuzzer: Fuzzing DECODER FILE….
    @main
    struct Fuzz {
        static func main() throws {
            let arguments = CommandLine.arguments.dropFirst()
            guard let name = arguments.first, let decoder = FuzzedDecoder(rawValue: name) else {
                FileHandle.standardError.write(Data("Say Fuzzing DECODER FILE…; \(FuzzedDecoder.names).\n".utf8))
                exit(64)
            }
            let target = try decoder.target()
            for path in arguments.dropFirst() {
                let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
                do throws(FuzzFinding) {
                    try target.read(bytes)
                } catch {
                    print("\(path): \(error)")
                    exit(1)
                }
                print("\(path): read or refused")
            }
        }
    }
#endif

extension FuzzedDecoder {
    /// All of them, for people who named none.
    fileprivate static var names: String { "the decoders are \(allCases.map(\.rawValue).joined(separator: ", "))" }
}
