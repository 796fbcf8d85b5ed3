import ThrongNoise
import ThrongPlan
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
