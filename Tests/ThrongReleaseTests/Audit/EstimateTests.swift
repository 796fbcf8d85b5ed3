import Testing
import throng_lab

@testable import ThrongAudit

@Suite("Estimates have the standard deviations of the page on margins")
struct EstimateTests {
    private static let day = "2026-11-16"

    private static func estimate(_ text: String, days: Range<Int> = 0..<1) throws -> AuditEstimate {
        var options = AuditOptions()
        options.combinations = [try #require(AuditCombination(text))]
        let report = Auditor(options: options).audit(try AuditTown().input(days: days))
        return try #require(report.estimates.first, "\(report.text)")
    }

    @Test("created and found less either: devices of three questions have independent noise")
    func devices() throws {
        let both = try Self.estimate(
            "1 created devices \(Self.day); 1 found devices \(Self.day); -1 either devices \(Self.day)")
        #expect(abs(both.deviation - 150.0.squareRoot()) < 1e-9 && both.promised == 5)
        #expect(abs(both.value - 152) < 5 * both.deviation)
    }

    @Test(
        "events of three questions that overlap: the estimate of one is that of all three, and closer than its number")
    func events() throws {
        let one = try Self.estimate("1 either events \(Self.day)")
        // Each has twice V, twice: 4 · (20 · 3 / 10)², or a little more where kept noise has the next rung. Of a and b
        // with the same variance as a + b, the best weights are 2/3 and 1/3.
        let single = 36.0 * (2 + 900.0 / 400)
        #expect(abs(one.deviation - (single * 2 / 3).squareRoot()) < 1e-6, "\(one.deviation)")
        #expect(one.promised == 6 && one.deviation > one.promised)
        #expect(abs(one.value - 2036) < 5 * one.deviation)
    }

    @Test("a total less its buckets that are shown is what is withheld, with noise of its own")
    func withheld() throws {
        let rest = try Self.estimate(
            "1 created devices \(Self.day); "
                + ["a", "b", "c", "d"].map { "-1 created devices \(Self.day) os=\($0)" }
                .joined(separator: "; "))
        #expect(abs(rest.deviation - (50 * (1 + 1.0 / 25)).squareRoot()) < 1e-9)
        #expect(abs(rest.value - 12) < 5 * rest.deviation)
    }

    @Test("a day less another loses the kept layer, and a sum of days adds it up")
    func days() throws {
        let change = try Self.estimate(
            "1 created devices \(Self.day); -1 created devices 2026-11-17", days: 0..<2)
        #expect(abs(change.deviation - 50.0.squareRoot()) < 1e-9)
        let sum = try Self.estimate("1 created devices \(Self.day); 1 created devices 2026-11-17", days: 0..<2)
        #expect(abs(sum.deviation - 150.0.squareRoot()) < 1e-9)
    }

    @Test("a number that was not published leaves the combination not examined")
    func absent() throws {
        var options = AuditOptions()
        options.combinations = [try #require(AuditCombination("1 created devices 2026-11-20"))]
        let report = Auditor(options: options).audit(try AuditTown().input())
        #expect(report.holds && report.exitCode == 3 && report.estimates.isEmpty)
        #expect(AuditCombination("created devices") == nil && AuditCombination("1 created devices d os") == nil)
    }

    @Test("combinations of three and of four are all looked at, or named as too many")
    func sizes() throws {
        var options = AuditOptions()
        options.size = 3
        let input = try AuditTown().input()
        let three = Auditor(options: options).audit(input)
        #expect(three.holds && three.unexamined.isEmpty && three.differences.count == 2)
        let devices = Double(input.numbers.count { $0.measure == .devices })
        let events = Double(input.numbers.count { $0.measure == .events })
        #expect(three.differences[0] == Int(devices * (devices - 1) + events * (events - 1)))
        options.limit = 10
        #expect(Auditor(options: options).audit(input).exitCode == 3)
    }
}
