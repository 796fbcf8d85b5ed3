/// A word, a string or a sign of Swift, as far as these tests need to know it.
struct Token: Equatable {
    enum Kind: Equatable {
        /// A name, a keyword or a number.
        case word
        /// A literal; its text is what stands between the quotes, without what is interpolated.
        case string
        /// One character.
        case sign
    }

    let kind: Kind
    let text: String
    /// From 1.
    let line: Int
    /// Whether it follows the one before it without a space.
    var isAttached = false
    /// Whether a string has interpolated parts; these follow as tokens of their own.
    var isInterpolated = false

    func isSign(_ character: String) -> Bool { kind == .sign && text == character }
    func isWord(_ word: String) -> Bool { kind == .word && text == word }
}
