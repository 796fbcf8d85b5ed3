/// A metric of a drafted plan besides the visits.
struct DraftMetric: Sendable {
    let name: String
    let events: [String]
    /// A remark on the events.
    let remark: String
    /// The dimension that splits it, if any.
    let dimension: DraftDimension?
    let period: String
    /// The lines that say what is measured.
    let measures: [String]
    /// The parts into which a day's devices fall.
    let parts: Int
    /// The insights that show it: names, and what stands in their braces after the title.
    let insights: [(name: String, body: String)]
    /// The shortest grace that it allows.
    let grace: DraftGrace
    /// The fields of an event by hand, as JSON; empty for none. Nil where devices send the event by themselves.
    let fields: String?
    /// True if reports have a word for what it counts.
    var hasNoun = false

    var title: PlanPhrase { PlanPhrase(titled: name) }

    static let features = DraftMetric(
        name: "features", events: ["search", "save", "share"], remark: "EDIT: what your clients record",
        dimension: .feature, period: "day", measures: ["measures: {reach: true}    # devices, too"], parts: 4,
        insights: [("by_feature", "kind: reach, by: [feature]")], grace: .day, fields: "")

    static func returning(_ visits: [String]) -> DraftMetric {
        DraftMetric(
            name: "returning", events: ["came_back"], remark: "the Swift SDK sends it by itself", dimension: .week,
            period: "week", measures: ["answered: {retention: {of: [\(visits.last ?? "")], weeks: 4}}"], parts: 6,
            insights: [("came_back", "kind: retention")], grace: .twoDays, fields: nil)
    }

    static let journey = DraftMetric(
        name: "journey", events: ["sign_up_opened", "sign_up_filled", "sign_up_done"],
        remark: "EDIT: your steps, here and below", dimension: nil, period: "day",
        measures: [
            "measures:", "  funnel:", "    steps:", "      - {title: Opened, event: sign_up_opened}",
            "      - {title: Filled in, event: sign_up_filled}", "      - {title: Done, event: sign_up_done}",
        ], parts: 4, insights: [("steps", "kind: funnel")], grace: .twoWindows, fields: "")

    static let purchases = DraftMetric(
        name: "purchases", events: ["purchase"], remark: "with the field amount", dimension: nil, period: "day",
        measures: [
            "measures:", "  reach: true              # devices, too", "  sums:",
            "    revenue: {field: amount, from: 0, to: 200, decimals: 2, unit: EUR}    # EDIT: larger amounts count as the largest",
            "contribution_bound: 3      # purchases of one device and day that count; what is added up is off in proportion",
        ], parts: 1, insights: [("buyers", "kind: reach, trend: 14"), ("order_value", "kind: mean, sum: revenue")],
        grace: .day, fields: "\"amount\": 24.90", hasNoun: true)
}

/// The time that a drafted plan waits after a period, for reasons of what it counts.
enum DraftGrace: Int, Sendable, Comparable {
    case day, twoDays, twoWindows

    /// The grace as a plan writes it, and why it is so long.
    var text: (value: String, reason: String) {
        switch self {
        case .day: ("24 hours", "how long a day waits for devices that were offline")
        case .twoDays: ("48 hours", "a device that was offline may answer so late; none is missed")
        case .twoWindows:
            ("49 hours", "a way is known when two windows of identifiers are over, two days after it began")
        }
    }

    /// The weekday on which a week's report can be made in the morning.
    var weekday: String { self == .day ? "tue" : "wed" }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A dimension of a drafted plan.
struct DraftDimension: Sendable {
    let name: String
    /// The lines under its title, each with its remark.
    let lines: [String]
    /// The parts into which a day's devices fall, `other` with them.
    let parts: Int
    /// A value that a client may send in its field, of the example by hand; nil where nothing is sent.
    let example: (field: String, value: String)?

    var title: PlanPhrase { PlanPhrase(titled: name) }

    static let page = DraftDimension(
        name: "page",
        lines: [
            "field: path              # of an address only its template is counted",
            "route: [/, /about, /search, \"/articles/:id\", \"/help/*\"]    # EDIT: yours; :id is one part, * all that follow",
        ], parts: 6, example: ("path", "/articles/7"))

    static let system = DraftDimension(
        name: "system",
        lines: [
            "field: system            # a user agent, which throng.js fills in, or the system's name: iOS",
            "operating_system: standard", "partitions: devices      # a device has one",
        ], parts: 7, example: ("system", "iOS"))

    static let device = DraftDimension(
        name: "device",
        lines: [
            "field: device            # a user agent, which throng.js fills in, or phone, tablet, desktop",
            "device_class: standard   # programs that name themselves are bots, and stand for nobody",
            "partitions: devices",
        ], parts: 5, example: ("device", "phone"))

    static let source = DraftDimension(
        name: "source",
        lines: [
            "field: referrer          # throng.js fills it in; of an address only a host that is listed here is counted",
            "host: [www.google.com, www.bing.com, duckduckgo.com]    # EDIT: hosts that link to you",
        ], parts: 4, example: ("referrer", "duckduckgo.com"))

    static func language(_ languages: [Language]) -> DraftDimension {
        // Two scripts are one language.
        let known = (languages.map(\.tag.language) + ["en", "es"]).reduce(into: [String]()) { known, tag in
            if !known.contains(tag) { known.append(tag) }
        }
        return DraftDimension(
            name: "language",
            lines: [
                "field: language",
                "language: [\(known.joined(separator: ", "))]    # EDIT: languages that you could offer",
            ], parts: known.count + 1, example: ("language", known[0]))
    }

    static let offset = DraftDimension(
        name: "offset",
        lines: [
            "field: time_zone         # such as Europe/Vienna; throng.js fills it in", "utc_offset: {band_hours: 6}",
        ], parts: 6, example: ("time_zone", "Europe/Vienna"))

    static let hour = DraftDimension(
        name: "hour", lines: ["time: hour               # in time_zone"], parts: 25, example: nil)

    static let version = DraftDimension(
        name: "version",
        lines: [
            "field: app_version",
            "version: {level: minor, known: [\"1.0\", \"1.1\", \"2.0\"]}    # EDIT: add each release",
        ], parts: 4, example: ("app_version", "1.1.3"))

    static let feature = DraftDimension(
        name: "feature",
        lines: [
            "field: event             # the event's own name", "list: [search, save, share]    # EDIT: as in metrics",
        ], parts: 4, example: nil)

    static let week = DraftDimension(
        name: "week", lines: ["field: week              # the device says it by itself", "list: [0, 1, 2, 3, 4]"],
        parts: 6, example: nil)
}
