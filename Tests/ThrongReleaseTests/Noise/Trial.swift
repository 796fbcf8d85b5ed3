import ThrongSystem

@testable import ThrongNoise

/// Many draws of one event set's tables, all by one fixed secret: the same on each run, so that no test fails by chance.
struct Trial {
    static let secret = DrawSecret(bytes: Array(repeating: 40 as UInt8, count: 32))

    let lattice: Lattice
    /// By table: one array of noise after the other, both layers added up.
    private let noise: [FieldSet: [Int64]]

    /// - Parameters:
    ///   - buckets: of the fields.
    ///   - groupings: all if nil.
    ///   - variance: of one layer of an interaction; a control may give another than V / r(S).
    init(
        _ buckets: [Int], groupings: [FieldSet]? = nil, rounds: Int,
        variance: (FieldSet, Lattice) throws -> LayerVariance
    ) throws {
        lattice = try Lattice(
            fields: buckets.map { try Field(buckets: $0) }, groupings: groupings ?? FieldSet(buckets.indices).subsets)
        var noise: [FieldSet: [Int64]] = [:]
        for interaction in lattice.interactions {
            let layer = try variance(interaction, lattice)
            let question = QuestionKey(of: "trial by \(interaction.places)")
            let cells = rounds * lattice.cells(of: interaction)
            let kept = try Self.secret.noise(of: question, .kept(KeptNoise(single: layer)), cells: cells)
            let fresh = try Self.secret.noise(
                of: question, .fresh(layer, period: "day 1", counted: Self.secret.digest(of: [1])), cells: cells)
            noise[interaction] = zip(kept, fresh).map { $0 + $1 }
        }
        self.noise = noise
    }

    /// Both layers as wide as they should be, for devices.
    init(_ buckets: [Int], groupings: [FieldSet]? = nil, threshold: Int64 = 20, rounds: Int) throws {
        try self.init(buckets, groupings: groupings, rounds: rounds) { interaction, lattice in
            try LayerVariance(threshold: threshold, buckets: lattice.buckets(of: interaction))
        }
    }

    /// The interactions of one round: of what was counted by all fields, with noise or without.
    func drawn(_ counted: [Int64], round: Int, isNoisy: Bool = true) throws -> [FieldSet: InteractionTable] {
        var drawn: [FieldSet: InteractionTable] = [:]
        for interaction in lattice.interactions {
            var table = sums(of: counted, by: interaction)
            let first = round * table.count
            if isNoisy { for cell in table.indices { table[cell] += noise[interaction]?[first + cell] ?? 0 } }
            drawn[interaction] = try InteractionTable(table, of: interaction, in: lattice)
        }
        return drawn
    }

    /// The counted table by fewer fields.
    func sums(of counted: [Int64], by set: FieldSet) -> [Int64] {
        var sums = Array(repeating: Int64(0), count: lattice.cells(of: set))
        let all = FieldSet(lattice.fields.indices)
        for (number, place) in zip(counted, lattice.places(of: all, in: set)) { sums[Int(place)] += number }
        return sums
    }

    /// A heavy-tailed crowd: the first buckets of each field have the most.
    static func crowd(_ devices: Int, _ buckets: [Int], seed: UInt64) -> [Int64] {
        var generator = SeededGenerator(seed: seed)
        var counted = Array(repeating: Int64(0), count: buckets.reduce(1, *))
        for _ in 0..<devices {
            var cell = 0
            for count in buckets {
                let place = generator.fraction()
                cell = cell * count + Int(Double(count) * place * place * place)
            }
            counted[cell] += 1
        }
        return counted
    }
}

/// Second moments of noise, around 0.
func covariance(_ left: [Int64], _ right: [Int64]) -> Double {
    zip(left, right).reduce(0) { $0 + Double($1.0) * Double($1.1) } / Double(left.count)
}

extension Lattice {
    /// The draws where both layers are new and alike: for a plan that was never changed.
    ///
    /// - Parameter least: V; see ``LayerVariance``.
    /// - Throws: as ``LayerVariance/init(least:buckets:)``.
    func draws(least: Rational) throws(NoiseError) -> [FieldSet: [CellDraws]] {
        var draws: [FieldSet: [CellDraws]] = [:]
        for interaction in interactions {
            let layer = try LayerVariance(least: least, buckets: buckets(of: interaction)).drawn.variance
            draws[interaction] = [CellDraws(variance: layer, count: 2)]
        }
        return draws
    }
}
