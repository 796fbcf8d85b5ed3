import ThrongCrowd
import ThrongPlan

/// Numbers that are shown of apps whose people are made up.
struct MadeTables {
    /// What devices of the sample say of themselves.
    let devices: [SampleDevice]

    private static let head = """
        app: {name: made, title: Made, owner: Team, contact: a@example.com, audience: 20000, grace: 1 hour}
        purposes:
          product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 400 days}

        """
    private static let terms = """
        purpose: product, period: day, measures: {reach: true}, contribution_bound: 20, question: "What?", \
        decision: That., owner: Team, expires: 2027-10-31
        """

    /// Three metrics by four systems, one of them the sum of the others.
    func printParts(_ musts: inout Musts) throws {
        let metrics = [("views", "view"), ("orders", "order"), ("both", "view, order")].map { name, events in
            "  \(name): {title: \(name), events: [\(events)], dimensions: [system], \(Self.terms)}"
        }
        let plan = try Self.plan(
            """
            dimensions:
              system: {title: System, field: os, list: [iOS, Android, Windows, macOS], partitions: devices}
            metrics:
            \(metrics.joined(separator: "\n"))
            """)
        let rows = Figures(try MadeApp(plan, devices: devices).day(0, devices: 1000)).rows
        print("views, orders and both of them by system, 1000 devices")
        musts.say("\(rows.shown) of 15 numbers shown", must: "15", rows.shown == 15)
    }

    /// A plan as it is handed out, with few people.
    func printSmall(_ plan: Plan, _ file: String, _ crowds: [Int], days: Int, _ musts: inout Musts) throws {
        let app = try MadeApp(plan, devices: devices)
        print("\(file), \(days) days")
        for count in crowds {
            let rows = try (0..<days).flatMap { Figures(try app.day($0, devices: count)).rows }
            musts.say("\(count) devices: rows \(rows.text)", must: "97.5 % of k and the margin", rows.areShown)
        }
    }

    /// Topics × regions × parts of the day, of which a device has one region.
    func printNews(devices count: Int, _ musts: inout Musts) throws {
        let dimensions = [("topic", 60, ""), ("region", 40, ", partitions: devices"), ("part", 30, "")]
        let lines = dimensions.map { name, buckets, kind in
            let list = (1...buckets).map { "\(name)\($0)" }.joined(separator: ", ")
            return "  \(name): {title: \(name), field: \(name), list: [\(list)]\(kind)}"
        }
        let margins = "[topic], [region], [part], [topic, region], [topic, part], [region, part]"
        let plan = try Self.plan(
            """
            dimensions:
            \(lines.joined(separator: "\n"))
            metrics:
              reads: {title: Reads, events: [read], dimensions: [topic, region, part], margins: [\(margins)], \(Self.terms)}
            """)
        let rows = Figures(try MadeApp(plan, devices: devices).day(0, devices: count)).rows
        print("news, 60 × 40 × 30, \(count) devices")
        let (tops, pairs) = (rows.filter { $0.split < 2 }, rows.filter { $0.split == 2 })
        musts.say("tops: \(tops.text)", must: "all of k and the margin", tops.over(1).allSatisfy(\.isShown))
        musts.say("pairs: \(pairs.text)", must: "97.5 % of k and the margin", pairs.areShown)
    }

    private static func plan(_ yaml: String) throws -> Plan { try Plan(yaml: head + yaml, file: "made.yaml") }
}
