import Foundation
import Logging
import Synchronization
import Testing

@testable import ThrongServer

@Suite("A log for programs has an object a line, whatever is in it")
struct JSONLogTests {
    private final class Lines: Sendable {
        let all = Mutex<[[UInt8]]>([])

        var objects: [[String: Any]] {
            get throws {
                try all.withLock { $0 }.map { line in
                    #expect(line.last == UInt8(ascii: "\n") && line.count { $0 < 32 } == 1)
                    return try #require(try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any])
                }
            }
        }
    }

    private struct Broken: Error, CustomStringConvertible {
        let description = "a \"broken\"\nline"
    }

    private func logger(_ lines: Lines) -> Logger {
        Logger(label: "throng") { label in JSONLog(label: label) { line in lines.all.withLock { $0.append(line) } } }
    }

    @Test("time, level, label, message and metadata, nested as they were")
    func fields() throws {
        let lines = Lines()
        var logger = logger(lines)
        logger[metadataKey: "app"] = "shop"
        logger.notice("listening", metadata: ["port": "\(8080)", "for": ["a", ["b": "c"]], "app": "news"])
        logger.info("plain")
        let objects = try lines.objects
        #expect(objects.count == 2)
        #expect(Set(objects[0].keys) == ["time", "level", "label", "message", "metadata"])
        #expect(objects[0]["level"] as? String == "notice" && objects[0]["label"] as? String == "throng")
        let metadata = try #require(objects[0]["metadata"] as? [String: Any])
        #expect(metadata["port"] as? String == "8080" && metadata["app"] as? String == "news")
        #expect((metadata["for"] as? [Any])?.first as? String == "a")
        #expect((metadata["for"] as? [Any])?.last as? [String: String] == ["b": "c"])
        let time = try #require(objects[0]["time"] as? String)
        #expect(time.hasSuffix("Z"))
        #expect(abs(try Date(time, strategy: .iso8601).timeIntervalSinceNow) < 3600)
        #expect((objects[1]["metadata"] as? [String: String]) == ["app": "shop"])
    }

    @Test("what others sent makes no line of its own; what is below the level is not there")
    func escaped() throws {
        let lines = Lines()
        let logger = logger(lines)
        let odd = "x\n{\"level\":\"critical\"}\r\u{0}\u{2028}\u{1b}[31m"
        logger.error("\(odd)", error: Broken(), metadata: ["\(odd)": "\(odd)"])
        logger.debug("not asked for")
        let objects = try lines.objects
        #expect(objects.count == 1 && objects[0]["message"] as? String == odd)
        #expect(objects[0]["error"] as? String == Broken().description)
        #expect((objects[0]["metadata"] as? [String: String]) == [odd: odd])
    }
}
