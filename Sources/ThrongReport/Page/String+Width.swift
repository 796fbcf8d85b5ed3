extension String {
    /// The width of the text, rather too wide than too narrow: pages are read in fonts that nobody knows here.
    ///
    /// - Unit: ems, of a sans serif as wide as they come, which is DejaVu Sans.
    var width: Double { unicodeScalars.reduce(0) { $0 + $1.width } }

    /// The text, or as much of its beginning as leaves room for an ellipsis.
    func shortened(toWidth most: Double) -> String {
        guard width > most else { return self }
        var kept = ""
        var left = most - Unicode.Scalar("…").width
        for character in self {
            left -= String(character).width
            guard left >= 0 else { break }
            kept.append(character)
        }
        return kept + "…"
    }
}

extension Unicode.Scalar {
    fileprivate var width: Double {
        switch self {
        case "i", "j", "l", "I", "|", ".", ",", ":", ";", "'", "!", " ", "·", "’": 0.36
        case "f", "r", "t", "(", ")", "[", "]", "/", "-": 0.44
        case "m", "w", "M", "W", "@", "%", "…", "—", "–": 1
        case "0"..."9", "a"..."z": 0.64
        // East Asian letters and pictures fill a square.
        case "\u{1100}"..."\u{115f}", "\u{2e80}"..."\u{a4cf}", "\u{ac00}"..."\u{d7a3}", "\u{f900}"..."\u{faff}",
            "\u{fe30}"..."\u{fe6f}", "\u{ff00}"..."\u{ff60}", "\u{ffe0}"..."\u{ffe6}", "\u{20000}"..."\u{3fffd}":
            1
        case "\u{1f000}"..."\u{1faff}": 1.4
        default:
            switch properties.generalCategory {
            case .nonspacingMark, .enclosingMark, .format: 0
            default: 0.78
            }
        }
    }
}
