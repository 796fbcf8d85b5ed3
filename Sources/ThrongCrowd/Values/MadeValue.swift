package import ThrongPlan

/// A value of a field, made up.
package enum MadeValue: Sendable, Hashable {
    case text(String)
    case number(Double)
    case missing

    /// The value in JSON; nil where the field is left out.
    package var json: String? {
        switch self {
        case .text(let text): text.quotedJSON
        case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
        case .missing: nil
        }
    }

    /// The same as a number where it is one; nil for anything else.
    var asNumber: MadeValue? {
        switch self {
        case .number: self
        case .text(let text): Double(text).flatMap { $0.isFinite ? .number($0) : nil }
        case .missing: nil
        }
    }

    /// The bucket that it lands in, as the daemon reads it.
    package func bucket(by bucketing: any Bucketing) -> Int {
        switch self {
        case .text(let text): text.withFieldValue { bucketing.bucket($0) }
        case .number(let number): bucketing.bucket(Int64(exactly: number).map { .integer($0) } ?? .number(number))
        case .missing: bucketing.bucket(.missing)
        }
    }
}

extension BucketingRule {
    private static let mostValues = 4

    /// Returns values for each bucket, in the order of the rule's labels: such as a client would send, or the bucket's
    /// label where nothing better is known. No bucket is without one, but for those that are learned.
    package func madeValues(rules: UserAgentRules) throws(BucketingProblem) -> [[MadeValue]] {
        let bucketing = try compiled(rules: rules)
        var values: [[MadeValue]] = bucketing.labels.map { _ in [] }
        for value in suggestions {
            let bucket = value.bucket(by: bucketing)
            if values[bucket].count < Self.mostValues, !values[bucket].contains(value) { values[bucket].append(value) }
        }
        for (bucket, label) in bucketing.labels.enumerated() where values[bucket].isEmpty {
            let value = MadeValue.text(label.text)
            if value.bucket(by: bucketing) == bucket { values[bucket] = [value] }
        }
        return values
    }

    /// Values that clients send, the common ones first; each lands wherever the rule puts it.
    private var suggestions: [MadeValue] {
        switch self {
        case .list(let groups):
            groups.flatMap { $0.values.isEmpty ? [$0.label.text] : $0.values }.map(MadeValue.text) + [.text("unlisted")]
        case .bands(let edges): Self.between(edges) + [.missing]
        case .significantFigures(_, let lowest, let highest): Self.even(from: lowest, to: highest) + [.missing]
        case .powers(let base, let lowest, let highest):
            Self.between((lowest...highest).map { Self.power(base, $0) }) + [.missing]
        case .version(let level, let known):
            known.map { .text(level == .major ? "\($0).2.1" : "\($0).1") } + [.text("0.0.1")]
        case .screen(let medium, let large): Self.screens(medium, large) + [.missing]
        case .browser, .operatingSystem, .deviceClass: MadeUserAgents.all.map { .text($0.agent) }
        case .language(let known): known.map { .text(Self.locale($0)) } + [.text("tlh")]
        case .utcOffset: (Self.zones + StandardOffsets.names).map(MadeValue.text) + [.missing]
        case .region(let groups):
            (Self.countries + groups.flatMap(\.values)).map(MadeValue.text) + [.text("AQ"), .text("ZZ")]
        case .host(let known): known.map { .text("https://\($0)/") } + [.text("https://elsewhere.example/")]
        case .route(let templates): templates.map { .text(Self.path(of: $0)) } + [.text("/nowhere/at/all")]
        case .fileType:
            FileTypeBucketing.types.flatMap { $0.values.prefix(2) }.map { .text("file.\($0)") } + [.text("README")]
        // The event's own time falls where it falls, and what is learned has no label beforehand.
        case .time, .revealed: []
        }
    }

    // MARK: Numbers

    /// Three numbers of each band, those below the first edge and from the last on included.
    private static func between(_ edges: [Double]) -> [MadeValue] {
        guard let first = edges.first, let last = edges.last else { return [] }
        let width = edges.count > 1 ? edges[1] - edges[0] : max(abs(first), 1)
        let below = first > 0 ? 0 : first - width
        let above = last + max(edges.count > 1 ? last - edges[edges.count - 2] : 0, width)
        let ends = [below] + edges + [above]
        return zip(ends, ends.dropFirst()).flatMap { from, to in
            [0.5, 0.2, 0.8].map { .number(whole(from + (to - from) * $0, within: from..<to)) }
        }
    }

    /// The whole number below, where that lies in the range, too.
    private static func whole(_ number: Double, within range: Range<Double>) -> Double {
        let down = number.rounded(.down)
        return range.contains(down) && down > range.lowerBound ? down : number
    }

