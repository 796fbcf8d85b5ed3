import Testing
import ThrongFaults
import ThrongPlan

@testable import ThrongRelease

/// Attack 43, on published numbers only: devices that prove themselves in a period, and those that claim what they never did.
@Suite(
    "Promise 5, of reach: attested: k is compared with the devices of a period that proved themselves, borne out by events"
)
struct ProvedFirstsTests {
    private static let groupings = [[], [0], [1], [0, 1]]

    private static func layout(
        _ periods: [PeriodKind] = [.day], floor: FloorKind = .attested, groupings: [[Int]] = groupings
    ) -> MetricLayout {
        MetricLayout(
            app: "town", metric: "visits", purpose: "product", rotation: Rotation(seconds: 900), period: .day,
            timeZone: "UTC",
            dimensions: [
                Town.dimension("page", ["home", "help"], partitions: false), Town.dimension("os", ["ios", "android"]),
            ], sums: [], contributionBound: 10, groupings: groupings.map { Margin(keeping: $0) },
            provedPeriods: periods,
            floor: floor)
    }

    /// Devices that are in the cells of these pages, one event each, four of them in a window.
    private struct Crowd {
        let os: Int
        let pages: Set<Int>
        let devices: Int64
        /// How many of them prove themselves; nil for all.
        var proved: Int64?
    }

    private static let perWindow: Int64 = 4

    private static func cell(_ page: Int, _ os: Int, in margin: Margin, _ layout: MetricLayout) -> CellIndex {
        layout.project(layout.cell(buckets: [page, os], in: layout.leaf), from: layout.leaf, to: margin)
    }

    private static func cube(_ crowds: [Crowd], _ layout: MetricLayout, day: Int = 0) -> StoredCube {
        var events: [CellIndex: Int64] = [:]
        for crowd in crowds {
            for page in crowd.pages {
                events[cell(page, crowd.os, in: layout.leaf, layout), default: 0] += crowd.devices
            }
        }
        let measures = [MeasureIndex.count] + (layout.countsProved ? [layout.provedMeasure(of: .count)] : [])
        var distinct: [StoredDistinct] = []
        let first = layout.rotation.window(at: Town.day(day).start).value
        for margin in layout.trackedMargins {
            for window in 0..<Int64(96) {
                var present: [CellIndex: Int64] = [:]
                for crowd in crowds {
                    let here = min(perWindow, crowd.devices - window * perWindow)
                    guard here > 0 else { continue }
                    for cell in Set(crowd.pages.map({ cell($0, crowd.os, in: margin, layout) })) {
                        present[cell, default: 0] += here
                    }
                }
                distinct += present.map {
                    StoredDistinct(
                        margin: margin, cell: $0.key, window: WindowNumber(first + window), devices: $0.value)
                }
            }
        }
        return StoredCube(
            layout: layout, period: Town.day(day),
            counters: events.flatMap { cell, count in
                measures.map { StoredCounter(measure: $0, cell: cell, value: count) }
            }.sorted { ($0.measure, $0.cell) < ($1.measure, $1.cell) },
            distinct: distinct.sorted { ($0.margin, $0.window, $0.cell) < ($1.margin, $1.window, $1.cell) })
    }

    private static func claims(_ crowds: [Crowd], _ layout: MetricLayout, _ period: Period = Town.day(0))
        -> ProvedDevices
    {
        var rows: [Margin: [CellIndex: Int64]] = [:]
        for margin in layout.provedFirsts?.margins ?? [] {
            for crowd in crowds {
                for cell in Set(crowd.pages.map({ cell($0, crowd.os, in: margin, layout) })) {
                    rows[margin, default: [:]][cell, default: 0] += crowd.proved ?? crowd.devices
                }
            }
        }
        return ProvedDevices(
            period: period,
            rows: rows.flatMap { margin, cells in cells.map { .init(margin: margin, cell: $0.key, devices: $0.value) } }
        )
    }

    private static func header(_ layout: MetricLayout, _ period: Period = Town.day(0)) -> ReleaseHeader {
        ReleaseHeader(
            layout: layout, period: period, plan: PlanVersion(hex: String(repeating: "5e", count: 32)),
            threshold: .standard, sampling: 1, reach: true,
            groupings: groupings.map { Margin(keeping: $0) }.sorted())
    }

