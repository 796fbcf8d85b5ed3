import Foundation
import Testing

@testable import ThrongPlan

@Suite("User agents are read by uap-core's rules")
struct UserAgentTests {
    private static let chrome =
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36"
    private static let android =
        "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0"
    private static let iPhone =
        "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.7.5 Mobile/15E148 Safari/604.1"

    /// User agent, browser, system, class.
    private static let table: [(String, String, String, String)] = [
        (chrome, "Chrome", "Windows", "desktop"),
        (chrome + " Edg/147.0.0.0", "Edge", "Windows", "desktop"),
        (chrome + " OPR/120.0.0.0", "Opera", "Windows", "desktop"),
        (android + " Mobile Safari/537.36", "Chrome", "Android", "phone"),
        (android + " Safari/537.36", "Chrome", "Android", "tablet"),
        (android.replacingOccurrences(of: "; K", with: "; BRAVIA 4K") + " Safari/537.36", "Chrome", "Android", "other"),
        (
            "Mozilla/5.0 (Linux; Android 13; SAMSUNG SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/21.0 Chrome/110.0.5481.154 Mobile Safari/537.36",
            "Samsung Internet", "Android", "phone"
        ),
        (iPhone, "Safari", "iOS", "phone"),
        (iPhone.replacingOccurrences(of: "iPhone;", with: "iPad;"), "Safari", "iOS", "tablet"),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/147.0.7000.0 Mobile/15E148 Safari/604.1",
            "Chrome", "iOS", "phone"
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.3 Safari/605.1.15",
            "Safari", "macOS", "desktop"
        ),
        (
            "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox", "Linux",
            "desktop"
        ),
        ("Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "Firefox", "Android", "phone"),
        (
            "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36",
            "Chrome", "ChromeOS", "desktop"
        ),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", "other", "other", "bot"),
        ("Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko", "other", "Windows", "desktop"),
        ("", "other", "other", "other"),
    ]

    @Test("browsers, systems and devices of our day go where people expect them")
    func table() throws {
        let browser = try SampleRules.compiled(.browser(families: []))
        let system = try SampleRules.compiled(.operatingSystem(families: []))
        let device = try SampleRules.compiled(.deviceClass)
        for (userAgent, expectedBrowser, expectedSystem, expectedDevice) in Self.table {
            #expect(SampleValue.text(userAgent).label(in: browser) == expectedBrowser, "\(userAgent)")
            #expect(SampleValue.text(userAgent).label(in: system) == expectedSystem, "\(userAgent)")
            #expect(SampleValue.text(userAgent).label(in: device) == expectedDevice, "\(userAgent)")
        }
    }

    @Test("a plan may name uap-core's own families and further gathered ones")
    func namedFamilies() throws {
        let rule = BucketingRule.browser(families: ["Chrome Mobile", "Chrome", "Internet Explorer"])
        #expect(try SampleRules.label(rule, Self.android + " Mobile Safari/537.36") == "Chrome Mobile")
        #expect(try SampleRules.label(rule, Self.chrome) == "Chrome")
        #expect(try SampleRules.label(rule, Self.table[15].0) == "Internet Explorer")
        #expect(try SampleRules.label(rule, Self.iPhone) == "other")
    }

    @Test("a family that a later plan names is found for user agents that were seen before")
    func laterFamily() throws {
        let rules = UserAgentRules()
        let first = try BucketingRule.browser(families: ["Safari"]).compiled(rules: rules)
        #expect(SampleValue.text(Self.chrome).label(in: first) == "other")
        let second = try BucketingRule.browser(families: ["Safari", "Chrome"]).compiled(rules: rules)
        #expect(SampleValue.text(Self.chrome).label(in: second) == "Chrome")
        #expect(SampleValue.text(Self.chrome).label(in: first) == "other")
    }

