import ThrongNoise
package import ThrongPlan

/// The devices behind the numbers of one grouping, as far as they decide which are published.
struct DrawnCrowd {
    /// k, in the unit of the floors.
    let threshold: Int64
    /// The proved lower bound by cell. Unit: devices; events if nobody has an identifier.
    let floors: [Int64]
    /// The drawn numbers by cell, as whole numbers; 0 where nothing was drawn because nothing can be published.
    var whole: [Int64]
    /// True by cell if its numbers are shown.
    var isShown: [Bool]
    let margin: GroupingMargin
    /// The largest distance of a published number from the drawn one.
    var moved = Rational.zero

    /// Creates a crowd in which nobody has been counted yet.
    init(threshold: Int64, floors: [Int64], margin: GroupingMargin) {
        (self.threshold, self.floors, self.margin) = (threshold, floors, margin)
        whole = Array(repeating: 0, count: floors.count)
        isShown = Array(repeating: false, count: floors.count)
    }
}

extension MarginCase {
    /// Returns the events behind each number where nobody has an identifier; k is then k times the bound.
    func eventCrowds(_ shape: MarginShape, _ numbers: Numbers) throws(NoiseError) -> [Margin: DrawnCrowd] {
        let layout = header.layout
        let counted = parts.flatMap { $0.cube.counters }.filter { $0.measure == .count }.map { ($0.cell, $0.value) }
        let most = Int64(layout.contributionBound)
        var crowds: [Margin: DrawnCrowd] = [:]
        for part in shape.parts {
            guard let whole = numbers.whole[part.grouping], let drawn = numbers.drawn[part.grouping],
                let margin = numbers.margins[part.grouping]
            else { continue }
            let floors = layout.table(by: part.grouping, of: counted, in: layout.leaf)
            let threshold = header.threshold.devices.multipliedClamped(by: most)
            let rule = PublicationRule(threshold: threshold, margin: margin.publication)
            var crowd = DrawnCrowd(threshold: threshold, floors: floors, margin: margin)
            crowd.whole = whole
            crowd.isShown = whole.indices.map {
                rule.publishes(floor: floors[$0], whole: whole[$0], drawn: drawn, at: $0)
            }
            crowds[part.grouping] = crowd
        }
        return crowds
    }

    /// Draws the devices behind each number, for each occasion.
    func deviceCrowds(
        _ tables: [Margin: DrawnTables], _ kind: DeviceSource.Kind, _ shape: MarginShape, _ source: DeviceSource,
        _ secret: DrawSecret
    ) throws(NoiseError) -> [Margin: DrawnCrowd] {
        var crowds: [Margin: DrawnCrowd] = [:]
        for (occasions, table) in tables.sorted(by: { $0.key < $1.key }) {
            let parts = shape.parts.filter { $0.occasions == occasions && source.counts($0.grouping) }
            for part in parts {
                let fields = shape.deviceFields(of: part.fields)
                crowds[part.grouping] = DrawnCrowd(
                    threshold: header.threshold.devices, floors: source.floors(in: part.grouping),
                    margin: try DrawnTables.margin(
                        of: fields, over: [(table, [source.square ?? table.width.square])],
                        summed: part.combinations(of: shape.deviceDimensions(of: fields))))
            }
            let counts = source.counts(by: occasions, parts)
            for occasion in occasionsToDraw(parts, crowds, occasions) {
                let drawn = try table.draw(
                    kind.canonicalText(in: header), of: source.texts.eventSet(occasion, in: occasions),
                    in: source.period, square: source.square ?? table.width.square, by: secret
                ) { set in counts(occasion, Margin(keeping: shape.deviceDimensions(of: set))) }
                try note(drawn, of: occasion, occasions, parts, table, shape, into: &crowds)
            }
        }
        return crowds
    }

    /// Returns the occasions of which any number can be published, ascending; no others are drawn.
    private func occasionsToDraw(
        _ parts: [MarginShape.Part], _ crowds: [Margin: DrawnCrowd], _ occasions: Margin
    ) -> [CellIndex] {
        var found: Set<CellIndex> = []
        for part in parts {
            let project = header.layout.projection(from: part.grouping, to: occasions)
            for (cell, floor) in (crowds[part.grouping]?.floors ?? []).enumerated()
            where header.threshold.isReached(by: floor) { found.insert(project(CellIndex(UInt32(cell)))) }
        }
        return found.sorted()
    }

    /// Turns the interactions of one occasion into its numbers, and notes in `crowds` which are shown.
    private func note(
        _ interactions: [FieldSet: InteractionTable], of occasion: CellIndex, _ occasions: Margin,
        _ parts: [MarginShape.Part], _ table: DrawnTables, _ shape: MarginShape, into crowds: inout [Margin: DrawnCrowd]
    ) throws(NoiseError) {
        for part in parts {
            let set = shape.deviceFields(of: part.fields)
            guard var crowd = crowds[part.grouping] else { continue }
            let places = places(of: part, occasion, of: occasions)
            let cells = Array(Set(places)).sorted()
            let local = Dictionary(uniqueKeysWithValues: zip(cells, cells.indices))
            let into = places.map { local[$0] ?? 0 }
            let table = try table.lattice.numbers(of: set, from: interactions)
            let drawn = table.summed(into: into, count: cells.count)
            var whole = Array(repeating: Int64(0), count: cells.count)
            for (number, place) in zip(table.whole, into) { whole[place] += number }
            let rule = PublicationRule(threshold: crowd.threshold, margin: crowd.margin.publication)
            let shown = cells.indices.map {
                rule.publishes(floor: crowd.floors[cells[$0]], whole: whole[$0], drawn: drawn, at: $0)
            }
            for (place, cell) in cells.enumerated() {
                crowd.whole[cell] = whole[place]
                crowd.isShown[cell] = shown[place]
            }
            crowd.moved = max(crowd.moved, drawn.farthest(whole) { shown[$0] })
            crowds[part.grouping] = crowd
        }
    }

    /// Returns, for each cell of a part's fields, the cell of its grouping in one occasion.
    private func places(of part: MarginShape.Part, _ occasion: CellIndex, of occasions: Margin) -> [Int] {
        let layout = header.layout
        let all = occasions.union(part.fields)
        let project = layout.projection(from: all, to: part.grouping)
        let kept = layout.dimensions.indices.filter(all.keeps)
        let fixed = Dictionary(
            uniqueKeysWithValues: zip(kept.filter(occasions.keeps), layout.buckets(of: occasion, in: occasions)))
        return (0..<UInt32(layout.size(of: part.fields))).map { cell in
            var fields = layout.buckets(of: CellIndex(cell), in: part.fields)[...]
            let buckets = kept.map { fixed[$0] ?? fields.popFirst() ?? 0 }
            return Int(project(layout.cell(buckets: buckets, in: all)).value)
        }
    }
}

extension Threshold {
    /// True if a number that stands for so many devices may be published.
    ///
    /// - Parameter floor: the number of devices that are proved to be there, at least. Unit: devices.
    package func isReached(by floor: Int64) -> Bool { floor >= devices }
}
