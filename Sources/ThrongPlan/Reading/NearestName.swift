/// Finds what somebody may have meant.
package enum NearestName {
    /// Finds the nearest known name: one slip away, or at most a third of the letters, and never all of them.
    package static func nearest(to written: String, among known: some Sequence<String>) -> String? {
        let lowered = written.lowercased()
        let limit = Swift.max(1, lowered.unicodeScalars.count / 3)
        var best: (name: String, distance: Int)?
        let length = lowered.unicodeScalars.count
        for name in known where abs(name.unicodeScalars.count - length) <= limit {
            let distance = distance(lowered, name.lowercased())
            if distance <= limit, distance < lowered.unicodeScalars.count, distance < best?.distance ?? .max {
                best = (name, distance)
            }
        }
        return best?.name
    }

    /// Returns "; did you mean 'threshold'?", or a semicolon if nothing is near.
    static func question(_ name: String?) -> String { name.map { "; did you mean '\($0)'?" } ?? ";" }

    /// Returns the question, then what is allowed as far as it can be listed.
    static func advice(for written: String, among known: [String], noun: String) -> String {
        let meant = question(nearest(to: written, among: known))
        if known.isEmpty { return "\(meant) there are no \(noun)" }
        let rest = known.count > 24 ? " and \(known.count - 24) more" : ""
        return "\(meant) known: \(known.prefix(24).joined(separator: ", "))\(rest)"
    }

    /// Returns the optimal string alignment distance of two texts (Damerau 1964, Levenshtein 1966).
    static func distance(_ left: String, _ right: String) -> Int {
        let a = Array(left.unicodeScalars)
        let b = Array(right.unicodeScalars)
        if a.isEmpty || b.isEmpty { return Swift.max(a.count, b.count) }
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 1...a.count {
            var row = [i] + [Int](repeating: 0, count: b.count)
            for j in 1...b.count {
                row[j] = Swift.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1))
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    row[j] = Swift.min(row[j], beforeLast[j - 2] + 1)
                }
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}
