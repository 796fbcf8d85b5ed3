/// One number of a report, or why there is none.
package enum Figure: Sendable, Hashable {
    /// It is computed from published cells only.
    case published(Quantity)
    /// It is not published, and nothing says why: see ``Withheld``.
    case withheld
    /// The plan says that nothing can be counted here: see ``Impossible``.
    case impossible
    /// There is nothing to be published or withheld: see ``Absence``.
    case absent(Absence)

    /// The number, where there is one.
    package var quantity: Quantity? {
        switch self {
        case .published(let quantity): quantity
        case .withheld, .impossible, .absent: nil
        }
    }
}