    private static func decide(
        _ crowds: [Crowd], claiming claims: ProvedDevices? = nil, _ layout: MetricLayout = layout(),
        without faults: Set<Fault> = []
    ) throws -> Release {
        let release = ReleaseCase(
            header: header(layout), parts: [cube(crowds, layout)], proved: [claims ?? Self.claims(crowds, layout)])
        return try Fault.with(faults) { try release.decide(ReleaseOptions(seed: 3)).release }
    }

    private static func number(_ release: Release, page: Int? = nil, os: Int? = nil) -> PublishedCell? {
        let margin = Margin(keeping: [page.map { _ in 0 }, os.map { _ in 1 }].compactMap { $0 })
        let cell = release.header.layout.cell(buckets: [page, os].compactMap { $0 }, in: margin)
        return release.cells.first { $0.margin == margin && $0.cell == cell }
    }

    @Test(
        "where windows have a few devices each, a day's numbers are those of its devices; without firsts there are none"
    )
    func published() throws {
        let crowds = [
            Crowd(os: 0, pages: [0], devices: 60), Crowd(os: 0, pages: [1], devices: 40),
            Crowd(os: 1, pages: [0], devices: 50), Crowd(os: 1, pages: [1], devices: 30),
        ]
        let release = try Self.decide(crowds)
        #expect(release.cells.count == 9)
        #expect(Self.number(release)?.reach?.devices == 180 && Self.number(release)?.count == 180)
        #expect(Self.number(release, page: 0)?.reach?.devices == 110)
        #expect(Self.number(release, page: 1, os: 1)?.reach?.devices == 30)
        let none = ProvedDevices(period: Town.day(0), rows: [])
        #expect(try Self.decide(crowds, claiming: none).cells.isEmpty)
        // Another day's say nothing of this one.
        let tomorrow = Self.claims(crowds, Self.layout(), Town.day(1))
        #expect(try Self.decide(crowds, claiming: tomorrow).cells.isEmpty)
    }

