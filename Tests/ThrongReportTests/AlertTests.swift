import Testing

@testable import ThrongPlan
@testable import ThrongReport

@Suite("An alert goes out where a released number is beyond its margin, and beyond what is usual")
struct AlertTests {
    private static let title = "Product views"

    /// The product views of weeks as so many parts of the shop's, the report's own first; nil has too few to be shown.
    private static func course(_ alert: Alert, _ parts: [Double?]) -> Course {
        let weeks = parts.map { part -> Shop? in
            var shop = Shop()
            guard let part else {
                shop.views = shop.views.map { $0.map { _ in (2, 0) } }
                return shop
            }
            if part > 0.9 {
                shop.views[0][0].events += Int64((part - 1) * Double(Self.total))
            } else {
                shop.views = shop.views.map { $0.map { (Int64(Double($0.events) * part), $0.devices) } }
            }
            return shop
        }
        var course = Course(weeks, insights: [Shop().insight("all", title, .count)])
        course.alert = alert
        return course
    }

    /// All events of the shop.
    private static let total = Shop().views.joined().reduce(0) { $0 + $1.events }
    /// Within what 19 of 20 of its numbers lie.
    private static let margin: Int64 = 28

    private static func sentence(_ alert: Alert, _ parts: [Double?]) -> String? {
        course(alert, parts).document.alert?.sentence
    }

    private static func alert(below: Double? = nil, above: Double? = nil, isUnusual: Bool = false) -> Alert {
        Alert(insight: "all", below: below, above: above, isUnusual: isUnusual)
    }

    private static let usual = [1, 1.02, 0.98, 1.01, 0.99, 1.02, 0.98, 1]

    @Test("a number like those before is none, and one far from them is, up and down")
    func unusual() throws {
        let alert = Self.alert(isUnusual: true)
        for like in [1, 1.03, 0.97] { #expect(Self.sentence(alert, [like] + Self.usual) == nil, "\(like)") }
        let low = try #require(Self.sentence(alert, [0.8] + Self.usual))
        #expect(
            low.hasPrefix("This is an alert: “\(Self.title)” is unusually low. In the 8 weeks before, it lay between "))
        #expect(Self.sentence(alert, [1.2] + Self.usual)?.contains(" is unusually high. ") == true)
    }

    @Test("noise alone makes none: where numbers never changed, a change within the margin is none")
    func noise() {
        let (alert, level) = (Self.alert(isUnusual: true), [Double](repeating: 1, count: 8))
        func part(_ more: Int64) -> Double { 1 + (Double(more) + 0.5) / Double(Self.total) }
        #expect(Self.sentence(alert, [part(Self.margin)] + level) == nil)
        #expect(Self.sentence(alert, [part(Self.margin + 5)] + level) != nil)
    }

    @Test("fewer than four numbers tell nothing of what is usual, and what is withheld is none")
    func fewest() {
        let alert = Self.alert(isUnusual: true)
        #expect(Self.sentence(alert, [0.2, 1, 1, 1, nil, nil, nil, nil, nil]) == nil)
        #expect(Self.sentence(alert, [0.2, 1, 1, 1, 1, nil, nil, nil, nil]) != nil)
        #expect(Self.sentence(alert, [1]) == nil)
    }

    @Test("a bound is passed where the whole margin is beyond it")
    func bounds() {
        let now = Double(Self.total)
        #expect(Self.sentence(Self.alert(below: now + 28), [1]) == nil)
        #expect(
            Self.sentence(Self.alert(below: now + 29), [1])?.hasPrefix("This is an alert: “\(Self.title)” is below ")
                == true)
        #expect(Self.sentence(Self.alert(above: now - 28), [1]) == nil)
        #expect(Self.sentence(Self.alert(below: 1, above: now - 29), [1])?.contains(" is above ") == true)
    }

    @Test("a number that is withheld is below each bound, and unlike those that were shown")
    func withheld() {
        #expect(Self.sentence(Self.alert(below: 1), [nil])?.contains(" is below 1.") == true)
        #expect(Self.sentence(Self.alert(above: 1), [nil]) == nil)
        let low = Self.sentence(Self.alert(isUnusual: true), [nil] + Self.usual)
        #expect(
            low?.contains(" is unusually low, so that it is not shown. In the 8 weeks before, it lay between ") == true)
    }

    @Test("page, JSON, sheets and mail say why it goes out, and its sources are those that it was compared with")
    func formats() throws {
        let document = Self.course(Self.alert(isUnusual: true), [0.8] + Self.usual).document
        let sentence = try #require(document.alert?.sentence)
        #expect(try document.html().contains(sentence) && document.sheets[0].lines.contains(sentence))
        #expect(document.json.contains("\"alert\": \"This is an alert: ") && document.sources.count == 9)
        let letter = try ReportLetter(of: document, with: try ReportFiles(of: document, formats: [.html, .csv]))
        #expect(letter.text.contains(sentence) && letter.page.contains(sentence))
        #expect(letter.subject == "\(document.title): \(document.periodTitle)")
        #expect(
            letter.text.contains(document.answers[0].sentence)
                && letter.text.contains("open weekly_course-2026-W47.html."))
        #expect(!letter.text.contains("throng verify"), "nobody signed it")
        let quiet = Self.course(Self.alert(isUnusual: true), [1] + Self.usual).document
        #expect(quiet.alert == nil && !quiet.json.contains("\"alert\""))
    }
}
