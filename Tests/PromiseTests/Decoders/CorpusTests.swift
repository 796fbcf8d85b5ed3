import Foundation
import Fuzzing
import Testing

@Suite("Decoders: what libFuzzer found or kept is read again, without it")
struct CorpusTests {
    @Test("each kept input is read, refused or not, and what comes of it can be", arguments: FuzzedDecoder.allCases)
    func replayed(decoder: FuzzedDecoder) throws {
        let inputs = try decoder.inputs()
        #expect(inputs.count >= 5, "\(decoder) has only \(inputs.count) inputs in \(decoder.corpus)")
        let target = try decoder.target()
        for input in inputs {
            do throws(FuzzFinding) {
                try target.read(input.bytes)
            } catch {
                Issue.record("\(decoder)/\(input.name): \(error)")
            }
        }
    }

    @Test("a program reads the same files by a decoder, and refuses a decoder that there is not")
    func program() throws {
        func run(_ arguments: [String]) throws -> (status: Int32, lines: Int) {
            let process = Process()
            let pipe = Pipe()
            process.executableURL = Bundle.main.bundleURL.appendingPathComponent("Fuzzing")
            process.arguments = arguments
            process.standardOutput = pipe
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, output.count { $0 == UInt8(ascii: "\n") })
        }
        let files = try FuzzedDecoder.proxy.inputs().map { "\(FuzzedDecoder.proxy.corpus)/\($0.name)" }
        #expect(try run(["proxy"] + files) == (0, files.count))
        #expect(try run(["prox"] + files) == (64, 0))
    }

    @Test("the corpus stays small")
    func size() throws {
        let all = try FuzzedDecoder.allCases.flatMap { try $0.inputs() }
        #expect(all.count <= 400)
        #expect(all.reduce(0) { $0 + $1.bytes.count } < 1 << 20)
    }
}
