import Testing

@testable import ThrongPlan
@testable import ThrongReport

@Suite("A trend says what happened meanwhile, at its period")
struct AnnotationTests {
    private static func course(_ dates: [String]) -> Course {
        var course = Course()
        course.annotations = dates.enumerated().compactMap { place, date in
            CalendarDate(date).map { Annotation(name: "note_\(place)", date: $0, text: "Note \(place) <&>") }
        }
        return course
    }

    @Test("a note stands beside the trends whose periods hold its day, and beside no other insight")
    func own() throws {
        // The trend is of the weeks from 12 October to 22 November.
        let course = Self.course(["2026-11-22", "2026-10-12", "2026-10-11", "2026-11-23"])
        let notes = try #require(course.answer("trend")).notes
        #expect(notes.map(\.words) == ["12 October 2026: Note 1 <&>", "22 November 2026: Note 0 <&>"])
        #expect(notes.map { Shop.calendar.label(of: $0.period) } == ["2026-W42", "2026-W47"])
        for name in ["change", "top"] as [InsightName] { #expect(course.answer(name)?.notes.isEmpty == true) }
    }

    @Test("a note is drawn at its period, and stands below it in words, also in the workbook")
    func shown() throws {
        let document = Self.course(["2026-11-22"]).document
        let page = try document.html()
        let words = "22 November 2026: Note 0 &lt;&amp;&gt;"
        #expect(page.contains("stroke-dasharray=\"4 3\"><title>\(words)</title></line>"))
        #expect(page.contains("<span>\(words)</span>"))
        #expect(document.sheets.contains { $0.notes.contains("22 November 2026: Note 0 <&>") })
        #expect(try !Course().document.html().contains("stroke-dasharray=\"4 3\""))
    }

    @Test("an edit of the plan is told where its numbers begin")
    func edited() throws {
        var course = Course()
        course.former = 3
        let words = try #require(course.answer("trend")).notes.map(\.words)
        // The weeks of which nothing was released tell nothing.
        #expect(words == ["From W46 on, another version of the plan counts."])
    }
}
