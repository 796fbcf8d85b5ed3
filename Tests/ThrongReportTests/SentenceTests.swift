import Testing
import ThrongPlan

@testable import ThrongReport

@Suite("a report's sentences are true of what is withheld, too, and speak as people do")
struct SentenceTests {
    private static let phones = Insight.Kind.share(
        of: .events, part: Insight.Filter(dimension: "device", bucket: "Phone"))

    /// A shop in which few devices of each other kind looked so often in Europe, and nowhere else; but for some tablets.
    private static func shop(others events: Int64, devices: Int64, tablets: (Int64, Int64)? = nil) -> Shop {
        var shop = Shop()
        shop.views = (0..<5).map { row in
            [row == 0 ? (1000, 500) : (events, devices)] + Array(repeating: (0, 0), count: 4)
        }
        if let tablets { shop.views[1][0] = tablets }
        return shop
    }

    private static func sentence(
        _ kind: Insight.Kind, _ weeks: [Shop?], by: [DimensionName] = ["device"],
        of metric: MetricName = "product_views",
        view: Insight.View = .table
    ) throws -> String {
        var course = Course(weeks, insights: [])
        course.insights = [Shop().insight("it", "It", kind, by: by, of: metric, view: view)]
        return try #require(course.answer("it")).sentence
    }

    @Test("a number is the largest only where all that is withheld together is surely less")
    func events() throws {
        for (others, isSure) in [(900, false), (320, false), (3, true)] as [(Int64, Bool)] {
            let shop = Self.shop(others: others, devices: 10, tablets: (100, 50))
            let sentence = try Self.sentence(.count, [shop])
            #expect(sentence.hasPrefix(isSure ? "“Phone” is the largest, with" : "Of the groups shown, “Phone” is the"))
            let ranking = try Self.sentence(.count, [shop], view: .ranking(top: 2))
            #expect(ranking.hasPrefix(isSure ? "“Phone” leads with" : "Of the groups shown, “Phone” leads with"))
        }
    }

