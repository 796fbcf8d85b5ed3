internal import SwiftCSV

/// The tree of one dimension's codes, from the leaves to the total.
package struct Hierarchy: Sendable, Hashable {
    /// The name of a dimension's grand total, if its hierarchy has no root of its own.
    package static let total = "Total"

    private var parents: [String: String] = [:]

    /// A dimension without levels: every code is a part of the total.
    package init() {}

    /// Reads a parent-child file: a header, then one row a code with its parent.
    ///
    /// A code without a parent is a part of the total, unless it is the only such code: then it is the total.
    package init(csv text: String, file: String) throws {
        let rows = try CSVFile(text, file: file)
        guard rows.header.count == 2 else {
            throw TableError.columnMissing(file: file, column: "parent", found: rows.header)
        }
        for row in rows.rows {
            if let known = parents[row[0]], known != row[1] { throw TableError.notATree(file: file, code: row[0]) }
            parents[row[0]] = row[1]
        }
        for code in parents.keys.sorted() {
            var seen: Set<String> = [code]
            var place = code
            while let parent = parents[place] {
                guard seen.insert(parent).inserted else { throw TableError.notATree(file: file, code: code) }
                place = parent
            }
        }
    }

    /// True if the hierarchy knows a code. A hierarchy without levels knows every code.
    func holds(_ code: String) -> Bool { parents.isEmpty || parents[code] != nil }

    /// True if other codes are parts of this one.
    func isParent(_ code: String) -> Bool { parents.values.contains(code) }

    /// A code, its ancestors, and last the total.
    func path(from code: String) -> [String] {
        var path = [code]
        while let parent = parents[path[path.count - 1]] { path.append(parent) }
        let isRoot = path.count > 1 && roots.count == 1
        return isRoot || path.last == Self.total ? path : path + [Self.total]
    }

    private var roots: Set<String> { Set(parents.values.filter { parents[$0] == nil }) }
}

/// A CSV file as rows, each as long as the header.
struct CSVFile {
    let header: [String]
    let rows: [[String]]

    init(_ text: String, file: String) throws {
        let csv: CSV<Enumerated>
        do {
            csv = try CSV<Enumerated>(string: text, delimiter: .comma, loadColumns: false)
        } catch {
            throw TableError.notCSV(file: file)
        }
        header = csv.header
        for (place, row) in csv.rows.enumerated() where row.count != csv.header.count {
            throw TableError.raggedRow(file: file, row: place + 2, found: row.count, expected: csv.header.count)
        }
        rows = csv.rows
    }
}
