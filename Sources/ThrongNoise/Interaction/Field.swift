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
    package func subtracting(_ other: FieldSet) -> FieldSet { FieldSet(bits: bits & ~other.bits) }
    package func union(_ other: FieldSet) -> FieldSet { FieldSet(bits: bits | other.bits) }

    /// All sets of some of these fields, the empty one and the whole one too, the smaller ones first.
    package var subsets: [FieldSet] {
        (0...bits).map(FieldSet.init(bits:)).filter { $0.isSubset(of: self) }.sorted()
    }

    /// Orders by the number of fields, then by their places.
    package static func < (left: Self, right: Self) -> Bool {
        (left.count, left.bits) < (right.count, right.bits)
    }
}
