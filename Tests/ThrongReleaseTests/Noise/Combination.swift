@testable import ThrongNoise

/// A linear combination of drawn numbers, of any event sets, groupings and periods: what somebody computes from what they have.
struct Combination: Sendable, Hashable {
    /// One number.
    struct Number: Sendable, Hashable {
        /// The event set, by its place among those that are looked at.
        let events: Int
        let period: Int
        let grouping: FieldSet
        /// In the order of the grouping's table.
        let cell: Int
    }

    /// Numerators; numbers that are not there have 0.
    private(set) var coefficients: [Number: Int64] = [:]
    /// Of all coefficients, at least 1.
    let denominator: Int64

    /// Begins with nothing.
    init(over denominator: Int64 = 1) {
        precondition(denominator > 0, "coefficients are over a positive number")
        self.denominator = denominator
    }

    /// Adds a number some times over.
    mutating func add(_ coefficient: Int64, events: Int = 0, period: Int = 0, _ grouping: FieldSet, _ cell: Int) {
        coefficients[Number(events: events, period: period, grouping: grouping, cell: cell), default: 0] += coefficient
    }
}

extension Lattice {
    /// The variance of a combination, exactly:
    ///
    ///     Σ over E and S of  V / r(S) · ( |Σ over t of f_{E,t,S}|²  +  Σ over t of |f_{E,t,S}|² )
    ///
    /// where f_{E,t,S} is the interaction S of the coefficients of event set E in period t. The first part is kept noise, the
    /// second fresh noise. Coefficients being unique, no other unbiased linear estimate of the same is better.
    /// - Parameter least: V, by event set.
    /// - Throws: ``NoiseError/notOfTheLattice`` for a number that there is none of, and ``NoiseError/overflow``.
    func variance(of combination: Combination, least: [Rational]) throws(NoiseError) -> Rational {
        var variance = Rational.zero
        for (events, periods) in try tables(of: combination, count: least.count).enumerated() {
            for interaction in interactions {
                var sum = Array(repeating: Int128(0), count: cells(of: interaction))
                var length: Int128 = 0
                for groupings in periods.values {
                    let part = part(interaction, of: groupings)
                    length = try Self.adding(length, Self.squaredLength(part))
                    for cell in sum.indices { sum[cell] &+= part[cell] }
                }
                length = try Self.adding(length, Self.squaredLength(sum))
                let layer = try least[events].divided(by: rest(of: interaction))
                variance = try variance.adding(layer.multiplied(by: Rational(length, over: 1)))
            }
        }
        let unit = try Rational(1, over: Int128(allCells) * Int128(combination.denominator))
        return try variance.multiplied(by: unit).multiplied(by: unit)
    }

    /// Whether a combination estimates, on some day or summed up over the days, a whole number of devices for every possible crowd
    /// that is not always 0: what Theorem 2 promises a deviation of √V for.
    ///
    /// - Throws: ``NoiseError/notOfTheLattice``.
    func isWhole(_ combination: Combination) throws(NoiseError) -> Bool {
        let events = (combination.coefficients.keys.map(\.events).max() ?? 0) + 1
        var days: [Int: [[Int128]]] = [:]
        var sum = Array(repeating: Array(repeating: Int128(0), count: allCells), count: events)
        for (number, periods) in try tables(of: combination, count: events).enumerated() {
            for (period, groupings) in periods {
                var counts = Array(repeating: Int128(0), count: allCells)
                for (grouping, table) in groupings {
                    for (cell, place) in places(of: usedFields, in: grouping).enumerated() {
                        counts[cell] &+= table[Int(place)]
                    }
                }
                days[period, default: []].append(counts)
                for cell in counts.indices { sum[number][cell] &+= counts[cell] }
            }
        }
        let denominator = Int128(combination.denominator)
        return (Array(days.values) + [sum]).contains { tables in
            tables.allSatisfy { $0.allSatisfy { $0 % denominator == 0 } }
                && tables.contains { $0.contains { $0 != 0 } }
        }
    }

    /// All fields that a grouping keeps.
    private var usedFields: FieldSet { groupings.reduce(FieldSet()) { $0.union($1) } }

    private var allCells: Int { cells(of: usedFields) }

    /// Coefficients as tables by grouping, by period, by event set.
    private func tables(of combination: Combination, count: Int) throws(NoiseError) -> [[Int: [FieldSet: [Int128]]]] {
        var tables: [[Int: [FieldSet: [Int128]]]] = Array(repeating: [:], count: count)
        for (number, coefficient) in combination.coefficients {
            guard interactions.contains(number.grouping), number.events < count,
                (0..<cells(of: number.grouping)).contains(number.cell)
            else { throw .notOfTheLattice }
            let zeros = Array(repeating: Int128(0), count: cells(of: number.grouping))
            tables[number.events][number.period, default: [:]][number.grouping, default: zeros][number.cell] +=
                Int128(coefficient)
        }
        return tables
    }

    /// The interaction of coefficients, times the number of cells of all fields: their means over the other fields without the
    /// means along these.
    private func part(_ interaction: FieldSet, of groupings: [FieldSet: [Int128]]) -> [Int128] {
        var part = Array(repeating: Int128(0), count: cells(of: interaction))
        for (grouping, table) in groupings where interaction.isSubset(of: grouping) {
            var sums = Array(repeating: Int128(0), count: part.count)
            for (cell, place) in places(of: grouping, in: interaction).enumerated() { sums[Int(place)] &+= table[cell] }
            InteractionTable.centre(&sums, sizes: buckets(of: interaction))
            let scale = Int128(allCells / cells(of: grouping))
            for cell in part.indices { part[cell] &+= scale &* sums[cell] }
        }
        return part
    }

    private static func squaredLength(_ table: [Int128]) throws(NoiseError) -> Int128 {
        var length: Int128 = 0
        for number in table {
            let (square, overflow) = number.multipliedReportingOverflow(by: number)
            guard !overflow else { throw .overflow }
            length = try adding(length, square)
        }
        return length
    }

    private static func adding(_ left: Int128, _ right: Int128) throws(NoiseError) -> Int128 {
        let (sum, overflow) = left.addingReportingOverflow(right)
        guard !overflow else { throw .overflow }
        return sum
    }
}

extension Lattice {
    /// The place in a coarser table of each cell of a finer one.
    ///
    /// - Parameter coarse: fields that the finer one does not have are passed over.
    func places(of fine: FieldSet, in coarse: FieldSet) -> [Int32] {
        var places: [Int32] = [0]
        for field in fine.places {
            let count = fields[field].buckets
            let isKept = coarse.contains(field)
            var next: [Int32] = []
            next.reserveCapacity(places.count * count)
            for place in places {
                for bucket in 0..<count { next.append(isKept ? place * Int32(count) + Int32(bucket) : place) }
            }
            places = next
        }
        return places
    }
}

extension FieldSet {
    func subtracting(_ other: FieldSet) -> FieldSet { FieldSet(places.filter { !other.contains($0) }) }
    func union(_ other: FieldSet) -> FieldSet { FieldSet(places + other.places) }
}

extension KeptNoise {
    /// The variance of all draws together. Unit: the measure's, squared.
    var variance: Rational {
        get throws(NoiseError) {
            var sum = Rational.zero
            for draw in draws { sum = try sum.adding(draw.variance) }
            return sum
        }
    }
}