    /// Numbers over a range, each a few hundredths larger than the one before, so that none of its steps is left out.
    private static func even(from lowest: Double, to highest: Double) -> [MadeValue] {
        var numbers: [MadeValue] = []
        var number = lowest
        while number < highest, numbers.count < 20_000 {
            numbers.append(.number(whole(number, within: lowest..<highest)))
            number *= 1.004
        }
        return numbers + [.number(highest)]
    }

    private static func screens(_ medium: Int, _ large: Int) -> [MadeValue] {
        let common = [
            (390, 844), (412, 915), (360, 800), (393, 852), (820, 1180), (768, 1024), (1440, 900), (1366, 768),
            (1920, 1080), (2560, 1440), (1920, 1200),
        ]
        let own = [(medium / 2, medium), ((medium + large) / 2, large), (large + 56, 2 * large)]
        return (common + own).map { .text("\($0.0)x\($0.1)") }
    }

    // MARK: Texts

    private static func locale(_ language: String) -> String {
        let regions = [
            "en": "US", "zh": "CN", "ja": "JP", "ko": "KR", "cs": "CZ", "da": "DK", "sv": "SE", "el": "GR", "uk": "UA",
            "hi": "IN", "ar": "EG", "pt": "BR", "he": "IL", "fa": "IR", "vi": "VN",
        ]
        guard language.utf8.count == 2 else { return language }
        return "\(language)-\(regions[language] ?? language.uppercased())"
    }

    private static let countries = [
        "US", "DE", "GB", "FR", "JP", "BR", "IN", "ES", "IT", "CA", "NG", "ZA", "AU", "NL", "PL", "MX", "AT", "CH",
        "EG", "KE", "NZ", "CN", "SE", "FJ",
    ]

    private static let zones = [
        "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Europe/London", "Asia/Tokyo", "America/Los_Angeles",
        "America/Chicago", "America/Sao_Paulo", "Australia/Sydney", "Asia/Shanghai",
    ]

    /// A path of a route: names are filled in, and a `*` is a page further down.
    private static func path(of template: String) -> String {
        let parts = template.split(separator: "/", omittingEmptySubsequences: false).map { part in
            part.first == ":" ? "7" : part == "*" ? "more" : String(part)
        }
        return parts.joined(separator: "/")
    }
}

/// User agents of common browsers, with shares of what people use: round numbers, made up to have a long tail.
enum MadeUserAgents {
    private static let chrome = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/138.0.0.0"
    private static let webKit = "AppleWebKit/605.1.15 (KHTML, like Gecko)"

    /// The user agents, the most frequent first.
    static let all: [(agent: String, share: Double)] = [
        ("Mozilla/5.0 (Linux; Android 10; K) \(chrome) Mobile Safari/537.36", 0.28),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) \(webKit) Version/18.5 Mobile/15E148 Safari/604.1",
            0.21
        ), ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36", 0.18),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(webKit) Version/18.5 Safari/605.1.15", 0.07),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 Edg/138.0.0.0", 0.06),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) \(chrome) Safari/537.36", 0.05),
        (
            "Mozilla/5.0 (Linux; Android 14; SAMSUNG SM-S918B) AppleWebKit/537.36 (KHTML, like Gecko) "
                + "SamsungBrowser/27.0 Chrome/125.0.0.0 Mobile Safari/537.36", 0.035
        ), ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", 0.03),
        ("Mozilla/5.0 (iPad; CPU OS 17_7 like Mac OS X) \(webKit) Version/17.7 Mobile/15E148 Safari/604.1", 0.02),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) \(webKit) CriOS/138.0 Mobile/15E148 Safari/604.1",
            0.02
        ), ("Mozilla/5.0 (X11; Linux x86_64) \(chrome) Safari/537.36", 0.012),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", 0.01),
        ("Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", 0.008),
        ("Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(chrome) Safari/537.36 OPR/122.0.0.0", 0.008),
        ("Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) \(chrome) Safari/537.36", 0.007),
        ("Mozilla/5.0 (Linux; Android 13; SM-X700) \(chrome) Safari/537.36", 0.006),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:140.0) Gecko/20100101 Firefox/140.0", 0.005),
        ("Mozilla/5.0 (Linux; Android 10; K) \(chrome) Mobile Safari/537.36 OPR/90.0.0.0", 0.004),
        ("Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", 0.003),
        ("Mozilla/5.0 (PlayStation; PlayStation 5/2.26) \(webKit) Version/13.0 Safari/605.1.15", 0.002),
        ("Mozilla/5.0 (X11; FreeBSD amd64) KHTML/5.0 Konqueror/5.0", 0.001),
    ]

    /// The share of a user agent, or of a name that stands for one.
    static func share(of agent: String) -> Double { all.first { $0.agent == agent }?.share ?? 0.001 }
}
