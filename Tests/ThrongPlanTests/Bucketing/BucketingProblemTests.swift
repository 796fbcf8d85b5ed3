import Testing
import ThrongPlan

@Suite("A rule that can't be kept is refused with its reason")
struct BucketingProblemTests {
    private func problem(_ rule: BucketingRule) -> BucketingProblem? {
        do throws(BucketingProblem) {
            _ = try rule.compiled(rules: .system)
            return nil
        } catch {
            return error
        }
    }

    private static func list(_ label: String, _ values: String...) -> BucketGroup {
        BucketGroup(label: BucketLabel(label), values: values)
    }

    @Test("rules without a bucket, with one twice, or with a value twice are refused")
    func buckets() {
        #expect(problem(.list([])) == .noBuckets)
        #expect(problem(.bands(edges: [])) == .noBuckets)
        #expect(problem(.host(known: [])) == .noBuckets)
        #expect(problem(.list([Self.list("a"), Self.list("a")])) == .repeatedLabel("a"))
        #expect(problem(.version(level: .major, known: ["1", "1"])) == .repeatedLabel("1"))
        #expect(
            problem(.list([Self.list("a", "x"), Self.list("b", "x")])) == .repeatedValue("x", first: "a", second: "b"))
        #expect(problem(.list([Self.list("a", "b"), Self.list("b")])) == .repeatedValue("b", first: "a", second: "b"))
        #expect(problem(.browser(families: ["other"])) == .repeatedLabel("other"))
    }

    @Test("numbers out of bounds are refused")
    func numbers() {
        #expect(problem(.bands(edges: [1, 1])) == .unorderedEdges(1, 1))
        #expect(problem(.bands(edges: [2, 1])) == .unorderedEdges(2, 1))
        #expect(problem(.bands(edges: [1, .infinity])) == .unorderedEdges(.infinity, .infinity))
        #expect(problem(.significantFigures(digits: 0, lowest: 1, highest: 2)) == .malformedDigits(0))
        #expect(problem(.significantFigures(digits: 4, lowest: 1, highest: 2)) == .malformedDigits(4))
        #expect(
            problem(.significantFigures(digits: 1, lowest: 0, highest: 2)) == .malformedRange(lowest: 0, highest: 2))
        #expect(
            problem(.significantFigures(digits: 3, lowest: 1e-9, highest: 1e15))
                == .tooManyBuckets(found: 21_602, limit: 4096))
        for (base, low, high) in [(1, 0, 2), (2, 3, 3), (10, 0, 16), (10, -10, 0), (1001, 0, 1)] {
            #expect(
                problem(.powers(base: base, lowestExponent: low, highestExponent: high))
                    == .malformedPowers(base: base, lowestExponent: low, highestExponent: high))
        }
        #expect(problem(.screen(mediumFrom: 600, largeFrom: 600)) == .malformedScreen(mediumFrom: 600, largeFrom: 600))
        #expect(problem(.utcOffset(bandHours: 0)) == .malformedBandHours(0))
    }

    @Test("names that no value could ever have are refused")
    func names() {
        #expect(problem(.version(level: .major, known: ["17.4"])) == .malformedVersion("17.4", level: .major))
        #expect(problem(.version(level: .minor, known: ["17"])) == .malformedVersion("17", level: .minor))
        #expect(problem(.language(known: ["de-AT"])) == .malformedLanguage("de-AT"))
        #expect(problem(.region([Self.list("DACH", "Austria")])) == .malformedCountry("Austria"))
        #expect(problem(.time(part: .hour, timeZone: "Mars/Base")) == .unknownTimeZone("Mars/Base"))
        #expect(problem(.host(known: ["https://example.org"])) == .malformedHost("https://example.org"))
        for route in ["cart", "/a?b", "/a/*/b", "/a*", "/a//b", "/:"] {
            #expect(problem(.route(templates: [route])) == .malformedRoute(route))
        }
    }

    @Test("what is one thing in two spellings is no two buckets")
    func spellings() {
        for (first, second) in [
            ("/straße", "/stra%C3%9Fe"), ("/caf\u{e9}", "/cafe\u{301}"), ("/cart", "/cart/"), ("/a/:x", "/a/:y"),
            ("/a", "/b/../a"),
            ("/a%2Fb", "/a%2fb"), ("/:x/*", "/:y/*"),
        ] {
            #expect(problem(.route(templates: [first, second])) == .repeatedAddress(second, first: first))
        }
        #expect(problem(.route(templates: ["/a%2Fb", "/a/b", "/a%252Fb", "/A/b"])) == nil)
        #expect(problem(.route(templates: ["/%E4"])) == .malformedRoute("/%E4"))
        #expect(
            problem(.host(known: ["straße.example", "xn--strae-oqa.example"]))
                == .repeatedAddress("xn--strae-oqa.example", first: "straße.example"))
        #expect(problem(.language(known: ["he", "iw"])) == .repeatedValue("iw", first: "he", second: "iw"))
        #expect(
            problem(.region([Self.list("A", "GB"), Self.list("B", "UK")]))
                == .repeatedValue("GB", first: "A", second: "B"))
    }

    @Test(
        "labels that would be odd in a CSV file, a spreadsheet or SQL are refused",
        arguments: [
            "", " a", "a ", "=1+1", "+1", "-1", "@a", "a,b", "a;b", "a\"b", "it's", "a\\b", "a|b", "a\nb", "a\tb",
            "a\u{0}b",
            "a\u{202E}b", "a\u{200B}b", "a\u{A0}b", "\u{FEFF}a", String(repeating: "a", count: 65),
        ])
    func labels(label: String) {
        #expect(problem(.list([Self.list(label)])) == .malformedLabel(label))
    }

    @Test("each reason says what was found and what is allowed")
    func descriptions() {
        #expect("\(BucketingProblem.malformedDigits(4))" == "4 significant figures; use 1, 2 or 3")
        #expect(
            "\(BucketingProblem.unorderedEdges(2, 1))"
                == "the edge 1.0 follows 2.0; edges are finite numbers in ascending order")
    }
}