    @Test("missing rules are a clear error that names the package, and only where a plan needs them")
    func missingRules() throws {
        let path = "/nonexistent/regexes.yaml"
        #expect(throws: BucketingProblem.missingUserAgentRules(path: path)) { try UserAgentRules(path: path).grammar() }
        #expect("\(BucketingProblem.missingUserAgentRules(path: path))".contains("apt-get install uap-core"))
        let none = UserAgentRules(path: path)
        #expect(throws: BucketingProblem.missingUserAgentRules(path: path)) {
            try BucketingRule.deviceClass.compiled(rules: none)
        }
        #expect(try BucketingRule.fileType.compiled(rules: none).labels.count == 10)
        #expect(try BucketingRule.deviceClass.labels().map(\.text) == ["phone", "tablet", "desktop", "bot", "other"])
        #expect(none.version == "missing")
    }

    @Test("a file that is not uap-core's is refused")
    func malformedRules() throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("throng-\(UUID().uuidString).yaml")
        for text in ["", "a: 1", "user_agent_parsers: []\nos_parsers: []\ndevice_parsers: []", "\u{0}\u{1}"] {
            try Data(text.utf8).write(to: file)
            #expect(throws: BucketingProblem.self) { try UserAgentRules(path: file.path).grammar() }
            try FileManager.default.removeItem(at: file)
        }
    }

    @Test("PCRE2 compiles every pattern")
    func patternsCompile() throws {
        let grammar = try UserAgentRules.system.grammar()
        let all = grammar.browsers + grammar.operatingSystems + grammar.devices
        #expect(all.count > 1000)
        #expect(all.filter { $0.matcher == nil }.isEmpty)
    }

    @Test("a device's name that is not looked for would change nothing")
    func leftOut() throws {
        let grammar = try UserAgentRules.system.grammar()
        let odd = [
            "CFNetwork", "x iPad/1 CFNetwork", "SAMSUNG; GT-I9000", "nokia6230/2.0", "Mozilla/5.0 (ipad; CPU OS 5)",
            "Mozilla/5.0 (Linux; Android 4.0; Silk) speedy Safari/5", "ichiro/3", "zeal", "Nokia7110/1.0 voila",
        ]
        let userAgents = try DeviceSample.userAgents() + odd + Self.table.map(\.0)
        for userAgent in userAgents {
            Array(userAgent.utf8).withUnsafeBufferPointer { text in
                let reading = grammar.read(text)
                let device = grammar.devices.lazy.compactMap { $0.read(text) }.first ?? UserAgentReading.unknown
                let looked = DeviceClass(
                    operatingSystem: reading.operatingSystem, device: { device }, isSuspect: true, userAgent: text)
                #expect(reading.deviceClass == looked, "\(userAgent)")
            }
        }
    }

    @Test("the memory forgets rather than grows, and never changes an answer")
    func boundedMemory() {
        let cache = UserAgentCache()
        let numbers = cache.numbers(of: ["Windows", "Linux"])
        var reads = 0
        func code(_ number: Int) -> UserAgentCode {
            let bytes = Array("user agent \(number)".utf8)
            return bytes.withUnsafeBufferPointer { text in
                cache.code(of: text) { _ in
                    reads += 1
                    return UserAgentReading(
                        browser: "any", operatingSystem: number % 2 == 0 ? "Windows NT" : "Ubuntu",
                        deviceClass: .desktop)
                }
            }
        }
        for number in Array(0..<100_000) + Array(99_000..<100_000) {
            #expect(code(number).operatingSystemFamily == numbers[number % 2])
        }
        // The latest thousand are still known, but for a few that met a full bucket.
        #expect(reads < 100_100)
        reads = 0
        for number in 0..<1_000 { _ = code(number) }
        #expect(reads > 500)
    }

    @Test("many threads may ask at once")
    func concurrent() async throws {
        let rules = UserAgentRules()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do {
                        let bucketing = try BucketingRule.browser(families: []).compiled(rules: rules)
                        for (userAgent, browser, _, _) in Self.table {
                            #expect(SampleValue.text(userAgent).label(in: bucketing) == browser)
                        }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
    }
}
