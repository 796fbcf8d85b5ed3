/// A text, and in which language it is.
public struct SpokenText: Sendable, Hashable, Codable {
    /// The text.
    public let text: String
    /// A tag of BCP 47, such as `de`; nil where the plan does not say.
    public let language: String?

    /// Puts it together.
    public init(_ text: String, language: String? = nil) {
        self.text = text
        self.language = language
    }
}

extension PublicPlan {
    /// A text of the plan in the language that serves a reader best.
    ///
    /// - Parameters:
    ///   - place: where it is in the plan: `purposes.product.explanation`.
    ///   - text: what stands there for whoever reads none of its languages.
    ///   - wanted: what the reader reads, best first.
    package func spoken(_ place: String, _ text: String, for wanted: [LanguageTag]) -> SpokenText {
        let texts = (translations ?? [:]).compactMapValues { $0[place] }
        let tags = texts.keys.sorted().compactMap { LanguageTag($0) }
        if let best = LanguageTag.best(of: tags, for: wanted), let found = texts[best.text] {
            return SpokenText(found, language: best.text)
        }
        return SpokenText(text, language: tags.first { texts[$0.text] == text }?.text)
    }
}
