import Logging
import Synchronization
import Testing
import ThrongWire

@testable import ThrongServer

@Suite("Once an hour the log says that more than one event in twenty was refused, and how one looked; never a value")
struct RefusedHourTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])
    }

    private let lines = Lines()
    private let telemetry = Telemetry()
    private let logger: Logger
    private let start = ContinuousClock.now

    init() {
        let lines = lines
        logger = Logger(label: "test") { label in
            JSONLog(label: label) { line in lines.all.withLock { $0.append(String(decoding: line, as: UTF8.self)) } }
        }
    }

    private func answer(accepted: Int, _ refused: (RefusalReason, RefusalDetail?, Int)...) {
        let refusals = refused.flatMap { reason, detail, count in
            (0..<count).map { BatchAnswer.Refusal(index: $0, reason: reason, detail: detail) }
        }
        telemetry.answered(.accepted, BatchAnswer(accepted: accepted, refused: refusals))
    }

    /// The lines that are logged at the end of an hour.
    private func logged(after hours: Int = 1) -> [String] {
        telemetry.tellRefusals(logger, at: start + .seconds(3600 * hours + 60))
        return lines.all.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }

    private let comma = RefusalDetail(pointer: "/events/0/fields", field: "price", found: "text with a comma")

    @Test("the reason of most, its share, the plan's field and the shape are told, once; the next hour is another")
    func told() throws {
        answer(accepted: 94, (.invalidValue, comma, 5), (.tooOld, nil, 1))
        telemetry.tellRefusals(logger, at: start + .seconds(3000))
        let line = try #require(logged().first)
        #expect(lines.all.withLock { $0.isEmpty })
        for words in [
            #""level":"warning""#, "of the last hour's events more than one in twenty changed no counter",
            #""percent":"6""#, #""most":"invalid_value""#, #""example":"price: text with a comma""#,
        ] { #expect(line.contains(words)) }
        #expect(logged().isEmpty)
        answer(accepted: 200, (.invalidValue, comma, 5))
        #expect(logged(after: 3).isEmpty)
    }

    @Test("one in twenty, few events, and what people wish are no news")
    func untold() {
        answer(accepted: 95, (.invalidValue, comma, 5))
        #expect(logged().isEmpty)
        answer(accepted: 10, (.invalidValue, comma, 80))
        #expect(logged(after: 3).isEmpty)
        answer(accepted: 100, (.optedOut, nil, 60), (.consentOutdated, nil, 60))
        #expect(logged(after: 5).isEmpty)
    }

    @Test("the operator's page has an example of each reason, and looks for a fault where there are many")
    func page() throws {
        answer(
            accepted: 90, (.invalidValue, comma, 8),
            (.unknownField, RefusalDetail(pointer: "/context", nearest: "os"), 2),
            (.unknownEvent, RefusalDetail(pointer: "/events/3/event"), 1),
            (.invalidValue, RefusalDetail(pointer: "/events/1/at", expected: "an RFC 3339 time"), 1), (.tooOld, nil, 1))
        _ = logged()
        let health = telemetry.health(Telemetry.Gauges(), journalCap: 1, now: .epoch)
        #expect(
            health.refusals.map { "\($0.reason) \($0.count) \($0.example)" } == [
                "invalid_value 9 price: text with a comma", "unknown_field 2 a name like os", "too_old 1 ",
                "unknown_event 1 event",
            ])
        #expect(health.panels.first?.facts.first { $0.label == "Events refused" }?.isAlarm == true)
    }
}
