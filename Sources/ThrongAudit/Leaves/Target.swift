/// A withheld number that the attacker goes for.
struct Target {
    /// The metric.
    let metric: String
    /// The metric as its plan calls it.
    let subject: String
    /// Whether no metric has it as a cell: leaves that published numbers of several cut out together.
    let isAtom: Bool
    /// The measure.
    let measure: AuditMeasure
    /// k.
    let threshold: Int64
    /// Unknowns that lie wholly in it: a lower bound of theirs is one of the target's.
    let whole: [LinearSystem.Term]
    /// Unknowns that it touches: an upper bound of theirs is one of the target's.
    ///
    /// Where the target takes a part of an unknown, all of it may lie inside or nothing, since nothing published tells.
    let touched: [LinearSystem.Term]
    /// In words.
    let name: String
}
