/// Which folders of one target need which others: a folder needs another where one of its files names a type that the
/// other's files declare at the top level.
///
/// Members are not followed, so it may miss what is used without a name; what it finds is there.
struct FolderGraph {
    private(set) var uses: [String: [String: [String]]] = [:]

    init(_ files: [SwiftFile]) {
        var homes: [String: Set<String>] = [:]
        for file in files {
            for type in file.declarations where type.isOnTop && !type.isPrivate {
                homes[type.name, default: []].insert(file.folder)
            }
        }
        for file in files {
            for (name, token) in file.usedTypes {
                for home in homes[name] ?? [] where home != file.folder {
                    uses[file.folder, default: [:]][home, default: []].append("\(file.place(token)) uses \(name)")
                }
            }
        }
    }

    /// The folders that need each other, directly or around; each circle once.
    var circles: [[String]] {
        var reach: [String: Set<String>] = [:]
        for folder in uses.keys {
            var open = [folder]
            while let next = open.popLast() {
                for other in (uses[next] ?? [:]).keys where reach[folder, default: []].insert(other).inserted {
                    open.append(other)
                }
            }
        }
        var found: [[String]] = []
        for folder in reach.keys.sorted() where reach[folder]?.contains(folder) ?? false {
            guard !found.contains(where: { $0.contains(folder) }) else { continue }
            let others = reach.keys.filter {
                (reach[folder]?.contains($0) ?? false) && (reach[$0]?.contains(folder) ?? false)
            }
            found.append(others.sorted())
        }
        return found
    }

    /// The arrows within a circle with what they are made of, the thinnest first: one of these has to go.
    func words(of circle: [String]) -> String {
        var arrows: [(String, [String])] = []
        for from in circle {
            for (to, places) in uses[from] ?? [:] where circle.contains(to) {
                arrows.append(("\(from) -> \(to)", places))
            }
        }
        return arrows.sorted { ($0.1.count, $0.0) < ($1.1.count, $1.0) }.prefix(6).map { arrow, places in
            "  \(arrow): \(places.count) uses\n" + places.prefix(4).map { "      \($0)" }.joined(separator: "\n")
        }.joined(separator: "\n")
    }
}
