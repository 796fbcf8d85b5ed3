/// The sums of one dimension's codes: the codes above each leaf code, by every hierarchy that the dimension has.
///
/// Hierarchies need not nest: a code may have one parent by region and another by market. A code that several of them name
/// holds the same leaves in each.
struct CodePaths {
    /// The paths by leaf code and hierarchy: the code, its ancestors, and last the total.
    let paths: [String: [[String]]]
    /// The codes that hold everything.
    let totals: Set<String>
    /// The numbers of the hierarchies.
    let hierarchies: Range<Int>

    /// - Parameters:
    ///   - codes: the leaf codes, with the file and line where each comes first.
    ///   - dimension: the dimension's name, for errors.
    init(
        _ codes: [(code: String, file: String, row: Int)], hierarchies: [Hierarchy], dimension: String
    ) throws(TableError) {
        let all = hierarchies.isEmpty ? [Hierarchy()] : hierarchies
        var paths: [String: [[String]]] = [:]
        for (code, file, row) in codes where paths[code] == nil {
            var own: [[String]] = []
            for hierarchy in all {
                if hierarchy.isParent(code) || code == Hierarchy.total {
                    throw .rowOfParent(file: file, row: row, code: code)
                }
                guard hierarchy.holds(code) else {
                    throw .codeNotInHierarchy(file: file, row: row, dimension: dimension, code: code)
                }
                own.append(hierarchy.path(from: code))
            }
            paths[code] = own
        }
        var held: [String: [Int: Set<String>]] = [:]
        for (code, own) in paths {
            for (place, path) in own.enumerated() {
                for above in path.dropFirst() { held[above, default: [:]][place, default: []].insert(code) }
            }
        }
        for above in held.keys.sorted() where Set((held[above] ?? [:]).values).count > 1 {
            throw .codeOfTwoMeanings(dimension: dimension, code: above)
        }
        self.paths = paths
        self.hierarchies = all.indices
        totals = Set(paths.values.flatMap { $0.compactMap(\.last) })
    }

    /// The codes of other hierarchies that hold some of a code's leaves and no others, by code. Codes one step below it
    /// in one hierarchy are not among them.
    var nested: [String: [String]] {
        guard hierarchies.count > 1 else { return [:] }
        var held: [String: Set<String>] = [:]
        var steps: [String: Set<String>] = [:]
        for (leaf, own) in paths {
            for path in own {
                for (place, code) in path.enumerated() {
                    held[code, default: []].insert(leaf)
                    if place > 0 { steps[code, default: []].insert(path[place - 1]) }
                }
            }
        }
        var found: [String: [String]] = [:]
        for (whole, leaves) in held where leaves.count > 1 {
            let parts = held.filter { part, inside in
                inside.count > 1 && inside.count < leaves.count && inside.isSubset(of: leaves)
                    && !(steps[whole] ?? []).contains(part)
            }
            if !parts.isEmpty { found[whole] = parts.keys.sorted() }
        }
        return found
    }

    /// A leaf code and every code above it, each once.
    func codes(above code: String) -> [String] {
        var found: [String] = []
        for path in paths[code] ?? [] { for code in path where !found.contains(code) { found.append(code) } }
        return found
    }

    /// Returns the codes one step above, each with the number of its hierarchy; none if a hierarchy ends there or lacks
    /// the code.
    func steps(from code: String, above leaf: String) -> [(hierarchy: Int, parent: String)] {
        (paths[leaf] ?? []).enumerated().compactMap { number, path in
            guard let step = path.firstIndex(of: code), step + 1 < path.count else { return nil }
            return (number, path[step + 1])
        }
    }

    /// Returns the codes of some leaves and those above, sorted by the way down to them. A sum comes before its parts,
    /// and the order of the rows, which may follow their numbers, does not show.
    func readingOrder(of leaves: Set<String>) -> [String] {
        var ways: [String: [String]] = [:]
        for leaf in leaves.sorted() {
            for path in paths[leaf] ?? [] {
                for place in path.indices where ways[path[place]] == nil {
                    ways[path[place]] = path[place...].reversed()
                }
            }
        }
        return ways.values.sorted { $0.lexicographicallyPrecedes($1) }.compactMap(\.last)
    }
}
