import Testing
import throng_lab

/// A table small enough to write down: leaves with values, named cells over them, everything under 5 sensitive.
struct SmallTable {
    let problem: SuppressionProblem
    let names: [String]

    /// - Parameters:
    ///   - cells: name and leaves; every leaf that is to be shown needs a cell of its own.
    ///   - sums: parent name, names of its children.
    ///   - marked: cells that are sensitive for another reason than their size.
    init(
        _ values: [Int64], cells: [(String, [UInt32])], sums: [(String, [String])] = [], marked: Set<String> = [],
        protection: AdditiveMeasure.Protection = .reachesThreshold
    ) throws {
        let threshold: Int64 = 5
        names = cells.map(\.0)
        let candidates = cells.map { name, leaves in
            let value = leaves.reduce(Int64(0)) { $0 + values[Int($1)] }
            return CandidateCell(cost: 1 + value, isSensitive: value < threshold || marked.contains(name))
        }
        let place = Dictionary(
            uniqueKeysWithValues: names.enumerated().map { ($0.element, ColumnIndex(UInt32($0.offset))) })
        problem = try SuppressionProblem(
            measures: [AdditiveMeasure(values: values, protection: protection)], columns: IndexLists(cells.map(\.1)),
            cells: candidates,
            relations: sums.compactMap { parent, children in
                place[parent].map { AdditiveRelation(parent: $0, children: children.compactMap { place[$0] }) }
            },
            threshold: threshold)
    }

    /// Leaves with these names and values, and their total.
    static func line(_ parts: KeyValuePairs<String, Int64>) throws -> SmallTable {
        var cells = parts.enumerated().map { ($0.element.key, [UInt32($0.offset)]) }
        cells.append(("total", Array(0..<UInt32(parts.count))))
        return try SmallTable(parts.map(\.value), cells: cells, sums: [("total", parts.map(\.key))])
    }

    func column(_ name: String) throws -> ColumnIndex {
        try #require(names.firstIndex(of: name).map { ColumnIndex(UInt32($0)) })
    }

    var sensitive: [ColumnIndex] {
        problem.cells.indices.filter { problem.cells[$0].isSensitive }.map { ColumnIndex(UInt32($0)) }
    }

    /// Hides what is sensitive and nothing else: the control.
    var naive: [Bool] { problem.cells.map { !$0.isSensitive } }
}
