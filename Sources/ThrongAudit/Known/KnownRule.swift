/// How a field becomes a bucket, as far as two rules on one field can be told to have parts in common.
package enum KnownRule: Sendable, Hashable {
    /// Each listed value has a bucket; every other value is in the last one. `folds` is for codes in either case.
    case values([Group], rest: String, folds: Bool)
    /// Bands between ascending edges, from below the first to the last one's and above; what is no number is in the last
    /// label, where there is one more.
    case edges([Double], labels: [String])
    /// Each label but the last stands for the same thing in every rule of the kind, and the last for all others.
    case names([String], kind: String)
    /// Buckets that can't be compared with another rule's.
    case apart([String], kind: String)

    /// Values that share a bucket.
    package struct Group: Sendable, Hashable {
        /// The bucket.
        package let label: String
        /// The values, besides the label itself.
        package let values: [String]

        /// A group.
        package init(label: String, values: [String]) {
            self.label = label
            self.values = values
        }
    }

    /// The buckets in order.
    package var labels: [String] {
        switch self {
        case .values(let groups, let rest, _): groups.map(\.label) + [rest]
        case .edges(_, let labels), .names(let labels, _), .apart(let labels, _): labels
        }
    }

    /// What rules that can be refined together have in common: on one field they make one axis.
    package var kind: String {
        switch self {
        case .values(_, _, let folds): folds ? "codes" : "values"
        case .edges: "numbers"
        case .names(_, let kind): kind
        case .apart(let labels, let kind): "\(kind) \(labels.joined(separator: "|"))"
        }
    }

    /// The bucket of a listed value.
    func label(of value: String) -> String? {
        switch self {
        case .values(let groups, let rest, let folds):
            func same(_ other: String) -> Bool { folds ? other.uppercased() == value.uppercased() : other == value }
            return groups.first { same($0.label) || $0.values.contains(where: same) }?.label ?? rest
        case .names(let labels, _):
            return labels.contains(value) ? value : labels.last
        case .edges, .apart:
            return nil
        }
    }
}
