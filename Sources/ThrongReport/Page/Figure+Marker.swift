extension Figure {
    /// What stands where the number would be; nil where there is one.
    var marker: String? {
        switch self {
        case .published: nil
        case .withheld: Withheld.marker
        case .impossible: Impossible.marker
        case .absent(let absence): absence.marker
        }
    }
}
