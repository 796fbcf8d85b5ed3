import ThrongClient
import ThrongPlan

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
    /// Recorded or answered and not delivered yet, with the number of its day.
    var waiting: [(day: Int, thing: Thing)] = []
    /// The Monday of the first recipe since consent was given, as a day's number.
    var first: Int?
    /// Recipes by Monday, not answered yet.
    var weeks: [Int: Int] = [:]
    /// Where it was counted as a device.
    private var contributed: Set<Daemon.First> = []

    init(storage: MemoryStorage, throng: Throng) {
        self.storage = storage
        self.throng = throng
    }

    /// Notes that the app records a recipe.
    mutating func cook(_ category: String, day: Int) {
        let monday = day / 7 * 7
        waiting.append((day, .recipe(category: category)))
        first = first ?? monday
        weeks[monday, default: 0] += 1
    }

    /// Notes that the app is awake: weeks that are over are answered.
    mutating func answer(monday: Int, day: Int) {
        for (week, recipes) in weeks where week < monday {
            if let first { waiting.append((day, .returned(week: (week - first) / 7))) }
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
    mutating func deliver(at now: Int64, os: String, to truth: inout Simulation.Truth) {
        defer { waiting = [] }
        guard let calendar = CookPlan.calendar else { return }
        for (day, thing) in waiting {
            let midnight = CookPlan.monday + Int64(day) * CookPlan.day
            // An event is as old as the end of the day in which it happened, and at most 47 hours.
            guard now - (midnight + CookPlan.day - 1) <= 47 * 3600 else { continue }
            let period = calendar.label(of: calendar.period(.day, containing: midnight))
            func count(_ metric: String, _ labels: [String]) {
                truth.cells[Daemon.Cell(metric: metric, period: period, labels: labels), default: 0] += 1
            }
            switch thing {
            case .returned(let week): count("returns", ["\(week)"])
            case .used(let recipes):
                count("weekly_use", [recipes < 2 ? "<2" : recipes < 5 ? "2-5" : recipes < 10 ? "5-10" : ">=10"])
            case .recipe(let category):
                count("recipes", [os, category])
                for kind in [PeriodKind.day, .week, .month] {
                    for (grouping, labels) in [[], [os], [os, category]].enumerated() {
                        let first = Daemon.First(
                            metric: "recipes", kind: kind,
                            period: calendar.label(of: calendar.period(kind, containing: midnight)),
                            grouping: grouping, labels: labels)
                        if contributed.insert(first).inserted { truth.reach[first, default: 0] += 1 }
                    }
                }
            }
        }
    }
}
