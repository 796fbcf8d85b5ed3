package import ThrongNoise
import ThrongPlan

/// How the draws of a release are made consistent whose noise hides devices: numbers that add up, none below 0 where none can
/// be, and how far off each grouping's may be then.
///
/// Only drawn numbers and what was fixed before are looked at.
package struct ConsistentShape {
    private let families: [Family]
    /// By measure and family: the table.
    private let tables: [[ConsistentTable]]
    /// By measure and family: see ``ConsistentTable/errors(total:)``.
    private let errors: [[[Double]]]
    /// By measure: whether no counted number can be negative.
    private let isNonNegative: [Bool]
    /// Of each grouping's cells among all, and the end of the last.
    private let starts: [Int]
    private let total: Int
    /// By measure. Unit: the measure's.
    private let totalMargins: [Int64]

    /// What is published of a draw.
    package struct Numbers {
        /// One array a measure, one number a declared cell.
        package let values: [[Int64]]
        /// By grouping, one a measure.
        package let margins: [[Int64]]
    }

    /// Works out what does not depend on a draw.
    ///
    /// - Throws: ``NoiseError``.
    package init(_ header: ReleaseHeader) throws {
        let (layout, groupings) = (header.layout, header.groupings)
        let noise = header.noise
        guard let total = groupings.firstIndex(of: .total),
            let terms = try layout.noiseTerms(
                groupings: groupings, weights: noise?.weights, windows: noise?.windows ?? 1)
        else { throw NoiseError.emptyUniverse }
        let places = groupings.map { layout.declaredCells(of: [$0]).map(\.cell) }
        self.total = total
        starts = places.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        let families = Self.families(groupings, layout)
        self.families = families
        // A count is 0 or more, and so is a sum of values that are.
        isNonNegative = [true] + layout.sums.map { $0.lowest >= 0 }
        let totals = terms.groupings[total].distributions
        tables = totals.indices.map { measure in
            families.map { $0.table(layout, places, groupings) { terms.groupings[$0].distributions[measure] } }
        }
        errors = try zip(tables, totals).map { tables, noise in try tables.map { try $0.errors(total: noise) } }
        totalMargins = try totals.map { Int64(clamping: try $0.margin(missing: NoiseDistribution.oneInTwenty)) }
    }

    /// Makes a draw consistent.
    package func numbers(of draw: NoiseDraw) -> Numbers {
        var values = draw.values
        let none = Array(repeating: Int64(0), count: values.count)
        var margins = Array(repeating: none, count: starts.count - 1)
        for measure in values.indices {
            let drawn = values[measure][starts[total]]
            let settled = isNonNegative[measure] ? max(0, drawn) : drawn
            values[measure][starts[total]] = settled
            margins[total][measure] = totalMargins[measure]
            for (place, family) in families.enumerated() {
                let numbers = tables[measure][place].consistent(
                    family.members.map { Array(draw.values[measure][starts[$0]..<starts[$0 + 1]]) }, total: settled,
                    drawnTotal: drawn, errors: errors[measure][place], isNonNegative: isNonNegative[measure])
                for (place, member) in family.members.enumerated() {
                    values[measure].replaceSubrange(starts[member]..<starts[member + 1], with: numbers.values[place])
                    margins[member][measure] = numbers.margins[place]
                }
            }
        }
        return Numbers(values: values, margins: margins)
    }

    /// Groupings that share dimensions, one with the next, and the finest margin that refines them all.
    private struct Family {
        var members: [Int]
        var margin: Margin

        /// The table behind them.
        func table(
            _ layout: MetricLayout, _ places: [[CellIndex]], _ groupings: [Margin], noise: (Int) -> NoiseDistribution
        ) -> ConsistentTable {
            let cells = layout.declaredCells(of: [margin]).map(\.cell)
            return ConsistentTable(
                cells: cells.count,
                groupings: members.map { member in
                    let project = layout.projection(from: margin, to: groupings[member])
                    var numbers: [CellIndex: Int32] = [:]
                    for (number, cell) in places[member].enumerated() { numbers[cell] = Int32(number) }
                    return .init(
                        cells: places[member].count, places: cells.map { numbers[project($0)] ?? 0 },
                        noise: noise(member))
                })
        }
    }

    /// Tables with no dimension in common need nothing but the same total: any two of them have a common one.
    private static func families(_ groupings: [Margin], _ layout: MetricLayout) -> [Family] {
        var families: [Family] = []
        for (place, grouping) in groupings.enumerated() where grouping != .total {
            // What is made of another dimension's buckets is summed from those.
            let base = Margin(
                keeping: layout.dimensions.indices.filter(grouping.keeps).map {
                    layout.dimensions[$0].coarsening?.place ?? $0
                })
            var joined = Family(members: [place], margin: base)
            // Combinations that can't occur tie every dimension to every other.
            families.removeAll { family in
                guard !layout.impossible.isEmpty || family.margin.bits & joined.margin.bits != 0 else { return false }
                joined = Family(members: family.members + joined.members, margin: joined.margin.union(family.margin))
                return true
            }
            families.append(joined)
        }
        return families
    }
}

extension ReleaseHeader {
    /// The same with the margins that hold for consistent numbers.
    func stating(_ margins: [[Int64]]) -> ReleaseHeader {
        ReleaseHeader(
            layout: layout, period: period, plan: plan, threshold: threshold, sampling: sampling, reach: reach,
            groupings: groupings, protection: protection, sensitive: sensitive ?? [], noise: noise?.stating(margins),
            events: events)
    }
}
