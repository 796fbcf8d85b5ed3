import ThrongNoise
import ThrongPlan

extension MarginCase {
    /// Makes the release: the numbers that are shown, with their margins, and the reasons why the rest is not.
    ///
    /// - Parameters:
    ///   - crowds: the devices behind the numbers; those that the release tells come last. A number that any of them
    ///     shows is shown.
    ///   - kinds: the number of ways in which devices are known.
    ///   - squares: the squares of the widths, by measure; that of devices comes last.
    func released(
        _ shape: MarginShape, _ numbers: [Numbers], _ crowds: [[Margin: DrawnCrowd]], kinds: Int, squares: [Int64]
    ) throws(NoiseError) -> ReleaseDecision {
        var cells: [PublishedCell] = []
        var withheld: [WithheldCell] = []
        var stated: [ReleaseMargins.Grouping] = []
        for grouping in shape.parts.map(\.grouping) {
            let behind = crowds.compactMap { $0[grouping] }
            let touched = touchedCells(of: grouping)
            var shown: Set<Int> = []
            for place in 0..<header.layout.size(of: grouping) {
                let cell = CellIndex(UInt32(place))
                if behind.contains(where: { $0.isShown[place] }) {
                    shown.insert(place)
                    cells.append(published(grouping, cell, numbers, behind))
                } else if touched.contains(place) {
                    let floor = behind.map { $0.floors[place] }.max() ?? 0
                    let isReached = behind.contains { $0.floors[place] >= $0.threshold }
                    withheld.append(
                        WithheldCell(
                            margin: grouping, cell: cell,
                            reason: isReached ? .nearThreshold : .small(floor: DeviceFloor(devices: floor))))
                }
            }
            stated.append(try margins(of: grouping, numbers, behind.last, shown))
        }
        var told = header
        told.margins = ReleaseMargins(
            cost: try cost(shape, kinds: kinds), groupings: stated, squares: squares, events: texts.events)
        return ReleaseDecision(release: Release(decided: told, cells: cells), withheld: withheld)
    }

    /// Returns the ρ of everything that is drawn for the first time.
    private func cost(_ shape: MarginShape, kinds: Int) throws(NoiseError) -> String {
        let isSum = header.period.kind != header.layout.period
        return try MarginCost(
            shape, header.layout, header.threshold, factors: factors, drawsEvents: !isSum,
            kindsOfDevices: isSum ? max(0, kinds - 1) : kinds
        ).text
    }

    private func published(
        _ grouping: Margin, _ cell: CellIndex, _ numbers: [Numbers], _ crowds: [DrawnCrowd]
    ) -> PublishedCell {
        let place = Int(cell.value)
        let drawn = numbers.map { $0.whole[grouping]?[place] ?? 0 }
        // Whatever is never below 0 is 0 where its number is below: that is nearer to any truth.
        let values = drawn.indices.map { isSigned($0) ? drawn[$0] : max(0, drawn[$0]) }
        let told = crowds.last.flatMap { $0.isShown[place] && header.layout.hasIdentifiers ? $0.whole[place] : nil }
        return PublishedCell(
            margin: grouping, cell: cell, count: values[0], sums: Array(values.dropFirst()),
            reach: header.reach && !header.hasFirsts ? told.map { DeviceFloor(devices: $0) } : nil,
            firsts: header.hasFirsts ? told : nil)
    }

    /// True if a measure may be below 0: a sum of a field whose least value is.
    private func isSigned(_ measure: Int) -> Bool { measure > 0 && header.layout.sums[measure - 1].lowest < 0 }

    private func margins(
        of grouping: Margin, _ numbers: [Numbers], _ crowd: DrawnCrowd?, _ shown: Set<Int>
    ) throws(NoiseError) -> ReleaseMargins.Grouping {
        var stated: [Int64] = []
        for measure in numbers {
            guard let margin = measure.margins[grouping], let drawn = measure.drawn[grouping],
                let whole = measure.whole[grouping]
            else { throw .notOfTheLattice }
            stated.append(try margin.stated(moved: drawn.farthest(whole) { shown.contains($0) }))
        }
        let devices = header.layout.hasIdentifiers ? crowd : nil
        return .init(
            count: stated[0], sums: Array(stated.dropFirst()),
            devices: try devices?.margin.stated(moved: devices?.moved ?? .zero))
    }

    /// Returns the cells of a grouping in which anything was counted.
    private func touchedCells(of grouping: Margin) -> Set<Int> {
        let project = header.layout.projection(from: header.layout.leaf, to: grouping)
        return Set(
            parts.flatMap { $0.cube.counters }.filter { $0.measure == .count && $0.value > 0 }
                .map { Int(project($0.cell).value) })
    }
}
