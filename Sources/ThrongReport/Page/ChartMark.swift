internal import ThrongInsight

/// What a chart shows of one number: its length and words, or what stands in its place.
package enum ChartMark: Sendable, Hashable {
    /// A published number: for lengths and shades, without its unit, and with it.
    case number(Double, text: String, words: String)
    /// It is not published, and nothing says why: see ``Withheld``.
    case withheld
    /// There is nothing to be published or withheld: everybody knows why.
    case nothing(String)

    /// For lengths; nil where there is no number.
    var value: Double? {
        if case .number(let value, _, _) = self { value } else { nil }
    }

    /// Without its unit, or what stands in its place.
    var text: String {
        switch self {
        case .number(_, let text, _): text
        case .withheld: Withheld.marker
        case .nothing(let marker): marker
        }
    }

    /// With its unit, or what stands in its place.
    var words: String {
        if case .number(_, _, let words) = self { words } else { text }
    }
}

extension InsightAnswer {
    /// A figure as charts show it.
    func mark(_ figure: Figure) -> ChartMark {
        switch figure {
        case .published(let quantity):
            .number(quantity.approximate, text: text(quantity), words: words(quantity))
        case .withheld: .withheld
        case .impossible, .absent: .nothing(figure.marker ?? "")
        }
    }
}
