internal import ThrongPlan

/// A map of countries as squares of one size, shaded by the numbers of an answer that is split by countries or regions.
///
/// It shows the part of `World.txt` in which the plan's buckets lie. A withheld country is hatched, whatever it hides; one
/// that no bucket names, or that has nothing to be published, is an outline.
struct MapView {
    let mapSquares: [TemplateView]
    /// The outlines of the other countries, as one path.
    let mapOutlines: String
    let mapBox: String
    let mapClass: String
    let mapWidth: String
    let mapHeight: String
    /// The sentences on how to read it, and the meaning of each kind of square; each with its place below the drawing.
    let mapNotes: [TemplateView]
    let mapKeys: [TemplateView]
    let chartID: String
    let chartTitle: String
    let chartSummary: String
    /// The height with notes and keys below it. Unit: pixels.
    let fullHeight: Double

    /// The least number of published buckets: of fewer, bars say enough.
    private static let fewest = 4
    /// The room for a square and for a row of them, and the height of a line below. Unit: pixels.
    private static let (largest, room, line) = (44.0, 672.0, 22.0)
    /// The distance between squares, which have gaps of 1. Unit: the drawing's own.
    private static let pitch = 16
    /// The columns beyond which letters are too small on a narrow screen.
    private static let mostLettered = 10

    /// Nil where the answer is not split by countries alone, or too few of them have numbers.
    init?(_ answer: InsightAnswer, _ answered: InsightAnswer.Answered, anchor: String) {
        guard answered.axes.count == 1, let axis = answered.axes.first, let rule = answer.telling[axis.name]?.rule,
            let groups = WorldGrid.countries(of: rule)
        else { return nil }
        if case .trend = answered.view { return nil }
        let buckets = groups.compactMap { group -> (countries: [String], label: String, mark: ChartMark)? in
            let label = answer.words(for: group.label, of: axis.name)
            let row = answered.table.rows.first { $0.label == label }
            return row.map { (group.values, label, answer.mark($0.figure)) }
        }
        let values = buckets.compactMap(\.mark.value)
        guard values.count >= Self.fewest, let highest = values.max(), highest > 0, values.allSatisfy({ $0 >= 0 })
        else { return nil }
        let (locale, scale) = (answer.locale, LineScale(highest: highest))
        let steps = Self.steps(over: values, upTo: highest)
        let isGrouped = groups.contains { $0.values.count { WorldGrid.places[$0] != nil } > 1 }
        let squares = buckets.flatMap { countries, label, mark in
            let shade = mark.value.map { value in "shade-\(steps.count { $0 <= value } + 1)" }
            let style = shade ?? (mark == .withheld ? "withheld" : "outline")
            return countries.filter { WorldGrid.places[$0] != nil }.map { code in
                let name = locale.name(of: "_\(code)")
                let said = [code, name].contains(label) ? name : isGrouped ? "\(name) · \(label)" : label
                return (code: code, style: style, title: "\(said): \(mark.words(in: locale))")
            }
        }
        let named = squares.compactMap { WorldGrid.places[$0.code] }
        let (columns, rows) = (named.map(\.column), named.map(\.row))
        guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max()
        else { return nil }
        mapSquares = zip(squares, named).map { square, place in
            let (x, y) = (Self.pitch * (place.column - left), Self.pitch * (place.row - top))
            return [
                "squareX": x, "squareY": y, "squareClass": square.style, "squareTitle": square.title,
                "squareCode": square.code, "codeX": x + Self.pitch / 2, "codeY": y + 10,
            ]
        }
        let others = Set(WorldGrid.places.keys).subtracting(squares.map(\.code)).compactMap { WorldGrid.places[$0] }
            .filter { left...right ~= $0.column && top...bottom ~= $0.row }
            .sorted { ($0.row, $0.column) < ($1.row, $1.column) }
        mapOutlines = others.map { "M\(Self.pitch * ($0.column - left)) \(Self.pitch * ($0.row - top))h15v15h-15z" }
            .joined()
        let (across, down) = (right - left + 1, bottom - top + 1)
        mapBox = "-1 -1 \(Self.pitch * across + 1) \(Self.pitch * down + 1)"
        mapClass = across > Self.mostLettered ? "map wide" : "map"
        let size = min(Self.largest, Self.room / Double(across))
        let height = size * Double(down)
        (mapWidth, mapHeight) = (Coordinate.number(size * Double(across)), Coordinate.number(height))
        let notes = ([.mapNote, .mapShades] + (isGrouped ? [.mapGroups] : [])).map { locale.say($0) }
        let edges = [nil] + steps.map { scale.text($0, isShare: answer.unit == "share", in: locale) } + [nil]
        var keys = zip(edges, edges.dropFirst()).enumerated().map { place, ends in
            (style: "shade-\(place + 1)", words: locale.band(from: ends.0, to: ends.1))
        }
        if squares.contains(where: { $0.style == "withheld" }) {
            keys.append((style: "withheld", words: ChartMark.withheld.text(in: locale)))
        }
        let other = answer.words(for: .other, of: axis.name)
        if !others.isEmpty { keys.append((style: "outline", words: locale.say(.mapRest, ["other": other]))) }
        func below(_ place: Int) -> Double { height + 8 + Self.line * Double(place) }
        mapNotes = notes.enumerated().map { ["mapSentence": $1, "mapSentenceY": Coordinate.number(below($0) + 14)] }
        mapKeys = keys.enumerated().map { place, key in
            let y = below(notes.count + place)
            return [
                "keyClass": key.style, "keyWords": key.words, "keyY": Coordinate.number(y + 3),
                "keyTextY": Coordinate.number(y + 14),
            ]
        }
        fullHeight = below(notes.count + keys.count)
        (chartID, chartTitle, chartSummary) = ("\(anchor)-map", answer.insight.title, answer.sentence)
    }

    /// The numbers at which shades begin, but for the first: round fifths, or else four of 1, 2, 5, 10, 20 and so on, where one
    /// country has so much that most others would have the first shade.
    private static func steps(over values: [Double], upTo highest: Double) -> [Double] {
        var power = 1.0
        while power * 10 <= highest { power *= 10 }
        while power > highest { power /= 10 }
        let fifth = [20, 25, 30, 40, 50, 60, 80, 100, 120, 150].first { 5 * $0 * power >= 100 * highest } ?? 200
        let steps = (1...4).map { Double($0) * fifth * power / 100 }
        guard values.count(where: { $0 < steps[0] }) * 2 > values.count else { return steps }
        return [5, 10, 20, 50, 100, 200, 500].map { $0 * power / 100 }.filter { $0 < highest }.suffix(4)
    }
}

/// The places of countries on a map of squares.
enum WorldGrid {
    /// Column and row of each country, by its code of ISO 3166-1.
    static let places = {
        var places: [String: (column: Int, row: Int)] = [:]
        let lines = String(decoding: PackageResources.World_txt, as: UTF8.self).split(separator: "\n")
        for (row, line) in lines.filter({ !$0.hasPrefix("#") }).enumerated() {
            for (column, code) in line.split(separator: " ").enumerated() { places[String(code)] = (column, row) }
        }
        places[".."] = nil
        return places
    }()

    /// The countries of each bucket of a rule, in all their codes; nil where its buckets are something else.
    static func countries(of rule: BucketingRule) -> [BucketGroup]? {
        switch rule {
        case .region(let groups): BucketingRule.withAliases(groups)
        case .list(let groups) where groups.flatMap(\.values).allSatisfy { places[$0] != nil }: groups
        default: nil
        }
    }
}
