/// The spacing of a chart's rows: a label and a number above each bar, in one line or below each other.
///
/// The two share a line where all rows have room for both on the narrowest page. Otherwise what is said beside the number
/// has a line of its own, or the number has, or both have.
struct ChartRows {
    struct Words {
        let label: String
        let figure: String
        var addition = ""
    }

    /// The width that fits above a bar on a screen of 320 pixels, with a scroll bar. Unit: ems of the letters there.
    static let room = 17.7
    private static let gap = 0.8
    private static let line = 18.0

    private let lines: Int
    /// True if what is said beside the number alone has a line of its own.
    private let isSplit: Bool
    private let bar: Double

    /// - Parameter bar: a bar's height and the space below it, in pixels.
    init(_ rows: [Words], bar: Double) {
        self.bar = bar
        // Numbers are written in heavier letters.
        func width(_ figure: String) -> Double { figure.width * 1.06 }
        func fits(_ figure: (Words) -> String) -> Bool {
            rows.allSatisfy { $0.label.width + Self.gap + width(figure($0)) <= Self.room }
        }
        if fits({ $0.figure + $0.addition }) {
            (lines, isSplit) = (1, false)
        } else if fits(\.figure), rows.allSatisfy({ width($0.addition) <= Self.room }) {
            (lines, isSplit) = (2, true)
        } else {
            lines = rows.allSatisfy { width($0.figure + $0.addition) <= Self.room } ? 2 : 3
            isSplit = false
        }
    }

    private var pitch: Double { bar + 4 + Double(lines) * Self.line }

    /// Returns the height of so many rows. Unit: pixels.
    func height(_ count: Int) -> String { Coordinate.number(max(Double(count) * pitch - 8, 1)) }

    /// Returns the height at which a row's label stands. Unit: pixels.
    func labelY(_ row: Int) -> String { Coordinate.number(Double(row) * pitch + 14) }

    /// Returns the height at which a row's bar begins. Unit: pixels.
    func barY(_ row: Int) -> String { Coordinate.number(Double(row) * pitch + 4 + Double(lines) * Self.line) }

    /// Returns the height of the middle of a row's bar, less half of a whisker. Unit: pixels.
    func barMiddle(_ row: Int) -> String { Coordinate.number(Double(row) * pitch + 8 + Double(lines) * Self.line) }

    func figures(_ words: Words, row: Int, isPublished: Bool) -> [TemplateView] {
        let texts = isSplit || lines == 3 ? [words.figure, words.addition] : [words.figure + words.addition]
        let first = isSplit ? 0 : min(lines - 1, 1)
        return texts.enumerated().map { place, text in
            [
                "figureY": Coordinate.number(Double(row) * pitch + 14 + Double(first + place) * Self.line),
                "figureText": place == 0 ? text : text.withoutSeparator,
                "figureClass": isPublished ? "figure" : "figure nothing",
            ] as TemplateView
        }
    }
}

enum Coordinate {
    /// A fraction of 1, kept within 0 to 1, as "42.13%".
    static func percent(_ fraction: Double) -> String { number(Swift.min(Swift.max(fraction, 0), 1) * 100) + "%" }

    /// Returns a number with at most two decimals, without trailing zeros: the same text on every machine.
    static func number(_ value: Double) -> String {
        let hundredths = Int64((value * 100).rounded(.toNearestOrEven))
        let text = Decimals(hundredths, shiftedBy: 2, over: 1, places: 2).description
        if text.hasSuffix(".00") { return String(text.dropLast(3)) }
        return text.hasSuffix("0") ? String(text.dropLast()) : text
    }
}

extension String {
    /// The text without the point that parts it from what stood before.
    fileprivate var withoutSeparator: String { hasPrefix(" · ") ? String(dropFirst(3)) : self }
}
