/// The numbers of one grouping as they were drawn: exact fractions over the number of the table's cells.
///
/// They add up over groupings exactly. ``whole`` has whole numbers that add up as well.
package struct GroupingTable: Hashable, Sendable {
    /// Numerators. Unit: the measure's, over ``denominator``.
    package let cells: [Int128]
    /// The number of buckets of each field, in order.
    let sizes: [Int]
    /// The number of cells of the table that was drawn.
    package let denominator: Int128

    /// - Parameter denominator: nil for a table that was drawn by itself.
    init(cells: [Int128], sizes: [Int], denominator: Int128? = nil) {
        (self.cells, self.sizes) = (cells, sizes)
        self.denominator = denominator ?? Int128(cells.count)
    }

    /// Returns the table of a coarser grouping whose numbers are sums of this one's.
    ///
    /// - Parameters:
    ///   - places: the cell of the coarser table to which each cell of this one is added.
    ///   - count: the number of the coarser table's cells.
    package func summed(into places: [Int], count: Int) -> GroupingTable {
        var sums = Array(repeating: Int128(0), count: count)
        for (cell, place) in zip(cells, places) { sums[place] &+= cell }
        return GroupingTable(cells: sums, sizes: [count], denominator: denominator)
    }

    /// True if the drawn number is at least that large; an exact comparison.
    package func isAtLeast(_ number: Int64, at cell: Int) -> Bool { cells[cell] >= Int128(number) * denominator }

    /// Whole numbers next to the drawn ones that add up over all groupings of the lattice.
    ///
    /// Each cumulative sum is rounded to the nearest whole number, halves up, and the numbers are the differences of
    /// these. A coarser grouping's cumulative sums are among those of a finer one, namely at the last buckets of the
    /// fields that it leaves out. So both round them alike, and neither has to know of the other. A total is whole
    /// already.
    /// - Returns: numbers within 2^(d − 1) of the drawn ones for a grouping by d fields: 2^d sums, each off by 1/2.
    /// - Complexity: O(cells · fields).
    package var whole: [Int64] {
        var sums = cells
        InteractionTable.eachLine(of: &sums, sizes: sizes) { table, first, step, count in
            for bucket in 1..<count { table[first + bucket * step] &+= table[first + (bucket - 1) * step] }
        }
        let (half, denominator) = (self.denominator, 2 * self.denominator)
        for cell in sums.indices {
            let (quotient, rest) = (2 &* sums[cell] &+ half).quotientAndRemainder(dividingBy: denominator)
            sums[cell] = rest < 0 ? quotient - 1 : quotient
        }
        InteractionTable.eachLine(of: &sums, sizes: sizes) { table, first, step, count in
            for bucket in (1..<count).reversed() { table[first + bucket * step] &-= table[first + (bucket - 1) * step] }
        }
        return sums.map { Int64(clamping: $0) }
    }

    /// Returns the largest distance between a whole number that may be published and the drawn one, for a margin that
    /// takes it in.
    ///
    /// - Parameters:
    ///   - whole: one number for each cell.
    ///   - counts: true for a cell that may be published.
    package func farthest(_ whole: [Int64], where counts: (Int) -> Bool = { _ in true }) -> Rational {
        var farthest: UInt128 = 0
        for (cell, (number, drawn)) in zip(whole, cells).enumerated() where counts(cell) {
            farthest = max(farthest, (Int128(number) * denominator - drawn).magnitude)
        }
        let divisor = Rational.greatestCommonDivisor(Int128(farthest), denominator)
        return Rational(reduced: Int128(farthest) / divisor, over: denominator / divisor)
    }
}

