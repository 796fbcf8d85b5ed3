import ThrongNoise
package import ThrongPlan
internal import ThrongSystem

/// The questions of one measure about a lattice's interactions, and their noise. Tables are drawn in the canonical
/// order of fields and buckets, whatever order a plan has.
struct DrawnTables {
    let lattice: Lattice
    /// The width that is asked for now.
    let width: NoiseWidth
    private var questions: [FieldSet: Question] = [:]

    private struct Question {
        /// The fields and their buckets.
        let text: String
        /// The canonical place of each cell of the lattice's table.
        let canonical: [Int]
        /// The number of buckets of each field.
        let buckets: [Int]
        /// The layers of the width that is asked for now.
        let layers: Layers
    }

    /// Both layers of a width.
    private struct Layers {
        let kept: KeptNoise
        let fresh: LayerVariance

        init(_ width: NoiseWidth, buckets: [Int]) throws(NoiseError) {
            kept = try KeptNoise(width, buckets: buckets)
            fresh = try LayerVariance(least: width.least, buckets: buckets)
        }
    }

    /// Asks for the interactions of a lattice.
    ///
    /// - Parameter dimensions: the dimensions of a set of fields, in the lattice's order.
    /// - Throws: ``NoiseError`` if the noise would be too wide.
    init(
        _ lattice: Lattice, width: NoiseWidth, texts: QuestionTexts, dimensions: (FieldSet) -> [Int]
    ) throws(NoiseError) {
        (self.lattice, self.width) = (lattice, width)
        for interaction in lattice.interactions {
            let fields = dimensions(interaction).map { texts.field($0) }
            let buckets = lattice.buckets(of: interaction)
            questions[interaction] = Question(
                text: fields.map(\.text).sortedByBytes().map { "\nby\n\($0)" }.joined(),
                canonical: Self.canonical(fields), buckets: buckets, layers: try Layers(width, buckets: buckets))
        }
    }

    private func layers(_ question: Question, _ square: Int64) throws(NoiseError) -> Layers {
        square == width.square ? question.layers : try Layers(width.squared(square), buckets: question.buckets)
    }

    /// Returns, for each interaction, the draws that are added to a cell over all periods of a sum.
    ///
    /// The kept layer is the same in all of them, so it is added once for each period.
    ///
    /// - Parameter squares: the square of each period's width.
    private func draws(_ squares: [Int64]) throws(NoiseError) -> [FieldSet: [CellDraws]] {
        var draws: [FieldSet: [CellDraws]] = [:]
        for (interaction, question) in questions {
            var kept: [DiscreteGaussian] = []
            var times: [Int64] = []
            var fresh: [Rational: Int] = [:]
            for square in squares {
                let layers = try layers(question, square)
                for (rung, draw) in layers.kept.draws.enumerated() {
                    if rung == kept.count {
                        kept.append(draw)
                        times.append(0)
                    }
                    times[rung] += 1
                }
                fresh[layers.fresh.drawn.variance, default: 0] += 1
            }
            draws[interaction] =
                zip(kept, times).map { CellDraws(variance: $0.variance, factor: $1) }
                + fresh.sorted { $0.key < $1.key }.map { CellDraws(variance: $0.key, count: $0.value) }
        }
        return draws
    }

    /// Draws the interactions of one event set.
    ///
    /// - Parameters:
    ///   - measure: the first line of each question.
    ///   - events: the set's canonical text.
    ///   - period: the period for which the fresh layer is drawn.
    ///   - square: the square of the period's width.
    ///   - counted: the counted table of an interaction, in the lattice's order.
    func draw(
        _ measure: String, of events: String, in period: String, square: Int64, by secret: DrawSecret,
        counted: (FieldSet) -> [Int64]
    ) throws(NoiseError) -> [FieldSet: InteractionTable] {
        var drawn: [FieldSet: InteractionTable] = [:]
        for (interaction, question) in questions {
            let key = QuestionKey(of: "\(measure)\(question.text)\nof\n\(events)")
            let table = counted(interaction)
            // A month of them is still exact in floating point's range, and far from 2^63.
            guard table.allSatisfy({ $0.magnitude < 1 << 55 }) else { throw .tooLarge }
            var canonical = table
            for (cell, place) in question.canonical.enumerated() { canonical[place] = table[cell] }
            let layers = try layers(question, square)
            let kept = try secret.noise(of: key, .kept(layers.kept), cells: table.count)
            let fresh = try secret.noise(
                of: key, .fresh(layers.fresh, period: period, counted: secret.digest(of: canonical)),
                cells: table.count)
            var noisy = table
            for (cell, place) in question.canonical.enumerated() where !Fault.noiseOff.isOn {
                noisy[cell] = noisy[cell].addedClamped(kept[place]).addedClamped(fresh[place])
            }
            drawn[interaction] = try InteractionTable(noisy, of: interaction, in: lattice)
        }
        return drawn
    }

    /// Returns the margins of a grouping's numbers: the widest, if the grouping has sums of different sizes.
    ///
    /// - Parameters:
    ///   - periods: the periods over which numbers are added up: the squares of their widths, by tables of one question.
    ///   - summed: the combinations of numbers of buckets of each field that are added up.
    static func margin(
        of grouping: FieldSet, over periods: [(tables: DrawnTables, squares: [Int64])], summed: [[Int]]
    ) throws(NoiseError) -> GroupingMargin {
        guard !Fault.noiseOff.isOn, let lattice = periods.first?.tables.lattice else { return .none }
        var draws: [FieldSet: [CellDraws]] = [:]
        for (tables, squares) in periods { draws.merge(try tables.draws(squares), uniquingKeysWith: +) }
        return try lattice.margin(of: grouping, draws: draws, over: summed)
    }

    private static func canonical(_ fields: [(text: String, order: [Int])]) -> [Int] {
        let ordered = fields.indices.sorted { fields[$0].text.precedes(fields[$1].text) }
        var strides = fields.map { _ in 1 }
        var stride = 1
        for field in ordered.reversed() {
            strides[field] = stride
            stride *= fields[field].order.count
        }
        var places = [0]
        for (field, stride) in zip(fields, strides) {
            var ranks = field.order
            for (rank, bucket) in field.order.enumerated() { ranks[bucket] = rank }
            places = places.flatMap { place in ranks.map { place + $0 * stride } }
        }
        return places
    }
}

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
