/// What a report says about a number that was not published.
///
/// There is one wording, one marker and one place for all of them, because telling a zero, a small cell and a
/// neighbour's protection apart is an attack (disclosure page, section 1, "Zeros").
package enum Withheld {
    /// The sentence, the same in every format.
    package static let wording = "withheld: it stands for too few people, or would give away one that does"
    /// What stands in a table or a chart where the number would be.
    package static let marker = "withheld"
    /// What stands before the line with what the withheld rows hold together.
    package static let together = "Withheld, together"
}
