import Foundation

@testable import ThrongPlan

/// Plans that tests read.
enum SamplePlan {
    /// The day on which the tests' plans are read.
    static let today: CalendarDate = CalendarDate(daysSince1970: 20_778)

    /// The top of the repository.
    static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// `Deploy/sample/shop.yaml`.
    static func shop() throws -> Plan {
        let file = repository.appending(path: "Deploy/sample/shop.yaml")
        return try Plan(bytes: try Data(contentsOf: file), file: "shop.yaml", today: today)
    }

    /// A small plan that is valid; tests break one line of it.
    static let small = """
        app:
          name: app
          title: An App
          owner: Team
          contact: team@example.com
          audience: 20000
        purposes:
          product:
            explanation: To learn.
            consent: not_required
            rotation: 1 day
            retention: 400 days
        dimensions:
          os:
            title: System
            field: user_agent
            operating_system: standard
            partitions: devices
          age:
            title: Age
            field: age
            bands: [10, 20, 30]
        metrics:
          views:
            title: Views
            events: [view]
            question: How many?
            decision: None.
            owner: Team
            expires: 2027-06-30
            purpose: product
            dimensions: [os, age]
            period: day
            measures:
              sums:
                spent: {field: amount, from: 0, to: 500, decimals: 2}
              reach: true
        insights:
          by_system:
            title: By system
            metric: views
            kind: count
            by: [os]
        partners:
          bank:
            title: Bank
            contact: bank@example.com
        reports:
          daily:
            title: Daily
            partner: bank
            insights: [by_system]
            period: day
            schedule: 0 6 * * *
            deliver: [{folder: out}]
        """

    /// The small plan with one part replaced.
    static func small(_ old: String, _ new: String) throws -> Plan {
        guard small.contains(old) else { throw MissingText(text: old) }
        let range = small.range(of: old)
        return try Plan(
            yaml: range.map { small.replacingCharacters(in: $0, with: new) } ?? small, file: "small.yaml", today: today)
    }

    /// What is wrong with the small plan once one part is replaced: "line:column: message".
    static func problems(_ old: String, _ new: String) throws -> [String] {
        do {
            _ = try small(old, new)
            return []
        } catch let problems as PlanProblems {
            return problems.all.map { $0.description.replacing("small.yaml:", with: "") }
        }
    }

    /// A test that names a part which the plan does not have.
    struct MissingText: Error { let text: String }
}
