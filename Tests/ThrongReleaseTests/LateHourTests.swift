import Testing
import ThrongPlan

@testable import ThrongRelease

@Suite("Attack 32: a day's number less its hours' is not the one device that came too late for its hour")
struct LateHourTests {
    private static let groupings: [Margin] = [.total, Margin(keeping: [0]), Margin(keeping: [0, 1])]
    private static let hours = (0..<2).map {
        Period(kind: .hour, start: UnixSeconds($0 * 43_200), end: UnixSeconds(($0 + 1) * 43_200))
    }

    /// Two hours that make up a day, and the day, in which the first country has one device more: its hour was released
    /// when it came, the day was not.
    ///
    /// - Parameter order: which of the three is decided when.
    private static func town(_ order: [Int], late: Int64) -> TiedTown {
        var town = TiedTown(countries: 2, threshold: 5)
        for place in order {
            switch place {
            case 0:
                town.add("hourly", events: ["open"], values: [12, 9, 8, 10], groupings: groupings, period: hours[0])
            case 1: town.add("hourly", events: ["open"], values: [7, 11, 9, 6], groupings: groupings, period: hours[1])
            default:
                town.add(
                    "daily", events: ["open"], values: [20, 19 + late, 15, 18], groupings: groupings,
                    period: Period(kind: .day, start: .epoch, end: UnixSeconds(86_400)))
            }
        }
        return town
    }

    /// What a release tells of a country, or of both: its own number, its parts', or the rest of a larger one.
    private static func value(_ release: Release, of countries: [Int]) -> Int64? {
        let country = Margin(keeping: [0])
        func one(_ number: Int) -> Int64? {
            if let cell = release.cell(CellIndex(UInt32(number)), in: country) { return cell.count }
            let parts = [0, 1].compactMap { kind in
                release.cell(
                    release.header.layout.cell(buckets: [number, kind], in: release.header.layout.leaf),
                    in: release.header.layout.leaf)
            }
            return parts.count == 2 ? parts.reduce(0) { $0 + $1.count } : nil
        }
        let total = release.cell(CellIndex(0), in: .total)?.count
        if countries.count == 2 {
            if let total { return total }
            let both = countries.compactMap(one)
            return both.count == 2 ? both.reduce(0, +) : nil
        }
        if let own = one(countries[0]) { return own }
        if let total, let other = one(1 - countries[0]) { return total - other }
        return nil
    }

    /// What the day has besides its hours, wherever that can be computed.
    private static func late(_ town: TiedTown) -> [Int64] {
        [[0], [1], [0, 1]].compactMap { countries in
            let values = town.releases.map { (value($0, of: countries), $0.header.period.kind) }
            guard values.allSatisfy({ $0.0 != nil }) else { return nil }
            return values.reduce(0) { $0 + ($1.1 == .day ? 1 : -1) * ($1.0 ?? 0) }
        }
    }

    @Test("whatever is decided first", arguments: [[0, 1, 2], [0, 2, 1], [2, 0, 1]])
    func orders(order: [Int]) throws {
        var town = Self.town(order, late: 1)
        try town.decide(isTied: false)
        #expect(Self.late(town).contains(1), "the control must be seen to fail")
        try town.decide(isTied: true)
        #expect(Self.late(town).filter { 0 < abs($0) && abs($0) < 5 } == [])
        #expect(town.releases[0].cells.count > 3 && town.releases.map(\.cells.count).reduce(0, +) > 10)
    }

    @Test("with k late devices, or none, day and hours stand beside each other", arguments: [0, 5])
    func enough(late: Int64) throws {
        var town = Self.town([0, 1, 2], late: late)
        try town.decide(isTied: true)
        #expect(Self.late(town).contains(late))
    }
}
