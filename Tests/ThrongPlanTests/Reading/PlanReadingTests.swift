import Testing

@testable import ThrongPlan

/// One slip in the small plan and what is said about it.
struct Slip: Sendable, CustomTestStringConvertible {
    let old: String
    let new: String
    let problem: String

    init(_ old: String, _ new: String, _ problem: String) {
        self.old = old
        self.new = new
        self.problem = problem
    }

    var testDescription: String { problem }
}

@Suite("A plan is read strictly")
struct PlanReadingTests {
    @Test("the sample plan is valid, and no metric of it comes near a million cells")
    func sampleIsValid() throws {
        let plan = try SamplePlan.shop()
        #expect(plan.app.name == "shop")
        let metrics = ["pages", "product_views", "searches", "purchases", "visits", "checkout", "looks"]
        #expect(plan.metrics.map(\.name.text) == metrics)
        #expect(plan.partners.count == 2)
        #expect(plan.reports.map(\.schedule?.text) == ["0 6 * * *", "30 6 * * *"])
        #expect(plan.version.hex.count == 64)
    }

    @Test("what a plan leaves out has its documented default")
    func defaults() throws {
        let plan = try SamplePlan.small("    rotation: 1 day\n", "")
        #expect(plan.app.threshold == .standard)
        #expect(plan.app.timeZone == "UTC")
        #expect(plan.app.grace == .seconds(86_400))
        #expect(plan.purposes[0].rotation == .standard)
        #expect(plan.purposes[0].refusedBy.isEmpty)
        #expect(plan.metrics[0].contributionBound == 20)
        #expect(plan.metrics[0].sampling == 1)
        #expect(plan.metrics[0].threshold == .standard)
        #expect(plan.reports[0].formats == [.html, .csv, .json])
        #expect(plan.reports[0].explanation == nil)
    }

    @Test("every slip is one problem that names its place, what was found and what is allowed", arguments: Slip.all)
    func slips(slip: Slip) throws {
        #expect(try SamplePlan.problems(slip.old, slip.new) == [slip.problem])
    }

    @Test("all problems of a plan come at once, in the order of its lines")
    func allAtOnce() throws {
        let problems = try SamplePlan.problems(
            "  audience: 20000\npurposes:", "  audience: many\n  threshold: 3\n  treshold: 4\n  title: Again\npurposes:"
        )
        #expect(problems.map { $0.prefix { $0 != " " } } == ["6:13:", "7:14:", "8:3:", "9:3:"])
    }

