/// Where leaves stand in a cube, and which cells an empty place of it would belong to.
///
/// Readers can't tell an empty leaf from a small one, so another table may have somebody there, unless the plan says that
/// the combination cannot occur. Empty places are not listed: there are far more of them than leaves.
package struct LeafGrid: Sendable {
    /// A bucket an axis; unused axes are 0.
    package typealias Place = SIMD8<Int32>

    /// The most axes that a grid can have.
    package static let mostAxes = 8

    /// The most groupings that may be published: a bit each.
    package static let mostShown = 64

    /// By axis, its buckets.
    package let sizes: [Int]
    /// By leaf.
    package let places: [Place]
    /// The groupings that columns belong to, those that may be published first.
    package let groupings: [Grouping]
    /// How many of them may be published.
    package let shownCount: Int
    /// By column: its grouping; nil where empty places are never part of it.
    package let groupingOfColumn: [Int?]
    /// Whether the plan lets anybody be there.
    package let isPossible: @Sendable (Place) -> Bool
    private let leafAtKey: [UInt64: UInt32]

    /// What is kept of each axis.
    package struct Grouping: Sendable {
        /// By axis: nil where it is summed over, else by bucket its group; −1 is outside of all cells.
        package let groups: [[Int32]?]
        /// Each kept axis has its own buckets as groups.
        package let keepsBuckets: Bool
        /// By axis: lanes that are kept.
        package let kept: SIMDMask<SIMD8<Int32>>
        private let weights: SIMD8<Int32>
        /// Empty cells included.
        let cellCount: Int
        /// By cell; empty where few of very many cells have a column.
        private let columns: [UInt32]
        private let fewColumns: [Int: UInt32]

        /// Cells of the largest grouping that a grid can have.
        static let mostCells = 1 << 24

        init?(groups: [[Int32]?], sizes: [Int]) {
            var weights = SIMD8<Int32>(repeating: 0)
            var kept = SIMDMask<SIMD8<Int32>>(repeating: false)
            var product = 1
            var keepsBuckets = true
            for (axis, group) in groups.enumerated() {
                guard let group else { continue }
                guard group.count == sizes[axis] else { return nil }
                weights[axis] = Int32(product)
                kept[axis] = true
                if !group.elementsEqual(0..<Int32(group.count)) { keepsBuckets = false }
                product *= Int((group.max() ?? 0) + 1)
                guard product > 0, product <= Self.mostCells else { return nil }
            }
            self.groups = groups
            self.keepsBuckets = keepsBuckets
            self.kept = kept
            self.weights = weights
            cellCount = product
            columns = []
            fewColumns = [:]
        }

        /// In how many kept axes a place is in another group than another place.
        func distance(_ place: Place, from other: Place) -> Int {
            groups.indices.count { axis in
                groups[axis].map { $0[Int(place[axis])] != $0[Int(other[axis])] } ?? false
            }
        }

        /// Cells up to which each has an entry of its own.
        private static let mostEntries = 1 << 16

        private init(_ other: Grouping, columns: [Int: UInt32]) {
            groups = other.groups
            keepsBuckets = other.keepsBuckets
            kept = other.kept
            weights = other.weights
            cellCount = other.cellCount
            if cellCount > max(Self.mostEntries, columns.count * 8) {
                self.columns = []
                fewColumns = columns
            } else {
                var all = Array(repeating: UInt32.max, count: cellCount)
                for (cell, column) in columns { all[cell] = column }
                self.columns = all
                fewColumns = [:]
            }
        }

        func holding(_ columns: [Int: UInt32]) -> Grouping { Grouping(self, columns: columns) }

        /// The cell that a place is in, −1 for none.
        func cell(of place: Place) -> Int {
            if keepsBuckets { return Int((place &* weights).wrappedSum()) }
            var result = 0
            for (axis, group) in groups.enumerated() {
                guard let group else { continue }
                let own = group[Int(place[axis])]
                if own < 0 { return -1 }
                result += Int(own) * Int(weights[axis])
            }
            return result
        }

        /// The column that shows a cell, if there is one.
        func column(ofCell cell: Int) -> UInt32? {
            guard cell >= 0 else { return nil }
            if columns.isEmpty { return fewColumns[cell] }
            let column = columns[cell]
            return column == .max ? nil : column
        }

        /// The column that a place is in, if there is one.
        package func column(at place: Place) -> UInt32? { column(ofCell: cell(of: place)) }
    }

    /// Lays a grid out; nil where it has too many axes or cells, or does not fit the columns.
    ///
    /// - Parameters:
    ///   - places: by leaf; different.
    ///   - groupings: what each keeps, as in ``Grouping/groups``.
    ///   - shownCount: how many of these may be published, the first of them; nil for all.
    ///   - groupingOfColumn: by column, its grouping.
    ///   - columns: by column, its leaves: all those of one cell of its grouping.
    /// - Complexity: O(leaves · groupings + incidences + cells).
    package init?(
        sizes: [Int], places: [Place], groupings: [[[Int32]?]], shownCount: Int? = nil, groupingOfColumn: [Int?],
        columns: IndexLists,
        isPossible: @escaping @Sendable (Place) -> Bool
    ) {
        let shownCount = shownCount ?? groupings.count
        guard sizes.count <= Self.mostAxes, shownCount <= Self.mostShown, shownCount <= groupings.count,
            groupingOfColumn.count == columns.count,
            sizes.reduce(1.0, { $0 * Double($1) }) < 9e18
        else { return nil }
        self.sizes = sizes
        self.places = places
        self.shownCount = shownCount
        self.groupingOfColumn = groupingOfColumn
        self.isPossible = isPossible
        var leafAtKey: [UInt64: UInt32] = [:]
        leafAtKey.reserveCapacity(places.count)
        for (leaf, place) in places.enumerated() {
            guard sizes.indices.allSatisfy({ place[$0] >= 0 && Int(place[$0]) < sizes[$0] }),
                leafAtKey.updateValue(UInt32(leaf), forKey: Self.key(place, sizes)) == nil
            else { return nil }
        }
        self.leafAtKey = leafAtKey
        var made: [Grouping] = []
        for groups in groupings {
            guard groups.count == sizes.count, let grouping = Grouping(groups: groups, sizes: sizes) else { return nil }
            made.append(grouping)
        }
        var tables = made.map { _ in [Int: UInt32]() }
        for (column, number) in groupingOfColumn.enumerated() {
            guard let number, let first = columns[column].first else { continue }
            let cell = made[number].cell(of: places[Int(first)])
            // A column without a cell of its own would be missed by whoever looks empty places up.
            guard cell >= 0, tables[number][cell] == nil,
                columns[column].allSatisfy({ made[number].cell(of: places[Int($0)]) == cell })
            else { return nil }
            tables[number][cell] = UInt32(column)
        }
        let groupings = zip(made, tables).map { $0.holding($1) }
        self.groupings = groupings
        var members = Array(repeating: 0, count: columns.count)
        for place in places {
            for grouping in groupings {
                if let column = grouping.column(at: place) { members[Int(column)] += 1 }
            }
        }
        for (column, number) in groupingOfColumn.enumerated() where number != nil {
            guard members[column] == columns.length(of: column) else { return nil }
        }
    }

    /// Places up to which a program can hold them all.
    private static let mostInProgram = 6_000

    /// Whether a program can hold all places.
    var fitsProgram: Bool { sizes.reduce(1.0, { $0 * Double($1) }) <= Double(Self.mostInProgram) }

    /// The leaf at a place; nil where it is empty.
    package func leaf(at place: Place) -> UInt32? { leafAtKey[Self.key(place, sizes)] }

    /// Whether a place is in the cube.
    package func holds(_ place: Place) -> Bool {
        (0..<Self.mostAxes).allSatisfy { axis in
            axis < sizes.count ? place[axis] >= 0 && Int(place[axis]) < sizes[axis] : place[axis] == 0
        }
    }

    /// A number for each place.
    func key(of place: Place) -> UInt64 { Self.key(place, sizes) }

    private static func key(_ place: Place, _ sizes: [Int]) -> UInt64 {
        var result: UInt64 = 0
        for (axis, size) in sizes.enumerated() {
            result = result * UInt64(size) + UInt64(truncatingIfNeeded: place[axis])
        }
        return result
    }
}