/// The interaction of some fields, times the number of cells of their table: whole numbers whose sum along each field is 0.
///
/// It is made only of a table with its noise, so that whatever is computed from it costs no privacy.
package struct InteractionTable: Hashable, Sendable {
    /// N_S · P_S y. Unit: the measure's, over N_S.
    private(set) var cells: [Int128]

    /// Takes from a noisy table its means along each of its fields.
    ///
    /// - Parameter noisy: the counts by these fields, with both layers of noise added to each cell.
    /// - Throws: ``NoiseError/notOfTheLattice`` for another number of cells.
    /// - Complexity: O(cells · fields).
    package init(_ noisy: [Int64], of set: FieldSet, in lattice: Lattice) throws(NoiseError) {
        guard lattice.interactions.contains(set), noisy.count == lattice.cells(of: set) else { throw .notOfTheLattice }
        var table = noisy.map { Int128($0) }
        Self.centre(&table, sizes: lattice.buckets(of: set))
        cells = table
    }

    /// The interaction of a sum over periods.
    package mutating func add(_ other: InteractionTable) {
        for (cell, number) in other.cells.enumerated() { cells[cell] &+= number }
    }

    /// Takes the means along each axis out of a table and multiplies it by its number of cells.
    static func centre(_ table: inout [Int128], sizes: [Int]) {
        Self.eachLine(of: &table, sizes: sizes) { table, first, step, count in
            var sum: Int128 = 0
            for bucket in 0..<count { sum &+= table[first + bucket * step] }
            for bucket in 0..<count {
                table[first + bucket * step] = Int128(count) &* table[first + bucket * step] &- sum
            }
        }
    }

    /// Visits each line along each axis, the last axis first: where it begins, how far its cells lie apart, and how many they are.
    static func eachLine(
        of table: inout [Int128], sizes: [Int],
        _ change: (UnsafeMutableBufferPointer<Int128>, _ first: Int, _ step: Int, _ count: Int) -> Void
    ) {
        table.withUnsafeMutableBufferPointer { table in
            var step = 1
            for count in sizes.reversed() {
                for block in stride(from: 0, to: table.count, by: step * count) {
                    for first in block..<block + step { change(table, first, step, count) }
                }
                step *= count
            }
        }
    }
}

/// The fields of devices of one event set, the groupings that are published, and the interactions that have to be drawn for them.
///
/// Every number is a sum of interactions, each spread evenly over the fields that it does not know:
///
///     y(G) = Σ over S ⊆ G of P_S y(S) / (number of buckets of the fields in G that are not in S)
///
/// so that numbers of different groupings add up by construction, and none can be computed in two ways (the residual basis of Xiao,
/// He, Zhang and Kifer 2023). Tables lie with the last field's buckets next to each other, fields in the order of their places.
package struct Lattice: Hashable, Sendable {
    package static let mostFields = 8
    /// The most cells in one table. With this limit, eight fields and noisy numbers of 63 bits, nothing here comes near
    /// 2^127: centred tables and their sums grow by Π (1 + 2n) ≤ 2.5^8 · 2^24, cumulated ones by 2^24 more, which makes
    /// 63 + 11 + 24 + 24 = 122 bits.
    package static let mostCells = 1 << 24

    /// The fields by place.
    package let fields: [Field]
    /// The groupings that are published, the smaller ones first; each once.
    package let groupings: [FieldSet]
    /// All sets of fields that are part of a grouping, the smaller ones first. Each is one question, and has noise of its own.
    package let interactions: [FieldSet]

    /// Finds the interactions of groupings.
    ///
    /// - Throws: ``NoiseError/tooManyFields(found:limit:)``, ``NoiseError/tooManyCells(found:limit:)``,
    ///   ``NoiseError/notOfTheLattice`` for a grouping by a field that is not there, and ``NoiseError/emptyUniverse`` without any.
    package init(fields: [Field], groupings: [FieldSet]) throws(NoiseError) {
        guard fields.count <= Self.mostFields else { throw .tooManyFields(found: fields.count, limit: Self.mostFields) }
        guard !groupings.isEmpty else { throw .emptyUniverse }
        let all = FieldSet(fields.indices)
        guard groupings.allSatisfy({ $0.isSubset(of: all) }) else { throw .notOfTheLattice }
        self.fields = fields
        self.groupings = Set(groupings).sorted()
        interactions = Set(groupings.flatMap(\.subsets)).sorted()
        for grouping in self.groupings {
            var cells = 1
            for count in buckets(of: grouping) {
                let (product, overflow) = cells.multipliedReportingOverflow(by: count)
                guard !overflow, product <= Self.mostCells else {
                    throw .tooManyCells(found: overflow ? .max : product, limit: Self.mostCells)
                }
                cells = product
            }
        }
    }

    /// Returns the number of buckets of each of some fields, in order.
    package func buckets(of set: FieldSet) -> [Int] { set.places.map { fields[$0].buckets } }

    /// The number of cells of a table by these fields; 1 without any.
    package func cells(of set: FieldSet) -> Int { buckets(of: set).reduce(1, *) }

    /// The squared length of a single cell without a table's means; see ``LayerVariance/rest(of:)``.
    ///
    /// - Throws: ``NoiseError/overflow``.
    package func rest(of set: FieldSet) throws(NoiseError) -> Rational { try LayerVariance.rest(of: buckets(of: set)) }

    /// The numbers of one grouping as exact fractions, from the interactions of all its parts.
    ///
    /// With N_S cells in a table by S, N_S·P_S y(S) is whole, and so N_G·y(G) is simply the sum of these whole numbers.
    /// - Throws: ``NoiseError/notOfTheLattice`` if an interaction is missing.
    /// - Complexity: O(cells · 2^fields) additions.
    package func numbers(of grouping: FieldSet, from drawn: [FieldSet: InteractionTable]) throws(NoiseError)
        -> GroupingTable
    {
        guard interactions.contains(grouping) else { throw .notOfTheLattice }
        return try sum(over: grouping, of: grouping.subsets, from: drawn)
    }

    /// The table by some fields that has the given interactions and no other.
    func sum(
        over set: FieldSet, of parts: [FieldSet], from drawn: [FieldSet: InteractionTable]
    ) throws(NoiseError) -> GroupingTable {
        var sum = Array(repeating: Int128(0), count: cells(of: set))
        let sizes = buckets(of: set)
        for part in parts {
            guard let table = drawn[part], table.cells.count == cells(of: part) else { throw .notOfTheLattice }
            // N_set / N_part · (spread of N_part·P y), over N_set, is what one cell gets, divided by what it was spread over.
            var strides = Array(repeating: 0, count: sizes.count)
            var stride = 1
            for (axis, field) in set.places.enumerated().reversed() where part.contains(field) {
                strides[axis] = stride
                stride *= sizes[axis]
            }
            Self.add(table.cells, to: &sum, sizes: sizes, strides: strides)
        }
        return GroupingTable(cells: sum, sizes: sizes)
    }

    /// Adds a table to a larger one, whose steps along an axis are steps in the smaller one, or none.
    private static func add(_ table: [Int128], to sum: inout [Int128], sizes: [Int], strides: [Int]) {
        guard let width = sizes.last, let step = strides.last else {
            sum[0] &+= table[0]
            return
        }
        var places = Array(repeating: 0, count: sizes.count)
        var from = 0
        sum.withUnsafeMutableBufferPointer { sum in
            table.withUnsafeBufferPointer { table in
                var cell = 0
                while cell < sum.count {
                    for bucket in 0..<width { sum[cell + bucket] &+= table[from + bucket * step] }
                    cell += width
                    // The next line: one bucket on in the last axis but one, and so on.
                    var axis = sizes.count - 2
                    while axis >= 0 {
                        places[axis] += 1
                        from += strides[axis]
                        guard places[axis] == sizes[axis] else { break }
                        from -= strides[axis] * sizes[axis]
                        places[axis] = 0
                        axis -= 1
                    }
                }
            }
        }
    }
}

