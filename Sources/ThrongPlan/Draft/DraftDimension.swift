/// A dimension of a drafted plan.
struct DraftDimension: Sendable {
    let name: String
    let title: PlanPhrase
    /// The lines under its title, each with its remark.
    let lines: [String]
    /// The parts into which a day's devices fall, `other` with them.
    let parts: Int
    /// A value that a client may send in its field, of the example by hand; nil where nothing is sent.
    let example: (field: String, value: String)?

    static let page = DraftDimension(
        name: "page", title: PlanPhrase("Page", "Seite", "Page"),
        lines: [
            "field: path              # of an address only its template is counted",
            "route: [/, /about, /search, \"/articles/:id\", \"/help/*\"]    # EDIT: yours; :id is one part, * all that follow",
        ], parts: 6, example: ("path", "/articles/7"))

    static let system = DraftDimension(
        name: "system", title: PlanPhrase("System", "System", "Système"),
        lines: [
            "field: system            # a user agent, which throng.js fills in, or the system's name: iOS",
            "operating_system: standard",
            "partitions: devices      # a device has one",
        ], parts: 7, example: ("system", "iOS"))

    static let device = DraftDimension(
        name: "device", title: PlanPhrase("Device", "Gerät", "Appareil"),
        lines: [
            "field: device            # a user agent, which throng.js fills in, or phone, tablet, desktop",
            "device_class: standard   # programs that name themselves are bots, and stand for nobody",
            "partitions: devices",
        ], parts: 5, example: ("device", "phone"))

    static let source = DraftDimension(
        name: "source", title: PlanPhrase("Came from", "Kam von", "Venu de"),
        lines: [
            "field: referrer          # throng.js fills it in; of an address only a host that is listed here is counted",
            "host: [www.google.com, www.bing.com, duckduckgo.com]    # EDIT: hosts that link to you",
        ], parts: 4, example: ("referrer", "duckduckgo.com"))

    static func language(_ languages: [DraftLanguage]) -> DraftDimension {
        let known = languages.map(\.rawValue) + ["en", "es"].filter { !languages.map(\.rawValue).contains($0) }
        return DraftDimension(
            name: "language", title: PlanPhrase("Language", "Sprache", "Langue"),
            lines: [
                "field: language",
                "language: [\(known.joined(separator: ", "))]    # EDIT: languages that you could offer",
            ], parts: known.count + 1, example: ("language", known[0]))
    }

    static let offset = DraftDimension(
        name: "offset", title: PlanPhrase("Hours from UTC", "Stunden von UTC", "Heures depuis UTC"),
        lines: [
            "field: time_zone         # such as Europe/Vienna; throng.js fills it in", "utc_offset: {band_hours: 6}",
        ],
        parts: 6, example: ("time_zone", "Europe/Vienna"))

    static let hour = DraftDimension(
        name: "hour", title: PlanPhrase("Hour", "Stunde", "Heure"), lines: ["time: hour               # in time_zone"],
        parts: 25, example: nil)

    static let version = DraftDimension(
        name: "version", title: PlanPhrase("Version", "Version", "Version"),
        lines: [
            "field: app_version",
            "version: {level: minor, known: [\"1.0\", \"1.1\", \"2.0\"]}    # EDIT: add each release",
        ], parts: 4, example: ("app_version", "1.1.3"))

    static let feature = DraftDimension(
        name: "feature", title: PlanPhrase("Feature", "Funktion", "Fonction"),
        lines: [
            "field: event             # the event's own name", "list: [search, save, share]    # EDIT: as in metrics",
        ],
        parts: 4, example: nil)

    static let week = DraftDimension(
        name: "week", title: PlanPhrase("Weeks later", "Wochen danach", "Semaines après"),
        lines: ["field: week              # the device says it by itself", "list: [0, 1, 2, 3, 4]"], parts: 6,
        example: nil)
}
