extension Figure {
    /// Whether it is there, as CSV and JSON say it.
    var status: NumberStatus {
        switch self {
        case .published: .published
        case .withheld: .withheld
        case .impossible: .impossible
        }
    }
}
