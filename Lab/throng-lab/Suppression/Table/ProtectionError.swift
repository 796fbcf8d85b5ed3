/// The reason why a table was not protected, or why a protected one is not handed out.
package enum ProtectionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The separate verification found the pattern unsafe: an error in this program.
    case unverified(faults: Int)
    /// Strict: no proof was found in time for that many cells, such as these.
    case unproved(cells: Int, such: [[String]])
    /// A least pattern is searched for in smaller tables only.
    case tooManyCells(found: Int, limit: Int)
    /// A least pattern was not found in time.
    case timedOut(seconds: Double)
    /// Counts or values are too large to compute with.
    case tooLarge
    /// A solver failed.
    case solverFailed

    init(_ error: SuppressionError, cells: [TableCube.Cell]) {
        self =
            switch error {
            case .malformed: .tooLarge
            case .unproved(let places):
                .unproved(cells: places.count, such: places.prefix(3).map { cells[Int($0.value)].codes })
            case .tooManyCellsForExactMode(let found, let limit): .tooManyCells(found: found, limit: limit)
            case .exactModeTimedOut(let seconds): .timedOut(seconds: seconds)
            case .solverFailed: .solverFailed
            }
    }

    /// A message: what was found and what to do.
    package var description: String {
        switch self {
        case .unverified(let faults):
            "the verification found \(faults) faults in the pattern, so nothing was written; please report this"
        case .unproved(let count, let such):
            "no proof was found in time for \(count) cells, such as "
                + such.map { $0.joined(separator: " / ") }.joined(separator: "; ")
                + "; allow more --seconds, merge small codes, or drop --strict to write the rest"
        case .tooManyCells(let found, let limit):
            "--exact takes tables of up to \(limit) cells with all their sums, and this one has \(found); drop --exact"
        case .timedOut(let seconds):
            "no least pattern was proved within \(seconds) seconds; allow more --seconds, or drop --exact"
        case .tooLarge:
            "the counts or values add up to 2^60 or more; bring values with fewer decimal places or in a larger unit"
        case .solverFailed:
            "the integer solver failed; drop --exact, and please report this"
        }
    }
}
