/// How many of the devices at one step of a funnel came from earlier ones: withheld where either number is.
package struct AnswerStage: Sendable, Hashable {
    /// As a part of those that took the step before; nil at the first.
    package let ofPrevious: Figure?
    /// As a part of those that took the first; nil at the first.
    package let ofFirst: Figure?

    /// Works out every row's.
    ///
    /// - Parameters:
    ///   - reached: by row, those that came at least so far; the steps run fastest.
    ///   - steps: how many there are.
    package static func all(_ reached: [Figure], steps: Int) -> [AnswerStage] {
        reached.indices.map { place in
            guard place % steps > 0 else { return AnswerStage(ofPrevious: nil, ofFirst: nil) }
            return AnswerStage(
                ofPrevious: quotient(reached[place], reached[place - 1]),
                ofFirst: quotient(reached[place], reached[place - place % steps]))
        }
    }

    private static func quotient(_ part: Figure, _ whole: Figure) -> Figure {
        guard let part = part.quantity?.amount, let whole = whole.quantity?.amount, whole > 0 else { return .withheld }
        return .published(.share(part: part, whole: whole))
    }
}
