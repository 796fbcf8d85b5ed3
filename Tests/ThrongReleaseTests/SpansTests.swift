import Testing
import ThrongPlan

@_spi(Ledger) @testable import ThrongRelease

@Suite("which runs of days were released, and what of them everybody has")
struct SpansTests {
    private static let town = Town([Town.dimension("os", ["ios", "android"])], groupings: [[], [0]])

    private static func release(_ period: Period, cells: [Int], groupings: [[Int]] = [[], [0]]) -> Release {
        Release(
            remaining: town.header(period, groupings: groupings),
            cells: cells.map {
                Release.Row(
                    margin: Margin(keeping: [0]), cell: CellIndex(UInt32($0)), count: 50, sums: [], reach: nil)
            })
    }

    private static func spans(
        days: [Int], of period: Period = Town.week, earlier: [Release], groupings: [[Int]] = [[], [0]]
    ) throws -> (spans: Spans, frame: ReleaseFrame) {
        let cubes = try days.map { try town.cube($0, ["ios": .init(events: 50, devices: 30)]) }
        let release = ReleaseCase(
            header: town.header(period, groupings: groupings), parts: cubes, earlier: earlier)
        let frame = ReleaseFrame(release.parts, layout: town.layout)
        return (Spans(of: release, frame: frame), frame)
    }

    @Test("a week has its days as runs, then itself, and its days are its pieces")
    func week() throws {
        let (spans, frame) = try Self.spans(
            days: Array(0..<7), earlier: (0..<7).map { Self.release(Town.day($0), cells: [$0 % 2]) })
        #expect(spans.own == 0..<7)
        #expect(spans.all == (0..<7).map { $0..<$0 + 1 } + [0..<7])
        #expect(spans.pieces(of: 0..<7) == (0..<7).map { $0..<$0 + 1 })
        for day in 0..<7 {
            let slab = CubeSlab(frame, span: day..<day + 1, margin: Margin(keeping: [0]))
            #expect(spans.published(slab) == [CellIndex(UInt32(day % 2))])
        }
        #expect(spans.published(CubeSlab(frame, span: 0..<7, margin: Margin(keeping: [0]))).isEmpty)
        #expect(spans.published(CubeSlab(frame, span: 0..<1, margin: .total)).isEmpty)
    }

    @Test("days on which nothing was counted leave no gap; a day that was not released does")
    func gaps() throws {
        let days = [0, 2, 5]
        let (spans, _) = try Self.spans(days: days, earlier: days.map { Self.release(Town.day($0), cells: [0]) })
        #expect(spans.pieces(of: spans.own) == [0..<1, 1..<2, 2..<3])
        let (open, _) = try Self.spans(days: days, earlier: [0, 5].map { Self.release(Town.day($0), cells: [0]) })
        #expect(open.pieces(of: open.own) == nil)
    }

    @Test("the pieces of a longer run are the longest ones: a week before its days")
    func longest() throws {
        let month = Period(kind: .month, start: Town.monday, end: Town.monday + 30 * 86_400)
        let days = (0..<9).map { Self.release(Town.day($0), cells: [0]) }
        let (spans, _) = try Self.spans(
            days: Array(0..<9), of: month, earlier: days + [Self.release(Town.week, cells: [0])])
        #expect(spans.pieces(of: 0..<9) == [0..<7, 7..<8, 8..<9])
        #expect(spans.pieces(of: 0..<7) == (0..<7).map { $0..<$0 + 1 })
    }

    @Test("a week with one counted day is the same run as the day: what the day published is what the week has")
    func oneDay() throws {
        let (spans, frame) = try Self.spans(
            days: [3], earlier: [Self.release(Town.day(3), cells: [0], groupings: [[0]])], groupings: [[]])
        #expect(spans.all == [0..<1])
        #expect(spans.shown[0..<1] == [.total, Margin(keeping: [0])])
        #expect(spans.published(CubeSlab(frame, span: 0..<1, margin: Margin(keeping: [0]))) == [CellIndex(0)])
    }

    @Test("a release of other days is none of the case's")
    func elsewhere() throws {
        let (spans, _) = try Self.spans(days: [0, 1], earlier: [Self.release(Town.day(9), cells: [0])])
        #expect(spans.all == [0..<2])
    }
}
