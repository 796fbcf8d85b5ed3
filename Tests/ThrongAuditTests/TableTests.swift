import Testing
import ThrongAudit

@Suite("Attacks on released tables, as PostgreSQL holds them")
struct TableTests {
    /// All margins of a cube of 1 + sizes, cells under k left out.
    static func naive(_ sizes: [Int], values: [Int64], k: Int64, margins: [UInt32]? = nil, name: String = "release")
        -> AuditTable
    {
        var cells: [AuditTable.Cell] = []
        let shown = margins ?? (0..<(UInt32(1) << UInt32(sizes.count))).map { $0 }
        for margin in shown {
            var sums: [UInt32: Int64] = [:]
            for (leaf, value) in values.enumerated() where value > 0 {
                var rest = leaf
                var (cell, weight) = (UInt32(0), UInt32(1))
                for place in sizes.indices.reversed() {
                    if margin & (1 << UInt32(place)) != 0 {
                        cell += weight * UInt32(rest % sizes[place])
                        weight *= UInt32(sizes[place])
                    }
                    rest /= sizes[place]
                }
                sums[cell, default: 0] += value
            }
            for (cell, value) in sums where value >= k { cells.append(.init(margin: margin, cell: cell, count: value)) }
        }
        return AuditTable(
            source: name, app: "town", metric: "visits", period: Town.days(0, 1), threshold: k,
            dimensions: sizes.enumerated().map { place, size in
                .init(name: "d\(place)", elements: (0..<size).map { "b\($0)" })
            }, margins: shown, cells: cells)
    }

    @Test("cells keep their places: mixed radix, the last dimension fastest")
    func places() throws {
        var input = AuditInput()
        input.add(Self.naive([2, 3], values: [20, 30, 2, 40, 50, 60], k: 5))
        let report = Town.audit(input)
        let pin = try #require(report.pin(.exact, "d0=b0", "d1=b2"))
        #expect(pin.upper == 2)
    }

    @Test("sums of a withheld cell fall with its count")
    func sums() {
        let table = AuditTable(
            source: "release", app: "town", metric: "visits", period: Town.days(0, 1), threshold: 5,
            dimensions: [.init(name: "d0", elements: ["a", "b"])], sums: [.init(name: "euro", decimals: 2)],
            margins: [0, 1],
            cells: [
                .init(margin: 0, cell: 0, count: 100, sums: [5000]), .init(margin: 1, cell: 0, count: 97, sums: [4900]),
            ])
        var input = AuditInput()
        input.add(table)
        let report = Town.audit(input)
        #expect(report.pins.contains { $0.measure == .count && $0.upper == 3 })
        #expect(report.pins.contains { $0.measure == .sum("euro") && $0.upper == 1_000_000 })
    }

    @Test("a coarser dimension speaks of the buckets that it is made of: 9, two groupings that do not nest")
    func hierarchies() throws {
        let ages = ["18-24", "25-29", "30-34", "35-"]
        func table(_ dimension: AuditPlan.Dimension, _ counts: [Int64], _ source: String) -> AuditTable {
            AuditTable(
                source: source, app: "town", metric: "visits", period: Town.days(0, 1), threshold: 5,
                dimensions: [dimension], margins: [0, 1],
                cells: [.init(margin: 0, cell: 0, count: 113)]
                    + counts.enumerated().map { .init(margin: 1, cell: UInt32($0.offset), count: $0.element) })
        }
        var input = AuditInput()
        input.declare(.init(name: "age", elements: ages))
        input.add(table(.init(name: "decade", elements: ["18-24", "25-34", "35-"]), [40, 23, 50], "north"))
        input.add(table(.init(name: "half", elements: ["18-29", "30-34", "35-"]), [43, 20, 50], "south"))
        #expect(Town.audit(input).holds, "nothing says what the buckets have in common")
        input.express(
            "decade", by: "age", groups: ["18-24": ["18-24"], "25-34": ["25-29", "30-34"], "35-": ["35-"]])
        input.express("half", by: "age", groups: ["18-29": ["18-24", "25-29"], "30-34": ["30-34"], "35-": ["35-"]])
        let pin = try #require(Town.audit(input).pin(.exact, "age=25-29"))
        #expect(pin.upper == 3)
    }

    @Test("a report survives JSON")
    func json() throws {
        var input = AuditInput()
        input.add(Self.naive([2, 3], values: [20, 30, 2, 40, 50, 60], k: 5))
        let report = Town.audit(input)
        #expect(report.format == "throng-audit/1" && !report.holds && report.seconds > 0)
    }
}