    @Test("the only number that is shown is not called the largest")
    func only() throws {
        let shop = Self.shop(others: 900, devices: 10)
        #expect(
            try Self.sentence(.count, [shop]).hasPrefix("Only “Phone” is shown: about 1,000 of about 4,600 actions"))
        #expect(
            try Self.sentence(.count, [shop], view: .ranking(top: 2)).hasPrefix("Only “Phone” is shown: about 1,000"))
    }

    @Test("a number of devices is the largest where it is surely more than k and the margin of what is withheld")
    func devices() throws {
        var shop = Self.shop(others: 900, devices: 10, tablets: (100, 20))
        #expect(try Self.sentence(.reach, [shop]).hasPrefix("“Phone” is the largest"))
        shop.views[0][0].devices = 50
        #expect(try Self.sentence(.reach, [shop]).hasPrefix("Of the groups shown, “Phone” is the largest"))
    }

    @Test("nothing bounds a mean or a quotient that is withheld")
    func quotients() throws {
        var shop = Shop()
        let mean = try Self.sentence(.mean(sum: "basket"), [shop], of: "checkouts")
        #expect(mean.hasPrefix("Of the groups shown, "), "\(mean)")
        #expect(try !Self.sentence(Self.phones, [shop], by: ["region"]).hasPrefix("Of the groups shown, "))
        shop.views[0][4] = (5, 5)
        #expect(try Self.sentence(Self.phones, [shop], by: ["region"]).hasPrefix("Of the groups shown, "))
    }

    @Test("where nothing is withheld, nothing is said of the groups shown")
    func whole() throws {
        #expect(try Self.sentence(.count, [Shop()]).hasPrefix("“Phone” is the largest, with about 14,610 of about"))
    }

    @Test("a trend says which way all of it went and by how much; the first one has nothing to compare with")
    func trend() throws {
        var then = Shop()
        then.views[0][0].events -= 2000
        let sentence = try Self.sentence(.count, [Shop(), then], view: .trend(periods: 2))
        #expect(
            sentence.contains(" Since W46, the total rose by 8.8% (2,000). Since W46, “Phone” rose by "), "\(sentence)")
        let first = try Self.sentence(.count, [Shop()], view: .trend(periods: 8))
        #expect(first.hasSuffix(" There is nothing to compare with yet."), "\(first)")
        let few = Self.shop(others: 3, devices: 1)
        var other = few
        other.views.swapAt(0, 1)
        let apart = try Self.sentence(.reach, [few, other], view: .trend(periods: 2))
        #expect(!apart.contains("nothing to compare") && apart.contains("Since W46, the total is about the same."))
    }

    @Test("two measures of one thing say what tells them apart, once")
    func likenesses() throws {
        let shop = Shop()
        let insights = [
            shop.insight("views", "Views", .count), shop.insight("visitors", "Visitors", .reach),
            shop.insight("again", "Views again", .count),
        ]
        let notes = Course([shop], insights: insights).document.answers.map(\.likenesses)
        #expect(notes[0].isEmpty && notes[1] == ["“Visitors” counts devices, each once; “Views” counts every action."])
        #expect(notes[2] == ["“Views again” counts every action; “Visitors” counts devices, each once."])
    }

    @Test("a page has no word that only those who built it use", arguments: ["shop", "course", "till", "kitchen"])
    func words(page: String) throws {
        let html =
            switch page {
            case "shop": try Shop().document.html()
            case "course": try Course().document.html()
            case "till": try Till().document.html()
            default: try Kitchen().document.html()
            }
        let text = html.replacing(#/<style>[\s\S]*?<\/style>/#, with: "").replacing(#/<[^>]*>/#, with: " ").lowercased()
        let found = Set(text.split { !$0.isLetter }.map(String.init))
        let known: Set = ["event", "events", "identifier", "identifiers", "band", "bands", "cell", "cells", "floor"]
        #expect(found.isDisjoint(with: known), "\(found.intersection(known))")
        #expect(!text.contains("k = ") && !text.contains("published group") && !text.contains("chance alone"))
    }

    @Test("a plan's noun is what its numbers are called, in each language; else they are actions, visits or devices")
    func nouns() throws {
        let plain = try #require(Till().document.answers.last)
        #expect(plain.noun == Noun(one: "visit", many: "visits"))
        #expect(
            Wording(.german, of: Noun(one: "order", many: "orders")).words(.drawn(1, of: .events)) == "etwa 1 order")
        #expect(
            Wording(.german, of: Noun(one: "order", many: "orders")).words(.drawn(2, of: .devices)) == "etwa 2 Geräte"
        )
    }

    @Test(
        "buckets that Throng names are said in the reader's words, and those of the plan's author as written",
        arguments: [
            ("<20", .bands(edges: [20]), "under 20", "unter 20"),
            ("20-1500.5", .bands(edges: [20]), "20 to 1,500.5", "20 bis 1.500,5"),
            (">=20000", .powers(base: 10, lowestExponent: 0, highestExponent: 4), "20,000 or more", "ab 20.000"),
            ("from -10 to 0", .bands(edges: [-10, 0]), "\u{2212}10 to 0", "\u{2212}10 bis 0"),
            ("2000", .significantFigures(digits: 1, lowest: 1, highest: 9000), "2,000", "2.000"),
            ("4-8", .list([]), "4-8", "4-8"), ("other", .list([]), "other", "andere"),
            ("Sun", .time(part: .weekday, timeZone: "UTC"), "Sunday", "Sonntag"),
            ("07", .time(part: .hour, timeZone: "UTC"), "07:00", "07:00"),
            ("07", .time(part: .day, timeZone: "UTC"), "7", "7"),
            ("W07", .time(part: .week, timeZone: "UTC"), "W7", "KW 7"),
            ("small", .standardScreen, "small", "klein"), ("desktop", .deviceClass, "desktop", "Computer"),
            ("image", .fileType, "image", "Bild"), ("fr", .language(known: ["fr"]), "French", "Französisch"),
            ("Europe", .region(BucketingRule.unRegions), "Europe", "Europa"), ("DACH", .region([]), "DACH", "DACH"),
            ("UTC-3..UTC-1", .utcOffset(bandHours: 3), "UTC\u{2212}3 to UTC\u{2212}1", "UTC\u{2212}3 bis UTC\u{2212}1"),
            ("iOS", .operatingSystem(families: ["iOS"]), "iOS", "iOS"), ("/", .route(templates: ["/"]), "/", "/"),
            ("10-20-30", .bands(edges: [10]), "10-20-30", "10-20-30"),
        ] as [(BucketLabel, BucketingRule, String, String)])
    func buckets(label: BucketLabel, rule: BucketingRule, english: String, german: String) {
        #expect(Language.english.words(for: label, by: Dimension(by: rule)) == english)
        #expect(Language.german.words(for: label, by: Dimension(by: rule)) == german)
    }

    @Test("a band has its unit behind it, and each word that Throng has for a bucket is there in every language")
    func bucketWords() throws {
        let bands = BucketingRule.bands(edges: [20, 200])
        #expect(Language.english.words(for: ">=200", by: Dimension(by: bands), unit: "EUR") == "200 EUR or more")
        let rules: [BucketingRule] = [.standardScreen, .deviceClass, .fileType]
        let labels = try rules.flatMap { rule in try rule.labels().dropLast().map { ($0, rule) } }
        for language in Language.all where !["en", "fr", "nl", "it", "es", "pt", "de"].contains(language.tag.text) {
            for (label, rule) in labels {
                #expect(language.words(for: label, by: Dimension(by: rule)) != label.text, "\(language.tag): \(label)")
            }
        }
        let asked = BucketLabel("tape")
        #expect(Language.german.words(for: asked, by: Dimension(by: .fileType)) == "tape")
    }

    @Test("the ends of an interval are told outwards, to a digit that its width leaves")
    func ends() {
        func whole(_ low: Int?, _ high: Int?) -> Interval {
            Interval(low: low.map { Decimals(whole: $0) }, high: high.map { Decimals(whole: $0) })
        }
        #expect(Interval(59.82, 98.42, places: 2).told() == whole(59, 99))
        #expect(Interval(0.1234, 0.2345, places: 6).told(times: 100) == whole(12, 24))
        #expect(Interval(1234, 8765, places: 0).told() == whole(1000, 9000))
        #expect(Interval(-.infinity, 7.2, places: 2).told() == whole(nil, 8))
    }
}
