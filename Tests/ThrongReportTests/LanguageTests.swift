import Foundation
import Testing
import ThrongPlan
import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("A page says in which language each of the plan's texts is, so that a screen reader speaks it properly")
struct LanguageTests {
    private static let today = CalendarDate(daysSince1970: 20_778)

    private static let yaml = """
        app: {name: app, title: {en: An App, ar: تطبيق}, owner: Team, contact: a@example.com, audience: 1000}
        purposes:
          product: {explanation: {en: To learn., ar: لنتعلم}, consent: not_required, rotation: 1 day, retention: 30 days}
        dimensions:
          os: {title: {en: System, de: Betriebssystem, ar: النظام}, field: os, list: [x]}
        metrics:
          views: {title: {en: Views, ar: المشاهدات}, events: [view], question: {en: How many?, ar: كم؟}, decision: That., owner: Team,
            expires: 2027-10-31, purpose: product, dimensions: [os], period: day}
        insights:
          all: {title: {en: All, ar: الكل}, metric: views, kind: count}
          parts: {title: {en: Parts, ar: أجزاء}, explanation: {en: Why., ar: لماذا}, metric: views, kind: count, by: [os]}
        partners:
          them: {title: Them, contact: them@example.com, language: ar}
        reports:
          daily: {title: {en: Daily, ar: يومي}, explanation: {en: Read., ar: اقرأ}, partner: them, insights: [all, parts],
            period: day, deliver: [{folder: x}]}
        """

    private static func plan() throws -> Plan { try Plan(yaml: yaml, file: "plan.yaml", today: today) }

    /// The texts of elements with a language: "ar rtl لنتعلم".
    private static func spoken(_ html: String) throws -> Set<String> {
        Set(
            try PagePieces(html).elements("//body//*[@lang and @dir]").map { element in
                let attributes = ["lang", "dir"].map { element.attribute(forName: $0)?.stringValue ?? "" }
                let text = (element.stringValue ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
                return (attributes + [text]).joined(separator: " ")
            })
    }

    @Test("the page of what is counted has the reader's words, and names the language of each")
    func label() throws {
        let arabic = try Self.plan().translated(into: LanguageTag("ar")).label(today: Self.today).page(root: "")
        #expect(
            try Self.spoken(arabic.html) == [
                "ar rtl تطبيق", "ar rtl لنتعلم", "ar rtl كم؟", "ar rtl الكل", "ar rtl النظام", "ar rtl المشاهدات",
                "ar rtl أجزاء",
            ])
        let english = try Self.plan().label(today: Self.today).page(root: "")
        #expect(
            try Self.spoken(english.html) == [
                "en ltr An App", "en ltr To learn.", "en ltr How many?", "en ltr All", "en ltr System", "en ltr Views",
                "en ltr Parts",
            ])
    }

    @Test("a report is in its partner's language, and says so of each text")
    func report() throws {
        let plan = try Self.plan()
        let period = PeriodCalendar.utc.period(.day, containing: UnixSeconds(1_795_255_200))
        let document = ReportDocument(plan: plan, report: plan.reports[0], period: period, releases: [])
        #expect(document.title == "يومي" && document.explanation == "اقرأ" && document.app.title == "تطبيق")
        let spoken = try Self.spoken(document.html())
        #expect(
            spoken == [
                "ar rtl تطبيق", "ar rtl يومي", "ar rtl اقرأ", "ar rtl الكل", "ar rtl كم؟", "ar rtl لماذا",
                "ar rtl أجزاء",
            ],
            "\(spoken)")
        #expect(document.sheets.map(\.isRightToLeft) == [true, true, true])
        #expect(try document.html().contains("<html lang=\"ar\" dir=\"rtl\">"))
        let plain = try Plan(
            yaml: Self.yaml.replacing(", language: ar", with: ""), file: "plan.yaml", today: Self.today)
        let english = ReportDocument(plan: plain, report: plain.reports[0], period: period, releases: [])
        #expect(english.title == "Daily" && english.explanation == "Read.")
    }

    @Test("steps, buckets and what a metric measures are told in the report's language; files for programs keep names")
    func buckets() throws {
        var till = Till()
        till.yaml = Till.yaml.replacing(/(title|question|explanation): ([^,{}\n]+)/) {
            "\($0.1): {en: \($0.2), de: Ü \($0.2)}"
        }
        .replacing("{title: {en: Bank, de: Ü Bank}, ", with: "{title: Bank, language: de, ")
        .replacing("partitions: devices}", with: "partitions: devices, titles: {Android: {en: Droid, de: Ü Droid}}}")
        let document = try till.document
        let page = try PagePieces(document.html()).text("//body").joined(separator: " ")
        for name in ["Cart", "Address", "Paid", "Droid"] {
            let told = page.ranges(of: name).filter { !page[..<$0.lowerBound].hasSuffix("Ü ") }
            #expect(page.contains("Ü \(name)") && told.isEmpty, "\(name)")
        }
        #expect(page.contains("Wie oft") && !page.contains("Times") && !page.contains("Android"))
        for file in [document.csv, document.json] {
            #expect(file.contains("Cart") && file.contains("Android") && !file.contains("Droid"))
        }
        let english = try Till().document.html()
        #expect(english.contains("“Cart”") && english.contains("Times"))
    }

    @Test("a plan in one language names none")
    func plain() throws {
        let yaml = Self.yaml.replacing(/\{en: ([^,}]*)[^}]*\}/) { "\($0.1)" }.replacing(", language: ar", with: "")
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: Self.today)
        #expect(try Self.spoken(plan.label(today: Self.today).page(root: "").html).isEmpty)
    }
}