    @Test("nineteen claims without an event beside one of a real device lift nothing; nineteen devices with one do")
    func claimsWithoutEvents() throws {
        let crowds = [Crowd(os: 0, pages: [0], devices: 60), Crowd(os: 1, pages: [1], devices: 1)]
        let layout = Self.layout()
        var rows = Self.claims(crowds, layout).rows.filter { $0.cell != Self.cell(1, 1, in: $0.margin, layout) }
        rows +=
            layout.provedFirsts?.margins.map { margin in
                .init(margin: margin, cell: Self.cell(1, 1, in: margin, layout), devices: 20)
            } ?? []
        let fooled = ProvedDevices(period: Town.day(0), rows: rows)
        let release = try Self.decide(crowds, claiming: fooled)
        #expect(Self.number(release, page: 1) == nil && Self.number(release, os: 1) == nil)
        #expect(
            Self.number(release) == nil || Self.number(release, os: 0) == nil, "the rest of one would be one device")
        let real = [Crowd(os: 0, pages: [0], devices: 60), Crowd(os: 1, pages: [1], devices: 20)]
        #expect(Self.number(try Self.decide(real), page: 1, os: 1)?.reach?.devices == 20)
    }

    @Test("a claim of a part that the whole lacks counts nobody in the part")
    func unequal() throws {
        let layout = Self.layout()
        let rows: [ProvedDevices.Row] = [
            .init(margin: Margin(keeping: [1]), cell: CellIndex(0), devices: 25),
            .init(margin: layout.leaf, cell: Self.cell(0, 0, in: layout.leaf, layout), devices: 60),
        ]
        let span = ProvedSpan(
            ProvedDevices(period: Town.day(0), rows: rows), span: 0..<1,
            of: [Self.cube([Crowd(os: 0, pages: [0], devices: 60)], layout)], layout)
        #expect(span.devices[layout.leaf]?[Self.cell(0, 0, in: layout.leaf, layout)] == 25)
        #expect(span.devices[Margin(keeping: [1])]?[CellIndex(0)] == 25)
    }

    @Test("where not all prove themselves, numbers whose windows reach k go without their number of devices")
    func partly() throws {
        let layout = Self.layout()
        let crowds = [
            Crowd(os: 0, pages: [0, 1], devices: 60, proved: 3), Crowd(os: 1, pages: [0, 1], devices: 70, proved: 3),
        ]
        var cube = Self.cube(crowds, layout)
        // All of them in one window, too.
        cube = StoredCube(
            layout: layout, period: cube.period, counters: cube.counters,
            distinct: layout.trackedMargins.flatMap { margin in
                crowds.flatMap { crowd in
                    Set(crowd.pages.map { Self.cell($0, crowd.os, in: margin, layout) }).map {
                        StoredDistinct(margin: margin, cell: $0, window: WindowNumber(0), devices: crowd.devices)
                    }
                }
            })
        let release = try ReleaseCase(header: Self.header(layout), parts: [cube], proved: [Self.claims(crowds, layout)])
            .decide(ReleaseOptions(seed: 3)).release
        #expect(release.cells.count == 9 && release.cells.allSatisfy { $0.reach == nil })
    }

    @Test("how few devices of a day did not see a page is not told; without the protection it is")
    func absent() throws {
        let crowds = [Crowd(os: 0, pages: [0, 1], devices: 60), Crowd(os: 0, pages: [0], devices: 3)]
        let release = try Self.decide(crowds)
        let (all, part) = (Self.number(release), Self.number(release, page: 1))
        #expect(all?.reach == nil || part?.reach == nil)
        let fooled = try Self.decide(crowds, without: [.countAbsent])
        #expect(Self.number(fooled)?.reach?.devices == 63 && Self.number(fooled, page: 1)?.reach?.devices == 60)
    }

    @Test("a week has firsts of its own, and does not tell how few of its devices a published day lacks")
    func week() throws {
        let layout = Self.layout([.day, .week])
        func week(beyondMonday more: Int64) throws -> Int64? {
            let days = [[Crowd(os: 0, pages: [0], devices: 60)], [Crowd(os: 0, pages: [0], devices: 40)]]
            let cubes = days.enumerated().map { Self.cube($0.element, layout, day: $0.offset) }
            let proved = days.enumerated().map { Self.claims($0.element, layout, Town.day($0.offset)) }
            let releases = try (0..<2).map { day in
                try ReleaseCase(header: Self.header(layout, Town.day(day)), parts: [cubes[day]], proved: [proved[day]])
                    .decide(ReleaseOptions(seed: 3)).release
            }
            #expect(releases.map { Self.number($0)?.reach?.devices } == [60, 40])
            let all = Self.claims([Crowd(os: 0, pages: [0], devices: 60 + more)], layout, Town.week)
            let release = try ReleaseCase(
                header: Self.header(layout, Town.week), parts: cubes, earlier: releases, proved: proved + [all]
            ).decide(ReleaseOptions(seed: 3)).release
            #expect(Self.number(release)?.count == 100)
            return Self.number(release)?.reach?.devices
        }
        #expect(try week(beyondMonday: 30) == 90)
        #expect(try week(beyondMonday: 0) == 60)
        #expect(try week(beyondMonday: 7) == nil)
    }

    @Test("the period is no window more, and its devices are not added to those of windows")
    func countRule() {
        func rule(_ events: Int64, windows: [Int64], period: Int64, bound: Int = 10) -> CountRule {
            var rows = windows.enumerated().map {
                DeviceCounts.Row(window: .init(part: 0, number: Int64($0.offset)), bucket: 0, devices: $0.element)
            }
            rows.append(.init(window: .init(part: 0, number: 0, length: 1), bucket: 0, devices: period))
            return CountRule(events: events, devices: DeviceCounts(rows), bound: bound)
        }
        // Two windows let one device send twenty, and not thirty.
        #expect(rule(1000, windows: [5, 5], period: 9).largest == 20)
        // Eight others in all windows, or 24 in the period: 24 events are not its own, and not 32.
        #expect(rule(40, windows: [5, 5], period: 25, bound: 1000).largest == 16)
        #expect(rule(40, windows: [15, 15], period: 20, bound: 1000).largest == 12)
        #expect(rule(40, windows: [], period: 25).largest == 16)
        #expect(
            DeviceCounts([
                .init(window: .init(part: 0, number: 0), bucket: 0, devices: 7),
                .init(window: .init(part: 0, number: 0, length: 1), bucket: 0, devices: 9),
                .init(window: .init(part: 0, number: 0, length: 1), bucket: 1, devices: 8),
            ]).floor == 17)
    }

    @Test("a release over such a layout reads back as it was, and says what its numbers of devices stand on")
    func headers() throws {
        let layout = Self.layout([.day, .week])
        #expect(try MetricLayout(json: layout.json) == layout)
        #expect(Self.header(layout).provesFirsts && Self.header(layout, Town.week).provesFirsts)
        let month = Period(kind: .month, start: Town.monday, end: Town.monday + 30 * 86_400)
        #expect(!Self.header(layout, month).provesFirsts)
        #expect(layout.id != Self.layout([]).id)
        #expect(!String(decoding: Self.layout([]).json, as: UTF8.self).contains("provedFirsts"))
    }
}
