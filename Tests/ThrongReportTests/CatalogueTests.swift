import Foundation
import Testing
import ThrongPlan

@testable import ThrongReport

#if canImport(FoundationXML)
    import FoundationXML
#endif

@Suite("Every sentence of Throng is in every language's catalogue")
struct CatalogueTests {
    private static let catalogues = Catalogue.all.keys.sorted()

    private static func catalogue(_ tag: LanguageTag) throws -> Catalogue { try #require(Catalogue.all[tag]) }

    /// The names of a message's arguments, without their cases.
    private static func names(_ arguments: [String]) -> [String] {
        arguments.map { String($0.prefix { $0 != "(" }) }
    }

    @Test("a catalogue has each message once and nothing else, and ICU can read it", arguments: catalogues)
    func complete(tag: LanguageTag) throws {
        let catalogue = try Self.catalogue(tag)
        #expect(catalogue.missing.isEmpty, "\(tag) lacks \(catalogue.missing.map(\.rawValue))")
        #expect(catalogue.unknown.isEmpty, "\(tag) has \(catalogue.unknown), which are no messages")
        let file = "Sources/ThrongPlan/Languages/\(tag).json"
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let keys = try String(contentsOf: root.appending(path: file), encoding: .utf8)
            .matches(of: #/(?m)^ *"(\w+)": /#).map { String($0.1) }
        #expect(keys.count == Set(keys).count, "\(file) has a message twice")
        for message in Message.allCases {
            #expect(catalogue.arguments(of: message) != nil, "\(tag): \(message) can't be read: \(catalogue[message])")
        }
    }

    @Test("a message has the arguments of the English one, and no others", arguments: catalogues)
    func arguments(tag: LanguageTag) throws {
        let english = try Self.catalogue(Language.english.tag)
        let catalogue = try Self.catalogue(tag)
        for message in Message.allCases {
            let theirs = Set(Self.names(catalogue.arguments(of: message) ?? []))
            let ours = Set(Self.names(english.arguments(of: message) ?? []))
            // A language may do without a word's form or a plural, and with the number of one.
            let mayLack: Set = ["noun", "one", "count", "kind", "isOne", "day", "first", "counts", "what"]
            let mayAdd: Set = ["noun", "one", "count"]
            #expect(theirs.subtracting(ours).isSubset(of: mayAdd), "\(tag): \(message) has \(theirs)")
            #expect(ours.subtracting(theirs).isSubset(of: mayLack), "\(tag): \(message) lacks some of \(ours)")
        }
    }

    @Test("a plural has each form that the language has, and a choice each word that the English one has")
    func forms() throws {
        let english = try Self.catalogue(Language.english.tag)
        func cases(_ argument: String) -> Set<String> {
            Set(argument.drop { $0 != "(" }.dropFirst().dropLast().split(separator: ",").map(String.init))
        }
        for language in Language.all {
            for message in Message.allCases {
                let ours = english.arguments(of: message) ?? []
                for argument in language.catalogue.arguments(of: message) ?? [] where argument.contains("(") {
                    let name = Self.names([argument])[0]
                    let found = cases(argument)
                    #expect(found.contains("other"), "\(language.tag): \(message): \(name) has no 'other'")
                    if name == "count" {
                        // A form that is given by its number stands for the one of that number.
                        let named = found.contains("=1") ? found.union(["one"]) : found
                        let lacking = Set(language.plurals).subtracting(named)
                        #expect(lacking.isEmpty, "\(language.tag): \(message) lacks the plurals \(lacking)")
                    } else if let original = ours.first(where: { Self.names([$0]) == [name] }) {
                        #expect(
                            found.isSubset(of: cases(original)),
                            "\(language.tag): \(message): \(name) has \(found), not \(cases(original))")
                    }
                }
            }
        }
    }

    @Test("a message has no markup but bold words and code, and templates show only messages that there are")
    func markup() throws {
        let marks = ["<strong>", "</strong>", "<code>", "</code>"]
        for language in Language.all {
            for message in Message.allCases {
                let rest = marks.reduce(language.catalogue[message]) { $0.replacing($1, with: "") }
                #expect(!rest.contains("<") && !rest.contains("&"), "\(language.tag): \(message)")
            }
            #expect(language.words.keys.sorted() == Language.english.words.keys.sorted(), "\(language.tag)")
        }
        let templates = PackageResources.all.filter { $0.name.hasSuffix(".mustache") }
        let shown = templates.flatMap { _, bytes in
            String(decoding: bytes, as: UTF8.self).matches(of: /say\.(\w+)/).map { String($0.1) }
        }
        #expect(templates.count > 10 && shown.count > 20)
        for name in shown { #expect(Language.english.words[name] != nil, "a template shows \(name)") }
    }

    @Test(
        "a report in each language says all it has to say, from the side from which it is read", arguments: Language.all
    )
    func reports(language: Language) throws {
        var course = Course()
        course.locale = language
        let html = try course.document.html()
        let side = language.isRightToLeft ? "rtl" : "ltr"
        #expect(html.contains("<html lang=\"\(language.tag)\" dir=\"\(side)\">"))
        #expect(language.isRightToLeft == (language.tag.text == "ar"))
        let texts = try PagePieces(html).text("//body | //title")
        #expect(texts.allSatisfy { !$0.contains("{") && !$0.contains("}") }, "an argument was left out")
        for answer in course.document.answers where language != .english {
            #expect(!answer.sentence.contains("of 20 cases"), "\(language.tag): \(answer.sentence)")
        }
    }

    @Test("a page that is read from the right is so in all its parts: no style names a side")
    func sides() {
        let sheets = PackageResources.all.filter { $0.name.hasSuffix(".css") }
        #expect(sheets.count >= 3)
        for (name, bytes) in sheets {
            let sided = String(decoding: bytes, as: UTF8.self)
                .matches(of: /(?:padding|margin|border|text-align:|float:|[{; ]) ?-?(?:left|right)\b/)
            #expect(sided.isEmpty, "\(name): \(sided.map(\.output))")
        }
    }

    // MARK: Pseudo-locale

    /// English with accents and in brackets: what has neither on a page is in no catalogue.
    private static func pseudo() throws -> Language {
        let accents: [Character: Character] = ["a": "á", "e": "é", "i": "í", "o": "ó", "u": "ú", "y": "ý", "n": "ñ"]
        let english = try Self.catalogue(Language.english.tag)
        let patterns = Message.allCases.map { message -> (String, String) in
            var (depth, isMark) = (0, false)
            let accented = english[message].map { character -> Character in
                if character == "{" { depth += 1 } else if character == "}" { depth -= 1 }
                if character == "<" { isMark = true } else if character == ">" { isMark = false }
                // The syntax of arguments is one level down, and their texts are two.
                return depth.isMultiple(of: 2) && !isMark ? accents[character] ?? character : character
            }
            return (message.rawValue, message == .gap ? " " : "⟦\(String(accented))⟧")
        }
        let tag = try #require(LanguageTag("en-XA"))
        return try #require(Language(tag, Catalogue(Dictionary(uniqueKeysWithValues: patterns))))
    }

    /// The words of a text that stand in no brackets.
    private static func outside(_ text: String) -> String {
        var depth = 0
        return String(
            text.filter { character in
                if character == "⟦" { depth += 1 }
                defer { if character == "⟧" { depth -= 1 } }
                return depth == 0
            })
    }

    /// The texts of a page in which words stand outside brackets that are none of these names, and no codes.
    private static func strange(_ html: String, _ known: [String]) throws -> [String] {
        let names = Set(
            known.flatMap { $0.split { !$0.isLetter && !$0.isNumber }.map(String.init) } + ["other", "EUR"])
        let pieces = try PagePieces(html)
        // Bold words and code are parts of sentences.
        let texts =
            try pieces.text("//*[not(*)][not(self::strong or self::code or self::style)]")
            + pieces.text("//p[strong or code]")
        #expect(texts.count { $0.contains("⟦") } > 50)
        return texts.filter { text in
            outside(text).split { !$0.isLetter }.map(String.init).contains { word in
                word.count > 1 && !names.contains { $0.contains(word) }
            }
        }
    }

    /// The names in a plan.
    private static func names(in plan: Plan) -> [String] {
        plan.insights.flatMap { [$0.title, $0.explanation ?? ""] } + plan.metrics.flatMap { [$0.title, $0.question] }
            + plan.dimensions.map(\.title) + plan.purposes.flatMap { [$0.name.text, $0.explanation] }
            + plan.reports.flatMap { [$0.title, $0.explanation ?? ""] }
            + plan.partners.flatMap { [$0.title, $0.contact] } + [plan.app.title, plan.app.contact, plan.app.timeZone]
            + plan.metrics.flatMap(\.events).map(\.text) + plan.labelledFields.flatMap { [$0.name] + $0.uses }
    }

    @Test("on pages in the pseudo-language all words are in brackets, but for those of the plan, dates and codes")
    func brackets() throws {
        var course = Course()
        course.locale = try Self.pseudo()
        let (document, plan) = (course.document, course.plan)
        var known = Self.names(in: plan) + [document.title, document.partner.title, document.periodLabel, "SHA-256"]
        known += document.answers.flatMap { $0.answered?.axes ?? [] }.flatMap { [$0.title] + $0.labels.map(\.text) }
        known += ["Oct Nov"] + document.sources.map(\.period)
        #expect(try Self.strange(document.html(), known).isEmpty)
        let label = plan.label(today: CalendarDate(daysSince1970: 20_778), in: try Self.pseudo())
        let buckets = plan.label().dimensions.flatMap(\.buckets)
        #expect(try Self.strange(label.page(root: "").html, Self.names(in: plan) + buckets).isEmpty)
    }

    @Test("Arabic pages have Arabic digits, but for codes and names of files")
    func digits() throws {
        let arabic = try #require(LanguageTag("ar").flatMap { Language($0) })
        var course = Course()
        course.locale = arabic
        let document = course.document
        let label = course.plan.label(today: CalendarDate(daysSince1970: 20_778), in: arabic)
        let pages = [
            try document.html(), try label.page(root: "").html, try LabelPage.index(of: [label]).html,
        ]
        let codes = document.sources.map(\.period) + [document.periodLabel, label.plan, "SHA-256"]
        for page in pages {
            let nodes = try PagePieces(page).root.nodes(forXPath: "//text()[not(ancestor::style or ancestor::code)]")
            let said = nodes.compactMap(\.stringValue).map { text in codes.reduce(text) { $0.replacing($1, with: "") } }
            let strange = said.filter { $0.contains { ("0"..."9").contains($0) } }
            #expect(strange.isEmpty, "\(strange)")
            #expect(said.contains { $0.contains { ("٠"..."٩").contains($0) } })
        }
        #expect(document.periodTitle.contains("٢٠٢٦"))
    }

    @Test("the label is said in each language, with its page", arguments: Language.all)
    func labels(language: Language) throws {
        let label = Course().plan.label(today: CalendarDate(daysSince1970: 20_778), in: language)
        let side = language.isRightToLeft ? "rtl" : "ltr"
        let html = try label.page(root: "").html
        #expect(html.contains("<html lang=\"\(language.tag)\" dir=\"\(side)\">"))
        #expect(!label.text.contains("{") && !label.text.contains("}"), "an argument was left out")
        #expect(label.text.contains("Every published number") == (language == .english))
    }
}