    @Test("two repeated keys in two mappings are both found, beside other problems")
    func repeatedKeys() throws {
        let problems = try SamplePlan.problems(
            "    consent: not_required\n", "    consent: maybe\n    consent: required\n    retention: 1 day\n")
        #expect(
            problems == [
                "10:14: purpose 'product': 'consent': found 'maybe'; allowed: required, not_required, parent",
                "11:5: purpose 'product': 'consent' is already given in line 10; keep one of them",
                "14:5: purpose 'product': 'retention' is already given in line 12; keep one of them",
            ])
    }

    @Test("a metric may run for a year to the day, and no day longer")
    func expiry() throws {
        #expect(try SamplePlan.problems("2027-06-30", "2027-11-21").isEmpty)
        #expect(try SamplePlan.problems("2027-06-30", "2027-11-22").count == 1)
    }

    @Test("an expired metric is no error")
    func expired() throws {
        #expect(try SamplePlan.small("2027-06-30", "2020-06-30").metrics.count == 1)
    }

    @Test("Norway is a country, and a version keeps its zero")
    func scalarsStayAsWritten() throws {
        let plan = try SamplePlan.small("bands: [10, 20, 30]", "region: {Nordic: [NO, SE], Other: [DE]}")
        guard case .region(let groups) = plan.dimensions[1].rule else { throw SamplePlan.MissingText(text: "region") }
        #expect(groups[0].values == ["NO", "SE"])
        let versions = try SamplePlan.small("bands: [10, 20, 30]", "version: {level: minor, known: [1.10, 1.2]}")
        #expect(versions.dimensions[1].rule == .version(level: .minor, known: ["1.10", "1.2"]))
    }

    @Test("every kind of bucketing has its form", arguments: Self.forms)
    func kinds(form: String, rule: BucketingRule) throws {
        #expect(try SamplePlan.small("bands: [10, 20, 30]", form).dimensions[1].rule == rule)
    }

    static let forms: [(String, BucketingRule)] = [
        ("list: [a, b]", .list([.init(label: "a", values: ["a"]), .init(label: "b", values: ["b"])])),
        ("list: {sweet: [cake, ice]}", .list([.init(label: "sweet", values: ["cake", "ice"])])),
        ("bands: [-1.5, 0, 2e3]", .bands(edges: [-1.5, 0, 2000])),
        (
            "significant_figures: {digits: 2, from: 1, to: 1000}",
            .significantFigures(digits: 2, lowest: 1, highest: 1000)
        ),
        ("powers: {base: 2, from: 0, to: 10}", .powers(base: 2, lowestExponent: 0, highestExponent: 10)),
        ("version: {level: major, known: [17, 18]}", .version(level: .major, known: ["17", "18"])),
        ("screen: {medium_from: 500, large_from: 900}", .screen(mediumFrom: 500, largeFrom: 900)),
        ("screen: standard", .screen(mediumFrom: 600, largeFrom: 1024)),
        ("browser: [Firefox]", .browser(families: ["Firefox"])),
        ("operating_system: [iOS]", .operatingSystem(families: ["iOS"])),
        ("device_class: standard", .deviceClass),
        ("language: [de, en]", .language(known: ["de", "en"])),
        ("utc_offset: {band_hours: 3}", .utcOffset(bandHours: 3)),
        ("region: standard", .region(BucketingRule.unRegions)),
        ("host: [example.com]", .host(known: ["example.com"])),
        ("route: [/product/:id]", .route(templates: ["/product/:id"])),
        ("file_type: standard", .fileType),
        ("memory: standard", BucketingRule.memoryBands),
        ("cores: standard", BucketingRule.coreBands),
    ]

    @Test("bytes that are not UTF-8 are refused with their line")
    func notUTF8() {
        let bytes = Array("app:\n  name: ".utf8) + [0xff]
        #expect {
            try Plan(bytes: bytes, file: "x.yaml")
        } throws: {
            "\($0)" == "x.yaml:2:1: this line is not UTF-8; save the file as UTF-8"
        }
    }

    @Test(
        "an empty plan and one that nests a thousand deep are refused",
        arguments: ["", "# nothing", String(repeating: "[", count: 5000)])
    func hostile(text: String) {
        #expect(throws: PlanProblems.self) { try Plan(yaml: text, file: "x.yaml") }
    }

    @Test("a byte order mark changes nothing, also where a key is repeated")
    func byteOrderMark() throws {
        let plan = try Plan(yaml: "\u{FEFF}" + SamplePlan.small, file: "small.yaml", today: SamplePlan.today)
        #expect(plan.app == (try SamplePlan.small("An App", "An App")).app)
        let repeated = "\u{FEFF}app: 1\n" + SamplePlan.small
        let found = #expect(throws: PlanProblems.self) {
            try Plan(yaml: repeated, file: "small.yaml", today: SamplePlan.today)
        }
        #expect(found?.all.last?.message == "the plan: 'app' is already given in line 1; keep one of them")
    }

    @Test("a plan of Windows lines reads as one of Unix lines")
    func windowsLines() throws {
        let plan = try Plan(
            yaml: SamplePlan.small.replacing("\n", with: "\r\n"), file: "small.yaml", today: SamplePlan.today)
        #expect(plan.metrics == (try SamplePlan.small("An App", "An App")).metrics)
    }
}
