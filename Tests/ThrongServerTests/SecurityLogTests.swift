import Logging
import Synchronization
import Testing

@testable import ThrongServer

@Suite("What may be an attack is told: what kind, roughly how often, and seldom")
struct SecurityLogTests {
    /// Keeps what is logged.
    private final class Kept: LogHandler, Sendable {
        let lines = Mutex<[String]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }

        func log(event: LogEvent) {
            lines.withLock {
                $0.append("\(event.message) \(event.metadata?["what"] ?? ""): \(event.metadata?["times"] ?? "")")
            }
        }
    }

    private let kept = Kept()
    private let log: SecurityLog
    private let start = ContinuousClock.now

    init() {
        let kept = kept
        log = SecurityLog(Logger(label: "test") { _ in kept })
    }

    private var lines: [String] { kept.lines.withLock { $0 } }

    @Test("a flood of one kind is one line in ten minutes, and says no number but its size")
    func flood() {
        for _ in 0..<5000 { log.note(.signIn) }
        #expect(lines.isEmpty, "nothing is written when it comes")
        log.tell(at: start)
        #expect(lines == ["refused at the door sign-ins by no good token: 1000 or more"])
        for minute in 1..<10 {
            log.note(.signIn)
            log.tell(at: start + .seconds(60 * minute))
        }
        #expect(lines.count == 1)
        log.tell(at: start + SecurityLog.silence)
        #expect(lines.count == 2 && lines.last == "refused at the door sign-ins by no good token: under 10")
    }

    @Test("kinds keep each other from nothing; nothing new is no line; what is left is told at the end")
    func kinds() {
        for refusal in SecurityLog.Refusal.allCases { log.note(refusal) }
        log.tell(at: start)
        #expect(lines.count == SecurityLog.Refusal.allCases.count && Set(lines).count == lines.count)
        log.tell(at: start + .seconds(3600))
        #expect(lines.count == SecurityLog.Refusal.allCases.count)
        for _ in 0..<20 { log.note(.place) }
        log.tell(at: start + .seconds(3601), isLast: false)
        log.note(.place)
        log.tell(at: start + .seconds(3602), isLast: true)
        #expect(lines.suffix(2).map { $0.split(separator: ": ").last } == ["10 to 99", "under 10"])
    }

    @Test(
        "bands have one digit's worth of a number",
        arguments: [
            (1, "under 10"), (9, "under 10"), (10, "10 to 99"), (999, "100 to 999"), (1000, "1000 or more"),
            (.max, "1000 or more"),
        ])
    func bands(count: Int, band: String) { #expect(SecurityLog.band(count) == band) }
}
