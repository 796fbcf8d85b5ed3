import ThrongPlan

/// At least one rule of every kind.
enum SampleRules {
    static let all: [BucketingRule] = [
        .list([
            BucketGroup(label: "Café", values: ["cafe\u{301}", "coffee"]),
            BucketGroup(label: "tea", values: ["tee", "7"]),
            BucketGroup(label: "yes", values: ["true"]),
        ]),
        .list([BucketGroup(label: "e\u{301}", values: []), BucketGroup(label: "\u{e9}", values: [])]),
        .bands(edges: [10]),
        .bands(edges: [10, 20, 50.5, 1e6]),
        .bands(edges: [-20, -0.5, 0, 1e-7, 3]),
        .memoryBands,
        .coreBands,
        .significantFigures(digits: 1, lowest: 1, highest: 1000),
        .significantFigures(digits: 2, lowest: 0.001, highest: 123_456),
        .significantFigures(digits: 3, lowest: 95, highest: 2_000),
        .powers(base: 2, lowestExponent: 0, highestExponent: 10),
        .powers(base: 10, lowestExponent: -3, highestExponent: 6),
        .version(level: .major, known: ["15", "16", "17", "18", "26"]),
        .version(level: .minor, known: ["17.0", "17.4", "22.04", "18.10"]),
        .screen(mediumFrom: 600, largeFrom: 1024),
        .browser(families: []),
        .browser(families: ["Chrome Mobile", "Chrome", "Internet Explorer"]),
        .operatingSystem(families: []),
        .operatingSystem(families: ["Ubuntu", "Linux", "macOS"]),
        .deviceClass,
        .language(known: ["de", "en", "zh", "nds"]),
        .utcOffset(bandHours: 1),
        .utcOffset(bandHours: 3),
        .utcOffset(bandHours: 24),
        .region(BucketingRule.unRegions),
        .region([
            BucketGroup(label: "DACH", values: ["DE", "AT", "CH"]),
            BucketGroup(label: "Benelux", values: ["BE", "NL", "LU"]),
        ]),
        .time(part: .hour, timeZone: "Europe/Vienna"),
        .time(part: .day, timeZone: "Asia/Kathmandu"),
        .time(part: .weekday, timeZone: "America/St_Johns"),
        .time(part: .week, timeZone: "UTC"),
        .host(known: ["www.example.org", "example.org", "localhost"]),
        .route(templates: ["/", "/cart", "/product/:id", "/product/new", "/docs/*", "/user/:id/orders"]),
        .fileType,
    ]

    /// The bucketing of a rule, by the system's user agent rules.
    static func compiled(_ rule: BucketingRule) throws -> any Bucketing { try rule.compiled(rules: .system) }

    /// The label that a rule gives a text.
    static func label(_ rule: BucketingRule, _ text: String) throws -> String {
        SampleValue.text(text).label(in: try compiled(rule))
    }
}
