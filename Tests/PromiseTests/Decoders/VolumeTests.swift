import Foundation
import Fuzzing
import Testing
import ThrongIngest
import ThrongPlan
import ThrongSystem

@Suite("Decoders: by the hundred thousand, odd and typed")
struct VolumeTests {
    private static let words = [
        "null", "true", "1e308", "-0", "9223372036854775808", "\"\"", "\\u0000", "\\ud800", "[[[[[[[[[", "{\"a\":",
        "},{",
        "\"events\":", "\"window\":1994640", "\"id\":\"\u{e9}\"", "\u{0}", ",\"at\":\"2026-11-20T11:59:00Z\"",
    ].map { Array($0.utf8) }

    @Test("500,000 bent documents are read or refused, in a hurry or not, as batch, preview, reveal and withdrawal")
    func documents() async throws { try await givingWay(Self.readDocuments) }

    private static func readDocuments() throws { try read(500_000, of: .batch, words: words, seed: 20) }

    @Test("100,000 bent firsts and as many questions for credentials, proved batches and evaluated values are, too")
    func proving() async throws {
        try await givingWay {
            let more = ["\"start\":-9223372036854775808", "\"start\":1795129200", "\"cell\":{\"os\":\"ios\"}"]
            let words = Self.words + more.map { Array($0.utf8) }
            for decoder in [FuzzedDecoder.first, .attested] {
                try Self.read(100_000, of: decoder, words: words, seed: 23)
            }
        }
    }

    private static func read(_ count: Int, of decoder: FuzzedDecoder, words: [[UInt8]], seed: UInt64) throws {
        let target = try decoder.target()
        var documents = OddBytes(
            of: try decoder.inputs().map(\.bytes).filter { $0.count < 2000 }, words: words, seed: seed)
        for number in 0..<count {
            let bytes = documents.next()
            do throws(FuzzFinding) {
                try target.read(bytes)
            } catch {
                throw Found("\(decoder) \(number): \(error)\n\(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    @Test("10,000 bent requests have the same answers however they are cut")
    func requests() async throws { try await givingWay(Self.readRequests) }

    private static func readRequests() throws {
        let target = try FuzzedDecoder.head.target()
        let words = [
            "\r\n", "host: x\r\n", "content-length: 3\r\n", "transfer-encoding: chunked\r\n", "0\r\n\r\n", "\u{0}",
        ]
        var requests = OddBytes(
            of: try FuzzedDecoder.head.inputs().map(\.bytes).filter { $0.count < 400 },
            words: words.map { Array($0.utf8) }, seed: 21)
        for number in 0..<10_000 {
            let bytes = requests.next()
            do throws(FuzzFinding) {
                try target.read(bytes)
            } catch {
                throw Found("request \(number): \(error)\n\(String(decoding: bytes, as: UTF8.self))")
            }
        }
    }

    @Test("of 200,000 typed batches each event is counted or refused, and most are counted")
    func typed() async throws { try await givingWay(Self.countTyped) }

    private static func countTyped() throws {
        let plan = try FuzzPlan()
        var batches = TypedBatches(seed: 22)
        var counting = Counting(space: plan.space, position: .start, watermark: .start)
        var keys: [WindowID: WindowKey] = [:]
        var (accepted, refused) = (0, 0)
        for number in 0..<200_000 {
            let (body, events) = batches.next()
            let outcome = try body.withUnsafeBufferPointer { try plan.intake.read($0, signals: [], now: FuzzPlan.now) }
            guard case .batch(let batch) = outcome else {
                throw Found("batch \(number) is none: \(String(decoding: body, as: UTF8.self))")
            }
            let window = batch.bucketed.window
            let key = keys[window] ?? .random()
            keys[window] = key
            guard
                case .counted(let counted) = counting.count(
                    batch.bucketed, identifier: batch.identifier.keyed(with: key), now: FuzzPlan.now)
            else {
                throw Found("batch \(number) is not counted: \(String(decoding: body, as: UTF8.self))")
            }
            accepted += counted.answer.accepted
            refused += counted.answer.refused.count
            guard counted.answer.accepted + counted.answer.refused.count == events else {
                throw Found("batch \(number) has \(events) events: \(counted.answer)")
            }
        }
        guard accepted > 2 * refused else { throw Found("\(accepted) of \(accepted + refused) are counted") }
    }
}