/// A field of devices: each device has one of its buckets in a window, such as a system or a size of screen.
///
/// Its buckets are one flat list, which is the root's only split. Once a bucket is refined, by an edit or beside a coarser rule, the
/// field becomes a tree of splits, each with interactions of its own within its parent bucket: an interaction then takes
/// a split where it now takes a field, and nothing of what was drawn changes. Cumulative rounding already allows for it, since the
/// buckets of a coarser rule are neighbours.
package struct Field: Hashable, Sendable {
    /// The number of buckets; at least 2.
    package let buckets: Int

    /// - Throws: ``NoiseError/tooFewBuckets(_:)``.
    package init(buckets: Int) throws(NoiseError) {
        guard buckets > 1 else { throw .tooFewBuckets(buckets) }
        self.buckets = buckets
    }
}

/// Some of a lattice's fields: those that a grouping keeps, or those of an interaction. The empty set is the total.
package struct FieldSet: Hashable, Sendable, Comparable, ExpressibleByArrayLiteral {
    /// A bit for each field, by its place.
    let bits: UInt8

    init(bits: UInt8) { self.bits = bits }

    /// Names fields by their places in a lattice, 0 to 7.
    package init(_ places: some Sequence<Int>) {
        var bits: UInt8 = 0
        for place in places {
            precondition((0..<Lattice.mostFields).contains(place), "a lattice has eight fields at most")
            bits |= 1 << UInt8(place)
        }
        self.bits = bits
    }

    package init(arrayLiteral places: Int...) { self.init(places) }

    /// Places in a lattice, ascending.
    package var places: [Int] { (0..<Lattice.mostFields).filter(contains) }
    package var count: Int { bits.nonzeroBitCount }

    package func contains(_ place: Int) -> Bool { bits >> UInt8(place) & 1 == 1 }
    package func isSubset(of other: FieldSet) -> Bool { bits & ~other.bits == 0 }

    /// All sets of some of these fields, the empty one and the whole one too, the smaller ones first.
    package var subsets: [FieldSet] { (0...bits).map(FieldSet.init(bits:)).filter { $0.isSubset(of: self) }.sorted() }

    /// Orders by the number of fields, then by their places.
    package static func < (left: Self, right: Self) -> Bool { (left.count, left.bits) < (right.count, right.bits) }
}
