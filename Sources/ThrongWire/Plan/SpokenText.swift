/// A text and its language.
public struct SpokenText: Sendable, Hashable, Codable {
    /// The text.
    public let text: String
    /// A tag of BCP 47, such as `de`; nil if the plan does not say.
    public let language: String?

    /// Creates a text with its language.
    public init(_ text: String, language: String? = nil) { (self.text, self.language) = (text, language) }
}

extension PublicPlan {
    /// A text of the plan in the language that serves a reader best.
    ///
    /// - Parameters:
    ///   - place: the text's place in the plan: `purposes.product.explanation`.
    ///   - text: the plan's text for a reader of none of its languages.
    ///   - wanted: the languages that the reader reads, best first.
    package func spoken(_ place: String, _ text: String, for wanted: [LanguageTag]) -> SpokenText {
        let texts = (translations ?? [:]).compactMapValues { $0[place] }
        let tags = texts.keys.sorted().compactMap { LanguageTag($0) }
        if let best = LanguageTag.best(of: tags, for: wanted), let found = texts[best.text] {
            return SpokenText(found, language: best.text)
        }
        return SpokenText(text, language: tags.first { texts[$0.text] == text }?.text)
    }
}
