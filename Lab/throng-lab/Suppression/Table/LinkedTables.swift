/// Tables that are decided about together, because they are sums over the same leaf cells.
///
/// A single table is the plain case: its rows are the leaves.
package struct LinkedTables: Sendable {
    /// The leaf cells, in the order of their codes: the order of a file's rows decides nothing.
    let leaves: [Table.Row]
    /// The names of the leaves' dimensions.
    let dimensions: [String]
    /// The place where each leaf was read.
    let sources: [Source]
    /// The tables that are to be published.
    let members: [Member]
    let hasValues: Bool
    let decimals: Int

    /// The place where a leaf was read.
    package struct Source: Sendable, Hashable {
        /// The file.
        package let file: String
        /// Its line; the header is 1.
        package let row: Int
    }

    /// One table that is to be published.
    struct Member: Sendable {
        let file: String
        /// Its dimensions, as places of the leaves'.
        let places: [Int]
        /// The leaves that it adds up.
        let leaves: [Int]
    }

    /// A table as it was read, with the name of its file.
    package struct Named: Sendable {
        /// The table.
        package let table: Table
        let file: String

        package init(_ table: Table, file: String) {
            self.table = table
            self.file = file
        }
    }

    /// Links tables whose rows are leaf cells: a row of the same codes in several tables is one cell.
    ///
    /// - Throws: ``TableError`` if they have different dimensions, or say different things of one cell.
    package init(_ tables: [Named]) throws(TableError) {
        let tables = Self.inOneUnit(tables)
        guard let first = tables.first else { throw .empty(file: "--table") }
        var rows: [[String]: (row: Table.Row, source: Source)] = [:]
        for named in tables {
            guard named.table.dimensions == first.table.dimensions else {
                throw .otherDimensions(
                    file: named.file, found: named.table.dimensions, expected: first.table.dimensions)
            }
            for (place, row) in named.table.rows.enumerated() {
                if let known = rows[row.codes] {
                    guard known.row == row else {
                        throw .otherNumbers(
                            file: named.file, row: place + 2, other: known.source.file, otherRow: known.source.row)
                    }
                } else {
                    rows[row.codes] = (row, Source(file: named.file, row: place + 2))
                }
            }
        }
        let sorted = rows.values.sorted { $0.row.codes.lexicographicallyPrecedes($1.row.codes) }
        try self.init(tables, leaves: sorted, dimensions: first.table.dimensions, decimals: first.table.decimals)
    }

    /// Links tables that are sums of a finer one, which itself is not published.
    ///
    /// - Throws: ``TableError`` if a row of a table is not the sum of the leaves that it holds.
    package init(_ tables: [Named], leaves: Named) throws(TableError) {
        let all = Self.inOneUnit(tables + [leaves])
        let (tables, leaves) = (Array(all.dropLast()), all[all.count - 1])
        let rows = leaves.table.rows.enumerated().map { place, row in
            (row: row, source: Source(file: leaves.file, row: place + 2))
        }
        let sorted = rows.sorted { $0.row.codes.lexicographicallyPrecedes($1.row.codes) }
        try self.init(
            tables, leaves: sorted, dimensions: leaves.table.dimensions, decimals: leaves.table.decimals)
        for (named, member) in zip(tables, members) { try check(named, member) }
    }

    private init(
        _ tables: [Named], leaves: [(row: Table.Row, source: Source)], dimensions: [String], decimals: Int
    ) throws(TableError) {
        self.leaves = leaves.map(\.row)
        sources = leaves.map(\.source)
        self.dimensions = dimensions
        self.decimals = decimals
        hasValues = tables.contains { $0.table.hasValues }
        var members: [Member] = []
        for named in tables {
            var places: [Int] = []
            for name in named.table.dimensions {
                guard let place = dimensions.firstIndex(of: name) else {
                    throw .otherDimensions(file: named.file, found: named.table.dimensions, expected: dimensions)
                }
                places.append(place)
            }
            let held = Set(named.table.rows.map(\.codes))
            let own = leaves.indices.filter { leaf in held.contains(places.map { leaves[leaf].row.codes[$0] }) }
            members.append(Member(file: named.file, places: places, leaves: own))
        }
        self.members = members
    }

    /// Returns the tables with all values in the same number of decimal places, the most that any of them has.
    private static func inOneUnit(_ tables: [Named]) -> [Named] {
        let most = tables.map(\.table.decimals).max() ?? 0
        return tables.map { Named($0.table.scaled(toDecimals: most), file: $0.file) }
    }

    /// Checks that each row is the sum of its leaves.
    private func check(_ named: Named, _ member: Member) throws(TableError) {
        var sums: [[String]: (count: Int64, value: Int64)] = [:]
        for leaf in member.leaves {
            let (row, codes) = (leaves[leaf], member.places.map { leaves[leaf].codes[$0] })
            let known = sums[codes] ?? (0, 0)
            sums[codes] = (known.count + row.count, known.value + row.value)
        }
        for (place, row) in named.table.rows.enumerated() {
            let sum = sums[row.codes] ?? (0, 0)
            guard sum.count == row.count, sum.value == row.value else {
                throw .notTheSum(file: named.file, row: place + 2)
            }
        }
    }
}
