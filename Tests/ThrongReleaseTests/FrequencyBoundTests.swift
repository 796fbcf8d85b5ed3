import Testing
import ThrongFaults
import ThrongPlan

@testable import ThrongRelease

@Suite("Attack 34: how often identifiers sent something, beside how often it was sent, proves no band to be small")
struct FrequencyBoundTests {
    /// By band: the fewest and the most events of one of its identifiers.
    private static let bands: [(label: BucketLabel, range: ClosedRange<Int64>)] = [
        ("1", 1...1), ("2-4", 2...4), (">=5", 5...100),
    ]
    private static func layout(
        _ metric: MetricName, _ dimensions: [MetricLayout.DimensionLayout], within: WindowLayout? = nil,
        floor: FloorKind
    ) -> MetricLayout {
        MetricLayout(
            app: "town", metric: metric, purpose: "product", rotation: Rotation(seconds: 86_400), period: .day,
            timeZone: "UTC", dimensions: dimensions, sums: [], contributionBound: within == nil ? 100 : 1,
            groupings: [.total] + dimensions.indices.map { Margin(keeping: [$0]) }, within: within,
            floor: floor)
    }

    /// The two metrics of a day.
    private enum Side: CaseIterable {
        case often, events

        func layout(_ floor: FloorKind = .any) -> MetricLayout {
            switch self {
            case .often:
                FrequencyBoundTests.layout(
                    "often", [Town.dimension("times", FrequencyBoundTests.bands.map(\.label))],
                    within: .frequency(bands: [1, 2, 5]), floor: floor)
            case .events: FrequencyBoundTests.layout("clicks", [], floor: floor)
            }
        }

        /// - Parameters:
        ///   - events: all that the identifiers sent.
        ///   - forged: what others sent without proof, where floors ask for it; nil where they don't.
        func cube(_ identifiers: [Int64], _ events: Int64, forged: Int64?) -> StoredCube {
            let layout = layout(forged == nil ? .any : .attested)
            let more = self == .often ? 0 : forged ?? 0
            let counted = self == .often ? identifiers.map { ($0, $0) } : [(events, identifiers.reduce(0, +))]
            let cells = counted.indices.map { CellIndex(UInt32($0)) }
            return StoredCube(
                layout: layout, period: Town.day(0),
                counters: zip(cells, counted).map { StoredCounter(measure: .count, cell: $0, value: $1.0 + more) }
                    + (layout.countsProved
                        ? zip(cells, counted).map {
                            StoredCounter(measure: layout.provedMeasure(of: .count), cell: $0, value: $1.0)
                        } : []),
                distinct: zip(cells, counted).map {
                    StoredDistinct(
                        margin: layout.leaf, cell: $0, window: layout.rotation.window(at: Town.day(0).start),
                        devices: $1.1)
                },
                top: [])
        }
    }

    private static let counted = CountedEvents(
        names: ["click"], audience: .terms(needsConsent: false, refusedBy: []))

    /// What is published, one metric after the other.
    private static func release(
        _ order: [Side], _ identifiers: [Int64] = [60, 40, 3], events: Int64, forged: Int64? = nil, isTied: Bool = true
    ) throws -> [Release] {
        let floor = forged == nil ? FloorKind.any : .attested
        var releases: [Release] = []
        for (place, side) in order.enumerated() {
            let tied = order.prefix(place).map { other in
                TiedMetric(
                    counted: counted, layout: other.layout(floor),
                    parts: [other.cube(identifiers, events, forged: forged)],
                    releases: releases.filter { $0.header.layout == other.layout(floor) })
            }
            let header = ReleaseHeader(
                layout: side.layout(floor), period: Town.day(0), plan: PlanVersion(hex: "00"),
                threshold: Threshold(devices: 20), sampling: 1, reach: false,
                groupings: side == .often ? [.total, Margin(keeping: [0])] : [.total], events: ["click"])
            let release = ReleaseCase(
                header: header, parts: [side.cube(identifiers, events, forged: forged)],
                tied: isTied ? Array(tied) : [],
                counted: counted)
            releases.append(try release.decide(ReleaseOptions(seed: 1)).release)
        }
        return releases
    }

    /// The most identifiers that the last band can hold, by enumeration of all bands that agree with what is published.
    ///
    /// - Parameter forged: how many events whoever looks has sent.
    private static func most(_ releases: [Release], forged: Int64 = 0) throws -> Int64 {
        let often = try #require(releases.first { $0.header.layout.metric == "often" })
        let clicks = releases.first { $0.header.layout.metric == "clicks" }
        let total = try #require(often.cell(CellIndex(0), in: .total)).count
        let events = (clicks?.cell(CellIndex(0), in: .total)?.count).map { $0 - forged }
        func known(_ band: Int) -> Int64? { often.cell(CellIndex(UInt32(band)), in: Margin(keeping: [0]))?.count }
        try #require(known(2) == nil, "the small band is withheld")
        return try #require(
            (0...total).filter { last in
                (0...total - last).contains { first in
                    let middle = total - last - first
                    guard known(0).map({ $0 == first }) ?? true, known(1).map({ $0 == middle }) ?? true else {
                        return false
                    }
                    let counts = [first, middle, last]
                    let least = zip(counts, bands).reduce(0) { $0 + $1.0 * $1.1.range.lowerBound }
                    let most = zip(counts, bands).reduce(0) { $0 + $1.0 * $1.1.range.upperBound }
                    return events.map { (least...most).contains($0) } ?? true
                }
            }.max())
    }

    @Test(
        "metrics that are released apart prove a band small; together, whichever is later gives way", arguments: [0, 1])
    func proves(first: Int) throws {
        let order = first == 0 ? [Side.events, .often] : [.often, .events]
        let apart = try Self.release(order, events: 190, isTied: false)
        #expect(apart.allSatisfy { $0.cell(CellIndex(0), in: .total) != nil })
        #expect(try Self.most(apart) < 20, "the control must be seen to fail")

        let ours = try Self.release(order, events: 190)
        #expect(try Self.most(ours) >= 20)
        #expect(ours.allSatisfy { $0.cell(CellIndex(0), in: .total) != nil } == (first == 0))
    }

    @Test("a flood of unproved events hides that from nobody who sent it", arguments: [0, 1])
    func flood(first: Int) throws {
        let order = first == 0 ? [Side.events, .often] : [.often, .events]
        let ours = try Self.release(order, events: 190, forged: 5000)
        #expect(try Self.most(ours, forged: 5000) >= 20)
        let fooled = try Fault.with([.trustForgers]) { try Self.release(order, events: 190, forged: 5000) }
        #expect(try Self.most(fooled, forged: 5000) < 20, "the control must be seen to fail")
    }

    @Test("where events leave room for none and for k in the small band, nothing more is withheld", arguments: [0, 1])
    func room(first: Int) throws {
        let order = first == 0 ? [Side.events, .often] : [.often, .events]
        let ours = try Self.release(order, [200, 40, 3], events: 360)
        #expect(try Self.most(ours) >= 20)
        let apart = try Self.release(order, [200, 40, 3], events: 360, isTied: false)
        #expect(ours.map(\.cells) == apart.map(\.cells))
        #expect(ours.contains { $0.cell(CellIndex(0), in: Margin(keeping: [0]))?.count == 200 })
    }

    @Test("events that no such identifiers can have sent bound nothing: they came for one of the two only")
    func contradiction() throws {
        let ours = try Self.release([.events, .often], events: 70)
        #expect(ours[1].cells.count == (try Self.release([.often], events: 70))[0].cells.count)
    }
}
