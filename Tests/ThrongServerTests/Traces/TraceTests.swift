import Foundation
import Logging
import Testing

@testable import ThrongSystem

@Suite("Traces tell what is on a closed list, wait for nobody, and take nothing over from clients")
struct TraceTests {
    private struct Refusal: Error, CustomStringConvertible { let description = "the secret of Lovelace" }

    /// What a collector would be told of all that waits.
    private func told(_ queue: SpanQueue) throws -> (text: String, spans: [[String: Any]]) {
        let bytes = try TraceDocument.bytes(queue.take(.max))
        let document = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        let resources = try #require(document["resourceSpans"] as? [[String: Any]])
        let scopes = try #require(resources.first?["scopeSpans"] as? [[String: Any]])
        return (String(decoding: bytes, as: UTF8.self), try #require(scopes.first?["spans"] as? [[String: Any]]))
    }

    @Test("a span is told as OTLP has it: hexadecimal identifiers, 64-bit numbers as texts")
    func document() async throws {
        let queue = SpanQueue()
        let traces = Traces(queue, percent: 100)
        await traces.span(.flush) { span in
            span?.say(.cells, 12)
            span?.say(.app, "shop")
        }
        let span = try #require(try told(queue).spans.first)
        let (trace, own) = (try #require(span["traceId"] as? String), try #require(span["spanId"] as? String))
        #expect(trace.wholeMatch(of: /[0-9a-f]{32}/) != nil && own.wholeMatch(of: /[0-9a-f]{16}/) != nil)
        #expect(span["name"] as? String == "flush" && span["kind"] as? Int == 1)
        #expect(span["parentSpanId"] == nil && span["status"] == nil)
        let began = try #require(span["startTimeUnixNano"] as? String)
        let ended = try #require(span["endTimeUnixNano"] as? String)
        let (first, last) = (try #require(UInt64(began)), try #require(UInt64(ended)))
        #expect(first > 0 && first <= last)
        let facts = try #require(span["attributes"] as? [[String: Any]])
        #expect(facts.map { $0["key"] as? String } == ["throng.app", "throng.cells"])
        #expect((facts[0]["value"] as? [String: String]) == ["stringValue": "shop"])
        #expect((facts[1]["value"] as? [String: String]) == ["intValue": "12"])
    }

    @Test("neither an error's text nor a text that is too long is told")
    func closed() async throws {
        let queue = SpanQueue()
        let traces = Traces(queue, percent: 100)
        await #expect(throws: Refusal.self) {
            try await traces.span(.release) { span in
                span?.say(.metric, String(repeating: "the secret of Lovelace", count: 30))
                span?.say(.period, "2026-11-20")
                throw Refusal()
            }
        }
        let (text, spans) = try told(queue)
        #expect(!text.contains("Lovelace"))
        #expect(spans.map { $0["name"] as? String } == ["release"])
        #expect((spans[0]["status"] as? [String: Int]) == ["code": 2])
        #expect((spans[0]["attributes"] as? [[String: Any]])?.map { $0["key"] as? String } == ["throng.period"])
    }

    @Test("a span that is over says no more, and each has a trace of its own")
    func over() throws {
        let queue = SpanQueue()
        let traces = Traces(queue, percent: 100)
        for _ in 0..<2 {
            let span = traces.begin(.flush)
            span?.end()
            span?.say(.cells, 1)
        }
        let spans = try told(queue).spans
        #expect(Set(spans.compactMap { $0["traceId"] as? String }).count == 2)
        #expect(spans.allSatisfy { ($0["attributes"] as? [Any])?.isEmpty == true && $0["parentSpanId"] == nil })
    }

    @Test("nobody listens: no span; none of a hundred: those that are many are not followed, the others are")
    func sampling() async {
        #expect(!Traces.off.isOn)
        for name in SpanName.allCases { #expect(Traces.off.begin(name) == nil) }
        let queue = SpanQueue()
        let rare = Traces(queue, percent: 0)
        for name in SpanName.allCases { rare.begin(name)?.end() }
        #expect(queue.take(.max).map(\.name) == SpanName.allCases.filter { !$0.isSampled })
        let half = Traces(queue, percent: 50)
        let followed = (0..<4000).count { _ in half.begin(.request) != nil }
        // By chance outside of this once in 10^300.
        #expect((800...3200).contains(followed))
        let few = Traces(queue, percent: 1)
        let rarely = (0..<400_000).count { _ in few.begin(.journalCommit) != nil }
        #expect((2000...6000).contains(rarely))
        let all = Traces(queue, percent: 100)
        #expect((0..<4000).allSatisfy { _ in all.begin(.request) != nil })
    }

    @Test("a full queue drops what comes, counts it, and goes on once there is room")
    func full() {
        let queue = SpanQueue(most: 3)
        let traces = Traces(queue, percent: 100)
        for _ in 0..<10 { traces.begin(.flush)?.end() }
        #expect(queue.counts == counts(dropped: 7))
        #expect(queue.take(2).count == 2)
        for _ in 0..<10 { traces.begin(.flush)?.end() }
        #expect(queue.counts == counts(dropped: 15))
        #expect(queue.take(.max).count == 3 && queue.take(.max).isEmpty)
    }

    @Test("a span ends once, whoever ends it again")
    func once() {
        let queue = SpanQueue()
        let span = Traces(queue, percent: 100).begin(.flush)
        span?.end()
        span?.end(failed: true)
        #expect(queue.take(.max).map(\.isFailed) == [false])
    }

    private func counts(exported: Int = 0, dropped: Int = 0, failed: Int = 0) -> SpanQueue.Counts {
        var counts = SpanQueue.Counts()
        (counts.exported, counts.dropped, counts.failed) = (exported, dropped, failed)
        return counts
    }

    @Test(
        "a file gets a document a line, for its owner's eyes; a place that takes nothing costs spans and nothing else")
    func places() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "throng-traces-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }  // Of the test's own.
        let path = folder.appending(path: "traces.jsonl").path
        let queue = SpanQueue()
        let traces = Traces(queue, percent: 100)
        let exporter = TraceExporter(to: .file(path), from: queue)
        #expect(try await exporter.round())
        #expect(!FileManager.default.fileExists(atPath: path), "nothing to tell makes no file")
        for _ in 0..<2 {
            for _ in 0..<3 { traces.begin(.flush)?.end() }
            try await exporter.round()
        }
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        #expect(lines.count == 2 && lines.allSatisfy { $0.hasPrefix("{\"resourceSpans\":[") })
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(queue.counts == counts(exported: 6))

        // A folder can't be written to, and port 1 has no collector.
        let collector = try #require(TraceOptions.Collector("http://127.0.0.1:1"))
        for place in [TraceOptions.Place.file(folder.path), .collector(collector)] {
            traces.begin(.flush)?.end()
            let exporter = TraceExporter(to: place, from: queue)
            await #expect(throws: (any Error).self) { try await exporter.round() }
            // A round without spans does not fail again, and does not say that the place takes some now.
            for _ in 0..<2 { #expect(try await !exporter.round()) }
        }
        let late = TraceExporter(to: .file(folder.path + "/late/traces.jsonl"), from: queue)
        traces.begin(.flush)?.end()
        await #expect(throws: (any Error).self) { try await late.round() }
        try FileManager.default.createDirectory(atPath: folder.path + "/late", withIntermediateDirectories: false)
        #expect(try await !late.round())
        traces.begin(.flush)?.end()
        for _ in 0..<2 { #expect(try await late.round()) }
        #expect(queue.counts == counts(exported: 7, failed: 3))
    }

    @Test(
        "a collector is on this machine",
        arguments: [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces" as String?),
            ("http://localhost:4318/v1/traces", "http://localhost:4318/v1/traces"),
            ("http://[::1]:4318/other", "http://[::1]:4318/other"),
            ("https://collector.example:4318/v1/traces", nil), ("http://127.0.0.1.example:4318/", nil),
            ("http://127.0.0.1@example.com:80/", nil), ("http://127.0.0.1:0/", nil), ("http://127.0.0.1:70000/", nil),
            ("http://127.0.0.1/", nil), ("127.0.0.1:4318", nil), ("http://127.0.0.1:4318/a b", nil), ("", nil),
        ])
    func collectors(text: String, url: String?) {
        #expect(TraceOptions.Collector(text)?.url == url)
    }
}
