import Foundation
import ThrongClient
import ThrongWire

/// One installation of the app on one device, as the simulation sees it from outside.
struct Installation {
    /// What waits to be delivered.
    enum Thing: Hashable {
        case recipe(category: String)
        /// The answer for a week after the first.
        case returned(week: Int)
        /// The answer how many recipes there were in a week.
        case used(recipes: Int)
    }

    let storage: MemoryStorage
    var throng: Throng
    /// The client's memory as it was when the app was installed.
    let backup: Data?
    /// Recorded or answered and not delivered yet, with the number of its day.
    private var waiting: [(day: Int, thing: Thing)] = []
    /// The Monday of the first recipe since consent was given, as a day's number.
    private var first: Int?
    /// Recipes by Monday, not answered yet.
    private var weeks: [Int: Int] = [:]
    /// Where it was counted as a device.
    private var contributed: Set<Daemon.First> = []

    init(storage: MemoryStorage, throng: Throng) {
        self.storage = storage
        self.throng = throng
        backup = storage.read("cook-memory.json")
    }

    /// Weeks with recipes about which it has not said how many there were.
    var unanswered: Int { weeks.count }

    /// Notes that the app records a recipe. The first one of a week answers which week it is.
    mutating func cook(_ category: String, day: Int) {
        let monday = day / 7 * 7
        let first = self.first ?? monday
        self.first = first
        if weeks[monday] == nil { waiting.append((day, .returned(week: (monday - first) / 7))) }
        weeks[monday, default: 0] += 1
        waiting.append((day, .recipe(category: category)))
    }

    /// Notes that the app is awake: weeks that are over are answered.
    mutating func answer(day: Int) {
        for (week, recipes) in weeks where week < day / 7 * 7 {
            waiting.append((day, .used(recipes: recipes)))
            weeks[week] = nil
        }
    }

    /// Forgets what is not delivered, as after a withdrawal.
    mutating func withdraw() {
        waiting = []
        first = nil
        weeks = [:]
    }

    /// Notes that everything that is young enough was delivered.
    mutating func deliver(at now: UnixSeconds, os: String, to truth: inout Simulation.Truth) {
        defer { waiting = [] }
        guard let calendar = CookPlan.calendar else { return }
        for (day, thing) in waiting {
            let midnight = CookPlan.monday + Int64(day) * CookPlan.day
            func period(_ kind: PeriodKind) -> Period { calendar.period(kind, containing: midnight) }
            // Things are as old as the end of the day or week that they are counted by, and at most 47 hours.
            func count(_ metric: String, _ kind: PeriodKind, _ labels: [String]) {
                let cell = Daemon.Cell(metric: metric, period: calendar.label(of: period(kind)), labels: labels)
                truth.cells[cell, default: 0] += 1
            }
            let grain: PeriodKind = if case .recipe = thing { .day } else { .week }
            guard now - (period(grain).end - 1) <= 47 * 3600 else { continue }
            switch thing {
            case .returned(let week):
                count("returns", .week, ["\(week)"])
            case .used(let recipes):
                count("weekly_use", .week, [recipes < 2 ? "<2" : recipes < 5 ? "2-5" : recipes < 10 ? "5-10" : ">=10"])
            case .recipe(let category):
                count("recipes", .day, [os, category])
                count("monthly_recipes", .month, [os, category])
                for (metric, kind) in [("recipes", PeriodKind.day), ("recipes", .week), ("monthly_recipes", .month)] {
                    for labels in [[], [os], [os, category]] {
                        let first = Daemon.First(
                            metric: metric, kind: kind, period: calendar.label(of: period(kind)), labels: labels)
                        if contributed.insert(first).inserted { truth.reach[first, default: 0] += 1 }
                    }
                }
            }
        }
    }
}
