import Foundation
import Fuzzing
import Testing

@Suite("Decoders: what libFuzzer found or kept is read again, without it")
struct CorpusTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    private static func inputs(of decoder: FuzzedDecoder) throws -> [(name: String, bytes: [UInt8])] {
        try FileManager.default.contentsOfDirectory(atPath: folder.appending(path: decoder.rawValue).path).sorted()
            .map { name in
                (name, Array(try Data(contentsOf: folder.appending(path: decoder.rawValue).appending(path: name))))
            }
    }

    @Test("each kept input is read, refused or not, and what comes of it can be", arguments: FuzzedDecoder.allCases)
    func replayed(decoder: FuzzedDecoder) throws {
        let inputs = try Self.inputs(of: decoder)
        #expect(inputs.count >= 5, "\(decoder) has only \(inputs.count) inputs in \(Self.folder.path)")
        let target = try decoder.target()
        for input in inputs {
            do throws(FuzzFinding) {
                try target.read(input.bytes)
            } catch {
                Issue.record("\(decoder)/\(input.name): \(error)")
            }
        }
    }

    @Test("the corpus stays small")
    func size() throws {
        let all = try FuzzedDecoder.allCases.flatMap { try Self.inputs(of: $0) }
        #expect(all.count <= 400)
        #expect(all.reduce(0) { $0 + $1.bytes.count } < 1 << 20)
    }
}
