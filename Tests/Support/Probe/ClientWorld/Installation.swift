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
    /// Where it said that it was a device's first. After a withdrawal it does not say so again: what was released stays.
    private var contributed: Set<Daemon.First> = []
    /// What it has added.
    private var delivered: [Addition] = []
    /// What of it the daemon is to take back.
    private var withdrawn: [Addition] = []

    /// What one thing added to one metric.
    private struct Addition {
        /// The UTC day in which it was sent.
        let window: Int64
        let cell: Daemon.Cell
        let periodEnd: UnixSeconds
        var firsts: [Daemon.First] = []
    }

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

    /// Forgets what is not delivered, and wants back what is, as after a withdrawal.
    mutating func withdraw() {
        waiting = []
        first = nil
        weeks = [:]
        withdrawn += delivered
        delivered = []
    }

    /// Notes that the daemon has heard of withdrawals: it takes back what was sent in windows that are open, and counted in
    /// periods that are not released.
    ///
    /// - Returns: how many things go.
    mutating func takeBack(at now: UnixSeconds, grace: Int64, from truth: inout Simulation.Truth) -> Int {
        defer { withdrawn = [] }
        let hour = UnixSeconds(now.flooredQuotient(by: 3600) * 3600)
        let gone = withdrawn.filter {
            $0.window >= now.flooredQuotient(by: CookPlan.day) - 1 && $0.periodEnd + grace > hour
        }
        for addition in gone {
            truth.cells[addition.cell, default: 0] -= 1
            for first in addition.firsts { truth.reach[first, default: 0] -= 1 }
        }
        return gone.count
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
                delivered.append(
                    Addition(
                        window: now.flooredQuotient(by: CookPlan.day), cell: cell, periodEnd: period(kind).end))
            }
            func mark(_ metric: String, _ kind: PeriodKind, _ labels: [String]) {
                let first = Daemon.First(
                    metric: metric, kind: kind, period: calendar.label(of: period(kind)), labels: labels)
                guard contributed.insert(first).inserted else { return }
                truth.reach[first, default: 0] += 1
                delivered[delivered.count - 1].firsts.append(first)
            }
            let grain: PeriodKind = if case .recipe = thing { .day } else { .week }
            guard now - (period(grain).end - 1) <= 47 * 3600 else { continue }
            switch thing {
            case .returned(let week):
                count("returns", .week, ["\(week)"])
            case .used(let recipes):
                count("weekly_use", .week, [recipes < 2 ? "<2" : recipes < 5 ? "2-5" : recipes < 10 ? "5-10" : ">=10"])
            case .recipe(let category):
                let groups = [[], [os], [os, category]]
                count("recipes", .day, [os, category])
                for kind in [PeriodKind.day, .week] { for labels in groups { mark("recipes", kind, labels) } }
                count("monthly_recipes", .month, [os, category])
                for labels in groups { mark("monthly_recipes", .month, labels) }
            }
        }
    }
}
