package import Foundation
package import ThrongPlan

/// The plan of a cooking app, as a daemon reads it and as its clients get it.
package struct CookPlan {
    package let plan: Plan
    /// The answer of `GET /v1/plan/cook`.
    package let document: Data

    /// Midnight of Monday 2026-11-02 in Vienna, where the app lives.
    package static let monday = UnixSeconds(1_793_574_000)
    package static let day: Int64 = 86_400
    package static let url = URL(string: "https://throng.example.org/v1/plan/cook")
    package static let calendar = PeriodCalendar(timeZone: "Europe/Vienna")

    package init(_ yaml: String = Self.yaml) throws {
        plan = try Plan(yaml: yaml, file: "cook.yaml", today: CalendarDate(daysSince1970: 20_750))
        document = try plan.publicDocument()
    }

    /// The same with room for everything that one device buys.
    package static let unbounded = yaml.replacing("contribution_bound: 5\n", with: "contribution_bound: 4000\n")
        .replacing("to: 100,", with: "to: 1000,")

    /// The same with room for large amounts.
    package static let precise = yaml.replacing("contribution_bound: 5\n", with: "contribution_bound: 300\n")
        .replacing("to: 100,", with: "to: 10000,")

    /// The same with questions that devices answer about themselves.
    package static let asking = yaml.replacing("metrics:\n", with: questions)

    private static let questions = """
          week:
            title: Weeks after the first
            field: week
            list: ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"]
          uses:
            title: Recipes in a week
            field: events
            bands: [2, 5, 10]
        metrics:
          returns:
            title: Returns
            events: [week_return]
            question: Do people come back?
            decision: Whether we go on.
            owner: Team
            expires: 2027-10-01
            purpose: product
            dimensions: [week]
            period: week
            answered: {retention: {of: [recipe_opened], weeks: 12}}
            contribution_bound: 20
          weekly_use:
            title: Weekly use
            events: [week_use]
            question: How often do people cook?
            decision: How much we write.
            owner: Team
            expires: 2027-10-01
            purpose: product
            dimensions: [uses]
            period: week
            answered: {frequency: {of: [recipe_opened], per: week, bands: [2, 5, 10]}}
            contribution_bound: 20

        """

    package static let yaml = """
        app:
          name: cook
          title: Cook
          owner: Team
          contact: privacy@example.com
          time_zone: Europe/Vienna
          audience: 10000
          threshold: 20
          grace: 48 hours
        purposes:
          product:
            explanation: To see which recipes are used.
            consent: required
            refused_by: [global_privacy_control]
            rotation: 1 day
            retention: 400 days
          adverts:
            explanation: To see which advertisement brought people here.
            consent: not_required
            refused_by: [limit_ad_tracking]
            rotation: 15 minutes
            retention: 100 days
        dimensions:
          os:
            title: System
            field: os
            list: [ios, android, linux]
            partitions: devices
          category:
            title: Category
            field: category
            list:
              dessert: [cake, ice]
              main: [roast, stew]
          version:
            title: Version
            field: app_version
            version: {level: minor, known: ["2.0", "2.1", "2.2"]}
          hour:
            title: Hour
            field: at
            time: hour
          campaign:
            title: Campaign
            field: campaign
            list: [spring, autumn]
        metrics:
          recipes:
            title: Recipes
            events: [recipe_opened]
            question: Which recipes are opened?
            decision: What we cook.
            owner: Team
            expires: 2027-10-01
            purpose: product
            dimensions: [os, category]
            margins: [[os], [os, category]]
            period: day
            rollups: [week]
            measures: {reach: client}
            contribution_bound: 20
          monthly_recipes:
            title: Recipes by month
            events: [recipe_opened]
            question: How many people cook in a month?
            decision: Whether we go on.
            owner: Team
            expires: 2027-10-01
            purpose: product
            dimensions: [os, category]
            margins: [[os], [os, category]]
            period: month
            measures: {reach: client}
            contribution_bound: 20
          purchases:
            title: Purchases
            events: [purchase]
            question: What is bought?
            decision: What we sell.
            owner: Team
            expires: 2027-10-01
            purpose: product
            dimensions: [version, hour]
            period: day
            measures:
              sums:
                revenue: {field: amount, from: 0, to: 100, decimals: 2, unit: EUR}
            contribution_bound: 5
          arrivals:
            title: Arrivals
            events: [arrival]
            question: Which campaign works?
            decision: Where we advertise.
            owner: Team
            expires: 2027-10-01
            purpose: adverts
            dimensions: [os, campaign]
            period: day
            contribution_bound: 5
        """
}

/// Any JSON, to change what a plan says.
package enum JSONValue: Codable, Hashable, Sendable {
    case null
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let list = try? container.decode([JSONValue].self) {
            self = .list(list)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let object): try container.encode(object)
        }
    }

    package var text: String? { if case .text(let text) = self { text } else { nil } }

    package subscript(name: String) -> JSONValue? {
        get { if case .object(let object) = self { object[name] } else { nil } }
        set {
            guard case .object(var object) = self else { return }
            object[name] = newValue
            self = .object(object)
        }
    }

    /// Changes what stands at a path; of a list, every element.
    package mutating func edit(_ path: [String], _ change: (inout JSONValue) -> Void) {
        if case .list(let list) = self {
            self = .list(
                list.map { element in
                    var element = element
                    element.edit(path, change)
                    return element
                })
        } else if let first = path.first {
            guard var inner = self[first] else { return }
            inner.edit(Array(path.dropFirst()), change)
            self[first] = inner
        } else {
            change(&self)
        }
    }
}
