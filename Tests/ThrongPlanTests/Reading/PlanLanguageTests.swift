import Foundation
import Testing

@testable import ThrongPlan

@Suite("Promise 7: what people read is in their language where the plan has it")
struct PlanLanguageTests {
    private static let explanation = "explanation: To learn."
    private static let both = "explanation: {de: Um zu lernen., en: To learn.}"

    @Test("a tag is what BCP 47 says it is, and has one spelling")
    func tags() {
        let good = [
            "de": "de", "DE": "de", "de-at": "de-AT", "zh-hant": "zh-Hant", "ZH-HANT-tw": "zh-Hant-TW",
            "es-419": "es-419",
            "sl-rozaj": "sl-rozaj", "de-CH-1901": "de-CH-1901", "gsw": "gsw", "no": "no",
        ]
        for (written, text) in good { #expect(LanguageTag(written)?.text == text, "\(written)") }
        let bad = [
            "", "d", "deutsch", "de_AT", "de-", "-de", "de--AT", "de-A", "12", "x-klingon", "de-x-own", "de AT", "dé",
            "de-u-nu-latn", "en-US-US", String(repeating: "de-roman", count: 9),
        ]
        for written in bad { #expect(LanguageTag(written) == nil, "\(written)") }
    }

    @Test(
        "the best match is the reader's own language before anybody else's",
        arguments: [
            (["de"], "de"), (["de-AT"], "de"), (["fr", "de-CH"], "de"), (["pt"], "pt-BR"), (["pt-PT"], "pt-BR"),
            (["zh-Hant-TW"], "zh-Hant"), (["zh-TW"], "zh-Hant"), (["en-GB"], "en"), (["fr"], nil), ([], nil),
            (["zh-HK", "en"], "zh-Hant"), (["zh-MO"], "zh-Hant"), (["zh"], "zh-Hans"), (["zh-SG"], "zh-Hans"),
            (["chi-TW"], "zh-Hant"), (["iw-IL", "en"], "he"), (["no"], "nb"), (["no-NO", "de"], "nb"), (["nn"], nil),
            (["deu"], "de"), (["yue-Hant-HK"], nil),
        ] as [([String], String?)])
    func best(wanted: [String], expected: String?) {
        let available = ["en", "de", "pt-BR", "zh-Hans", "zh-Hant", "he", "nb"].compactMap { LanguageTag($0) }
        #expect(LanguageTag.best(of: available, for: wanted.compactMap { LanguageTag($0) })?.text == expected)
    }

    @Test(
        "a browser's wish is read by its weights, and nonsense in it is passed over",
        arguments: [
            ("de-AT,de;q=0.9,en;q=0.8", ["de-AT", "de", "en"]), ("en;q=0.5, fr;q=1.0 ,de", ["fr", "de", "en"]),
            ("de;q=0,en", ["en"]), ("*", []), ("", []), ("de;q=x,en", ["en"]), (";;,,;q=1", []), ("*;q=0.5,nl", ["nl"]),
            ("de_DE,\u{0},x-y,it", ["it"]),
        ])
    func wanted(header: String, expected: [String]) {
        #expect(LanguageTag.wanted(acceptLanguage: header).map(\.text) == expected)
    }

    @Test("a text by language is read, and English or the first is for everybody else")
    func read() throws {
        let plan = try SamplePlan.small(Self.explanation, Self.both)
        #expect(plan.purposes[0].explanation == "To learn.")
        #expect(plan.translations.languages.map(\.text) == ["de", "en"])
        let german = plan.translated(into: LanguageTag("de"))
        #expect(german.purposes[0].explanation == "Um zu lernen.")
        #expect(german.spoken("purposes.product.explanation")?.text == "de")
        #expect(german.metrics[0].question == "How many?" && german.spoken("metrics.views.question") == nil)
        // Back again, and into one that it does not have.
        #expect(german.translated(into: LanguageTag("en")).purposes == plan.purposes)
        #expect(plan.translated(into: LanguageTag("fr")).purposes == plan.purposes)
        let without = try SamplePlan.small(Self.explanation, "explanation: {de: Um zu lernen., nl: Om te leren.}")
        #expect(without.purposes[0].explanation == "Um zu lernen.")
        #expect(without.language(of: without.reports[0]).text == "de")
        #expect(without.language(for: [LanguageTag("fr"), LanguageTag("nl-BE")].compactMap(\.self))?.text == "nl")
        // No is a language and no answer.
        #expect(
            try SamplePlan.small(Self.explanation, "explanation: {en: To learn., no: For å lære.}")
                .translations.languages.map(\.text) == ["en", "no"])
    }

    @Test("whatever people read may be by language, and plans without languages are as they were")
    func everywhere() throws {
        let yaml = SamplePlan.small
            .replacing("title: An App", with: "title: {en: An App, ar: تطبيق}")
            .replacing("explanation: To learn.", with: "explanation: {en: To learn., ar: لنتعلم}")
            .replacing("title: System", with: "title: {en: System, ar: نظام}")
            .replacing("title: Views", with: "title: {en: Views, ar: مشاهدات}")
            .replacing("question: How many?", with: "question: {en: How many?, ar: كم؟}")
            .replacing(
                "title: By system",
                with: "title: {en: By system, ar: حسب النظام}\n    explanation: {en: Why., ar: لماذا}"
            )
            .replacing("title: Daily", with: "title: {en: Daily, ar: يومي}\n    explanation: {en: Read., ar: اقرأ}")
        let plan = try Plan(yaml: yaml, file: "plan.yaml", today: SamplePlan.today)
        #expect(plan.translations.words.count == 9)
        let arabic = plan.translated(into: LanguageTag("ar"))
        #expect(
            arabic.app.title == "تطبيق" && arabic.dimensions[0].title == "نظام" && arabic.metrics[0].title == "مشاهدات")
        #expect(arabic.insights[0].explanation == "لماذا" && arabic.reports[0].explanation == "اقرأ")
        #expect(arabic.reports[0].title == "يومي" && arabic.insights[0].title == "حسب النظام")
        #expect(arabic.metrics[0].question == "كم؟" && arabic.purposes[0].explanation == "لنتعلم")
        // All of it is undone by the other language, so nothing but words has changed.
        var back = arabic.translated(into: LanguageTag("en"))
        #expect(back.translations == plan.translations)
        back.translations = PlanTranslations()
        let plain = try Plan(
            yaml: yaml.replacing(/\{en: ([^,]*), ar: [^}]*\}/) { "\($0.1)" }, file: "plan.yaml", today: SamplePlan.today
        )
        #expect(back.metrics == plain.metrics && back.purposes == plain.purposes && back.reports == plain.reports)
        #expect(plain.translations.words.isEmpty && plain.translated(into: LanguageTag("ar")) == plain)
    }

    @Test(
        "a tag that is malformed or unknown is named, and what is allowed",
        arguments: [
            ("{de_AT: Um zu lernen.}", "9:19: … 'de_AT' is no language tag; did you mean 'de-AT'? a tag of BCP 47"),
            (
                "{deutsch: Um zu lernen.}",
                "9:19: … 'deutsch' is no language tag; a tag of BCP 47 is allowed, such as de"
            ),
            ("{xx: Um zu lernen.}", "9:19: … unknown language 'xx'"),
            ("{de-XX: Um zu lernen.}", "9:19: … unknown region 'XX' in 'de-XX'; a code of ISO 3166 is allowed"),
            ("{de: Um zu lernen., DE: Noch mal.}", "9:38: … 'de' is already given in line 9; keep one of them"),
            ("[To learn.]", "9:18: … found a list; a text is allowed, or a mapping of languages to texts"),
        ])
    func refused(written: String, message: String) throws {
        let found = try SamplePlan.problems(Self.explanation, "explanation: \(written)")
        let expected = message.replacing("…", with: "purpose 'product': 'explanation':")
        #expect(found.count == 1 && found[0].hasPrefix(expected), "\(found)")
    }

    @Test(
        "a mapping of languages has texts, and some",
        arguments: [
            ("{}", "is in 0 languages; 1 to 64 are allowed"), ("{de: }", "in 'de': found nothing; a text is allowed"),
            ("{de: [a]}", "in 'de': found a list; a text is allowed"),
        ])
    func empty(written: String, message: String) throws {
        let found = try SamplePlan.problems(Self.explanation, "explanation: \(written)")
        #expect(found.count == 1 && found[0].contains("purpose 'product': 'explanation' \(message)"), "\(found)")
    }

    @Test("a text in any language is held to the length of the one")
    func long() throws {
        let long = String(repeating: "a", count: 601)
        let found = try SamplePlan.problems(Self.explanation, "explanation: {en: To learn., de: \(long)}")
        #expect(found.count == 1 && found[0].contains("'explanation' in 'de' has 601 characters"), "\(found)")
    }

    @Test("the public plan has all languages, and in each of them the same beside the words")
    func document() throws {
        let plan = try SamplePlan.small(Self.explanation, Self.both)
        let document = try plan.publicPlan()
        #expect(document.translations?["de"] == ["purposes.product.explanation": "Um zu lernen."])
        let german = try plan.translated(into: LanguageTag("de")).publicPlan()
        #expect(german.purposes[0].explanation == "Um zu lernen." && german.version == document.version)
        #expect(german.translations == document.translations && german.metrics == document.metrics)
        let text = String(decoding: try plan.publicDocument(), as: UTF8.self)
        #expect(text.contains(#""translations":{"de":{"purposes.product.explanation":"Um zu lernen."}"#), "\(text)")
        let plain = try SamplePlan.small("An App", "App").publicDocument()
        #expect(!String(decoding: plain, as: UTF8.self).contains("translations"))
        func spoken(_ wanted: String...) -> SpokenText {
            document.spoken(
                "purposes.product.explanation", document.purposes[0].explanation,
                for: wanted.compactMap { LanguageTag($0) })
        }
        #expect(spoken("de-CH") == SpokenText("Um zu lernen.", language: "de"))
        #expect(spoken("fr") == SpokenText("To learn.", language: "en"))
        #expect(
            document.spoken("metrics.views.question", "How many?", for: []) == SpokenText("How many?", language: nil))
    }

    @Test("a report asks for its own language, its partner's, or that of the plan's texts")
    func reports() throws {
        func language(report: String = "", partner: String = "") throws -> String {
            let yaml = SamplePlan.small.replacing("partner: bank", with: "partner: bank\(report)")
                .replacing("title: Bank", with: "title: Bank\(partner)")
            let plan = try Plan(yaml: yaml, file: "plan.yaml", today: SamplePlan.today)
            return plan.language(of: plan.reports[0]).text
        }
        #expect(try language() == "en")
        #expect(try language(partner: "\n    language: de-CH") == "de-CH")
        #expect(try language(report: "\n    language: de", partner: "\n    language: fr") == "de")
        let found = try SamplePlan.problems("partner: bank", "partner: bank\n    language: klingon")
        #expect(found.count == 1 && found[0].contains("'language': 'klingon' is no language tag"), "\(found)")
    }

    @Test("the label is in the language that it is asked for")
    func label() throws {
        let plan = try SamplePlan.small(Self.explanation, Self.both)
        #expect(plan.privacyLabel(today: SamplePlan.today).contains("\nTo learn.\n"))
        let german = plan.translated(into: LanguageTag("de")).privacyLabel(today: SamplePlan.today)
        #expect(german.contains("\nUm zu lernen.\n") && !german.contains("To learn."))
    }

    @Test("plan check says which texts lack a language that others are in")
    func incomplete() throws {
        let yaml = SamplePlan.small.replacing(Self.explanation, with: Self.both)
            .replacing("question: How many?", with: "question: {en: How many?, fr: Combien?}")
        let plan = try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
        let advice = plan.lint(today: SamplePlan.today).map(\.description).filter {
            $0.contains("in which other texts")
        }
        #expect(advice.count == 2, "\(advice)")
        #expect(advice[0].contains("purposes.product.explanation is not there in fr, in which other texts are"))
        #expect(advice[1].contains("metrics.views.question is not there in de") && advice[1].contains("get it in en"))
        let whole = try SamplePlan.small(Self.explanation, Self.both).lint(today: SamplePlan.today)
        #expect(!whole.contains { $0.message.contains("in which other texts") })
    }

    @Test("words that change in one language are a change of what people were told", arguments: [true, false])
    func changes(isChanged: Bool) throws {
        let old = try SamplePlan.small(Self.explanation, Self.both)
        let german = isChanged ? "Um zu verkaufen." : "Um zu lernen."
        let new = try SamplePlan.small(Self.explanation, "explanation: {de: \(german), en: To learn.}")
        #expect(old.purposes[0] == new.purposes[0])
        let changes = try PlanDiff(from: old, to: new, rules: .system).changes
        #expect(changes.map(\.kind) == (isChanged ? [.words] : []))
        #expect(changes.first?.meaning == (isChanged ? "its explanation reads otherwise" : nil))
        let question = "question: How many?"
        let asked = try SamplePlan.small(question, "question: {en: How many?, de: Wie viele?}")
        let other = try SamplePlan.small(question, "question: {en: How many?, de: Wer?}")
        let asks = try PlanDiff(from: asked, to: other, rules: .system).changes
        #expect(asks.map(\.kind) == [.words] && asks[0].meaning.contains("'question'"))
    }

    @Test("a plan in one language has its label, and what is made up for a trial, in that of its reports")
    func one() throws {
        func plan(_ language: String) throws -> Plan {
            let yaml = SamplePlan.small.replacing("partner: bank", with: "partner: bank\n    language: \(language)")
            return try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
        }
        let arabic = try plan("ar")
        #expect(arabic.labelLanguage(for: ["en", "de"].compactMap { LanguageTag($0) })?.text == "ar")
        let made = arabic.forMadeUpCrowd()
        #expect(
            made.reports[0].title == "بيانات مختلقة: \(arabic.reports[0].title)" && made.app.title != arabic.app.title)
        #expect(try plan("en").forMadeUpCrowd().app.title == "Made up: \(arabic.app.title)")
    }

    @Test("no report mixes languages: one that Throng does not speak, or a text that lacks the report's, is refused")
    func mixed() throws {
        func problems(_ language: String, _ title: String) throws -> [String] {
            let yaml = SamplePlan.small.replacing("partner: bank", with: "partner: bank\n    language: \(language)")
                .replacing("title: Daily", with: title)
            do {
                _ = try Plan(yaml: yaml, file: "small.yaml", today: SamplePlan.today)
                return []
            } catch {
                return error.all.map(\.description)
            }
        }
        let unknown = try problems("sw", "title: Kila siku")
        #expect(unknown.count == 1 && unknown[0].contains("report 'daily': there are no sentences of Throng in its"))
        #expect(unknown[0].contains("'sw'; ") && unknown[0].contains("de, en"), "\(unknown)")
        // A plan in one language is in its reports'.
        #expect(try problems("de-CH", "title: Täglich").isEmpty)
        let mixed = try problems("de", "title: {en: Daily, de: Täglich}")
        #expect(!mixed.isEmpty && !mixed.contains { $0.contains("reports.daily.title") }, "\(mixed)")
        #expect(mixed.allSatisfy { $0.contains(" is not there in de, the language of report 'daily'") }, "\(mixed)")
        #expect(mixed.contains { $0.contains("metrics.views.question") && $0.hasPrefix("small.yaml:") }, "\(mixed)")
        #expect(try problems("en", "title: {en: Daily, de: Täglich}").isEmpty)
    }

    // MARK: Buckets

    private static let grouped = "  age:"
    private static func titled(_ titles: String, groups: String = "{Phone: [iOS, Android], Desk: [Windows]}") -> String
    {
        "  kind: {title: Kind, of: os, groups: \(groups), titles: \(titles)}\n  age:"
    }

    @Test("buckets have words by language; the others are told by their names, which all counters and files keep")
    func titles() throws {
        let plan = try SamplePlan.small(Self.grouped, Self.titled("{Phone: {en: Phones, de: Handys}}"))
        let kind = try #require(plan.derivedDimensions.first)
        #expect(kind.labels == ["Phone", "Desk", "other"] && kind.titles == ["Phone": "Phones"])
        let german = plan.translated(into: Language.german.tag)
        #expect(kind.labels.map { plan.words(for: $0, of: "kind", in: .english) } == ["Phones", "Desk", "other"])
        #expect(kind.labels.map { german.words(for: $0, of: "kind", in: .german) } == ["Handys", "Desk", "andere"])
        let bands = try SamplePlan.small(
            "bands: [10, 20, 30]", "bands: [10, 20, 30]\n    titles: {\"<10\": {en: kids, de: Kinder}, 10-20: young}")
        #expect(bands.words(for: "<10", of: "age", in: .english) == "kids")
        #expect(bands.words(for: "10-20", of: "age", in: .english) == "young")
        #expect(bands.words(for: "20-30", of: "age", in: .english) == "20 to 30")
        let plain = try SamplePlan.small("An App", "An App")
        #expect(try bands.layoutByLabel(of: bands.metrics[0]) == plain.layoutByLabel(of: plain.metrics[0]))
        #expect(try bands.publicPlan().translations?["de"] == nil)
        let changes = try PlanDiff(from: plain, to: bands, rules: .system).changes
        #expect(changes.map(\.kind) == [.words] && changes[0].meaning.contains("'titles'"), "\(changes)")
    }

    @Test(
        "a bucket that is not there, two that read alike, and a text that is none are refused",
        arguments: [
            ("{Phon: Phones}", "there is no bucket 'Phon'; did you mean 'Phone'? known: Phone, Desk"),
            ("{other: Else}", "there is no bucket 'other'; every language has its word for 'other'"),
            ("{Phone: Desk}", "'Phone' and 'Desk' both read 'Desk'; tell them apart"),
            ("{Phone: {en: A, de: B}, Desk: {en: C, de: B}}", "'Phone' and 'Desk' both read 'B'; tell them apart"),
            ("{Phone: [a]}", "of 'Phone': found a list; a text is allowed, or a mapping of languages to texts"),
            ("[Phone]", "found a list; a mapping of buckets to what people read is allowed"),
        ])
    func titleProblems(titles: String, message: String) throws {
        let found = try SamplePlan.problems(Self.grouped, Self.titled(titles))
        #expect(found.count == 1 && found[0].contains("dimension 'kind': 'titles'"), "\(found)")
        #expect(found.first?.contains(message) ?? false, "\(found)")
    }

    @Test("the title of a bucket that lacks a report's language is refused, as any text is")
    func lackingTitle() throws {
        let yaml = SamplePlan.small.replacing("partner: bank", with: "partner: bank\n    language: de")
            .replacing(/(title|question): ([A-Z][^,\n]*)/) { "\($0.1): {en: \($0.2), de: Ü \($0.2)}" }
            .replacing("title: {en: Bank, de: Ü Bank}", with: "title: Bank")
        func problems(_ titles: String) throws -> [String] {
            let system = "operating_system: standard"
            do {
                _ = try Plan(
                    yaml: yaml.replacing(system, with: "\(system)\n    titles: {Samsung TV: Telly, \(titles)}")
                        .replacing(system, with: "operating_system: [iOS, Samsung TV]"),
                    file: "small.yaml", today: SamplePlan.today)
                return []
            } catch { return error.all.map(\.description) }
        }
        let found = try problems("iOS: {en: iPhone, de: EiPhone}")
        #expect(found.count == 1 && found[0].contains("dimensions.os.titles.Samsung TV is not there in de"), "\(found)")
    }

    @Test("the sample is whole in German, too: every text of its reports and label, and every bucket that it names")
    func sample() throws {
        let file = SamplePlan.repository.appending(path: "Deploy/sample/shop.yaml")
        let yaml = try String(contentsOf: file, encoding: .utf8).replacing(
            "    language: en ", with: "    language: de "
        )
        .replacing("    contact: ads@", with: "    language: de\n    contact: ads@")
        let plan = try Plan(yaml: yaml, file: "shop.yaml", today: SamplePlan.today)
        #expect(plan.reports.map { plan.language(of: $0).text } == ["de", "de"])
        #expect(plan.labelLanguages.map(\.text) == ["de", "en"])
        for (place, words) in plan.translations.words {
            #expect(Set(words.texts.values).count == 2 || Set(words.texts.values) == ["Browser"], "\(place)")
        }
        let german = plan.translated(into: LanguageTag("de"))
        for dimension in german.dimensions {
            if case .list(let groups) = dimension.rule {
                #expect(Set(dimension.titles.keys) == Set(groups.map(\.label)), "\(dimension.name)")
            }
        }
        let measures = german.metrics.compactMap(\.within)
        #expect(measures.map(\.title) == ["Weitester Schritt", "Wie oft"] && measures[0].titles["Cart"] == "Warenkorb")
        #expect(german.metric("purchases")?.histogram?.title == "Bestellwert")
        #expect(german.metrics.flatMap { metric in metric.sums.map { metric.title(of: $0) } } == ["Umsatz"])
        #expect(german.partners.map(\.title) == ["Beispielbank", "Beispielmagazin"])
        #expect(try german.publicPlan().metrics.first { $0.name == "purchases" }?.histogram?.title == "Bestellwert")
    }

    @Test("a metric's noun may be in several languages")
    func nouns() throws {
        let named = try SamplePlan.small(
            "title: Views", "title: Views\n    noun: {one: {de: Ansicht, en: view}, many: views}")
        #expect(named.metrics[0].noun == Noun(one: "view", many: "views"))
        #expect(named.translated(into: LanguageTag("de")).metrics[0].noun == Noun(one: "Ansicht", many: "views"))
        let other = try SamplePlan.small(
            "title: Views", "title: Views\n    noun: {one: {de: Blick, en: view}, many: views}")
        let changes = try PlanDiff(from: named, to: other, rules: .system).changes
        #expect(changes.map(\.kind) == [.words] && changes[0].meaning.contains("'noun'"))
    }
}
