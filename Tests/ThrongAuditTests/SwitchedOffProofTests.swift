import Testing
import ThrongAudit
import ThrongFaults
import ThrongPlan

/// What is withheld so that unions are of k devices (L2), and intervals wide (L3), and what the audit finds without it.
@Suite("Promise 5: what L2 and L3 are for, the audit finds without them", .serialized)
struct SwitchedOffProofTests {
    private typealias People = PlanTown.People

    /// A grid of five rows and columns in which each withheld cell has another beside and above it, and two small ones lie
    /// on a ring: what row 1 and row 2 less column 2 hold is x11 + x23. The other cells are so large that seven of 30 devices
    /// cost less than three of them.
    private static func ring(events: Int64, days: Range<Int> = 0..<1) -> [PlanTown.People] {
        var devices: [String: Int64] = [
            "r1 c1": 4, "r1 c2": 30, "r2 c2": 30, "r2 c3": 4, "r3 c3": 30, "r3 c1": 30,
            // A third small cell, in a square of its own.
            "r4 c4": 15, "r4 c5": 30, "r5 c4": 30, "r5 c5": 30,
        ]
        for row in 1...5 {
            for column in 1...5 where devices["r\(row) c\(column)"] == nil { devices["r\(row) c\(column)"] = 80_000 }
        }
        return devices.sorted { $0.key < $1.key }.map { place, devices in
            let values = place.split(separator: " ").map { String($0) }
            return People(
                devices: devices, values: ["row": values[0], "column": values[1]], events: ["visit": events], days: days
            )
        }
    }

    private static let grid = """
        row: {title: Row, field: row, list: [r1, r2, r3, r4, r5], partitions: devices}
        column: {title: Column, field: column, list: [c1, c2, c3, c4, c5], partitions: devices}
        """

    @Test("30: without L2, eight devices in two cells of a ring are known; L2 alone withholds them, and so does L3")
    func ring() throws {
        let plan = try PlanTown.plan(Self.grid, PlanTown.metric("visits", "visit", "row, column", bound: 1))
        let report = try PlanTown.audit(plan, Self.ring(events: 1), without: [.ignoreUnions, .skipIntervals])
        for place in ["column=c1, row=r1", "column=c3, row=r2"] {
            #expect(report.pin(.bounded, place)?.upper == 8, "\(report.text)")
        }
        for faults: Set<Fault> in [[.skipIntervals], [.ignoreUnions], []] {
            let ours = try PlanTown.audit(plan, Self.ring(events: 1), without: faults)
            #expect(ours.holds, "\(faults): \(ours.text)")
        }
    }

    @Test("30: the same of devices, where each sends eight events and devices are published")
    func devices() throws {
        let plan = try PlanTown.plan(
            Self.grid, PlanTown.metric("visits", "visit", "row, column", more: ", measures: {reach: true}"))
        let report = try PlanTown.audit(plan, Self.ring(events: 8), without: [.ignoreUnions, .skipIntervals])
        let pins = report.pins.filter { $0.measure == .reach && $0.upper == 8 }
        #expect(pins.contains { $0.target.contains("column=c1, row=r1") }, "\(report.text)")
        #expect(!report.pins.contains { $0.measure == .count }, "\(report.text)")
        // One device of the day before came late: that day's window is a second one.
        var late = People(devices: 1, values: ["row": "r5", "column": "c1"], events: ["visit": 8])
        late.areLate = true
        for people in [Self.ring(events: 8), Self.ring(events: 8) + [late]] {
            for faults: Set<Fault> in [[.skipIntervals], [.ignoreUnions], []] {
                let ours = try PlanTown.audit(plan, people, without: faults)
                #expect(ours.holds, "\(faults): \(ours.text)")
            }
        }
    }

    @Test("30: two days and their week, with one device that came late and counts on the second day")
    func week() throws {
        let plan = try PlanTown.plan(Self.grid, PlanTown.metric("visits", "visit", "row, column", bound: 1))
        let late = People(
            devices: 1, values: ["row": "r2", "column": "c3"], events: ["visit": 1], days: 1..<2)
        let people = Self.ring(events: 1, days: 0..<2) + [late]
        let periods = [
            PlanTown.day(0), PlanTown.day(1),
            Period(kind: .week, start: PlanTown.monday, end: PlanTown.monday + 7 * 86_400),
        ]
        let report = try PlanTown.audit(plan, people, without: [.ignoreUnions, .skipIntervals], periods)
        for upper: Int64 in [8, 9, 17] {
            #expect(
                report.pins.contains { $0.upper == upper && $0.target.contains("column=c3, row=r2") },
                "\(upper): \(report.text)")
        }
        let ours = try PlanTown.audit(plan, people, without: [], periods)
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("without L3, what two of seven people spent is known within a tenth")
    func sums() throws {
        let plan = try PlanTown.plan(
            """
            country: {title: Country, field: country, list: [AT, DE], partitions: devices}
            kind: {title: Kind, field: kind, list: [x, y], partitions: devices}
            """,
            PlanTown.metric(
                "orders", "order", "country, kind", bound: 1,
                more: ", measures: {sums: {spent: {field: amount, from: 0, to: 1000, decimals: 0}}}"))
        func people(_ country: String, _ kind: String, _ devices: Int64, _ amount: String) -> PlanTown.People {
            People(
                devices: devices, values: ["country": country, "kind": kind, "amount": amount], events: ["order": 1])
        }
        let town = [
            people("AT", "x", 7, "500"), people("AT", "y", 60, "1"), people("DE", "x", 60, "1"),
            people("DE", "y", 60, "1"),
        ]
        let report = try PlanTown.audit(plan, town, without: [.skipIntervals])
        let pin = try #require(report.pin(.close, "country=AT, kind=x"), "\(report.text)")
        #expect(pin.lower ?? 0 >= 3_400_000_000 && pin.upper ?? .max <= 3_560_000_000)
        let ours = try PlanTown.audit(plan, town, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("34: without L3 of count and sum together, a band's edges prove that few spent much")
    func bands() throws {
        let plan = try PlanTown.plan(
            "size: {title: Size, field: amount, bands: [1, 5]}",
            PlanTown.metric(
                "orders", "order", "size", bound: 1,
                more: ", measures: {sums: {spent: {field: amount, from: 0, to: 10, decimals: 0}}}"))
        let town = [("0.1", 48), ("0.9", 12), ("2", 30), ("3", 10), ("6", 3)].map { amount, devices in
            People(devices: devices, values: ["amount": amount], events: ["order": 1])
        }
        let report = try PlanTown.audit(plan, town, without: [.skipIntervals])
        #expect(report.pin(.bounded, "[5.0, inf)")?.upper == 6, "\(report.text)")
        let ours = try PlanTown.audit(plan, town, without: [])
        #expect(ours.holds, "\(ours.text)")
    }
}
