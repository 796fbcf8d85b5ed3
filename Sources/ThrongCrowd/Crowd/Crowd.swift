internal import Foundation
internal import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// A crowd of devices: one that is made up from a plan, or the sample's, made of real devices and real shopping.
///
/// The sample's devices and sessions come from two different data sets, so its numbers are resampled: nobody bought this
/// on that. Each of its devices walks through the shop as a random shopper did.
package struct Crowd: Sendable {
    /// The devices that were read; none of a crowd that is made up as a whole.
    package let devices: [SampleDevice]
    private let people: People

    /// The doings of its devices.
    private enum People: Sendable {
        case shoppers([Shopper])
        case made(MadeCrowd)
    }

    /// One batch on its way.
    package struct Parcel: Sendable {
        /// JSON, as for `POST /v1/batches`.
        package let body: String
        package let events: Int
        /// The number of the day's device that sends it, from 0; no batch says so.
        package let device: Int
        /// The signals by which the device refuses to be counted: headers of the request.
        package let signals: Set<OptOutSignal>

        package init(body: String, events: Int, device: Int = 0, signals: Set<OptOutSignal> = []) {
            (self.body, self.events, self.device, self.signals) = (body, events, device, signals)
        }
    }

    /// One of those who shop on one day, with the sessions that began on it.
    struct Shopper: Sendable {
        fileprivate(set) var sessions: [[(event: String, at: UnixSeconds)]] = []
        fileprivate(set) var channel = ""
        fileprivate(set) var lifecycle = ""

        fileprivate mutating func add(_ event: String, at: UnixSeconds, opensSession: Bool) {
            if opensSession || sessions.isEmpty { sessions.append([]) }
            sessions[sessions.count - 1].append((event, at))
        }

        /// The sessions at the same times of day as in the original; one that ran past midnight stays on its day.
        func visits(amountSeed: UInt64) -> [[Step]] {
            var amounts = SeededGenerator(seed: amountSeed)
            return sessions.map { session in
                let start = session.first?.at.value ?? 0
                return session.map { event, at in
                    let amount = event == "purchase" ? [("amount", Crowd.amount(&amounts))] : []
                    return Step(event: event, second: min(start % 86_400 + (at.value - start), 86_399), fields: amount)
                }
            }
        }
    }

    /// One event of a visit.
    struct Step: Sendable {
        let event: String
        /// The second of the day.
        let second: Int64
        /// The fields of its own, with their values as JSON.
        let fields: [(name: String, json: String)]
    }

    /// Reads `devices.ndjson.gz` and `shop.csv.gz` from a folder.
    package init(folder: String) throws {
        devices = try SampleDevice.all(in: folder + "/devices.ndjson.gz")
        people = .shoppers(try Self.shoppers(of: folder + "/shop.csv.gz"))
    }

    /// Makes a crowd up from a plan: every event, and every bucket of every dimension.
    ///
    /// - Parameters:
    ///   - devices: real ones, whose user agents, screens, memories and cores it has; none makes them up, too.
    ///   - shares: what is known of how often buckets come.
    package init(of plan: Plan, devices: [SampleDevice] = [], shares: CrowdShares = CrowdShares()) throws {
        self.devices = devices
        people = .made(try MadeCrowd(plan, shares: shares, rules: .system))
    }

    /// True if nothing of it was observed anywhere.
    package var isMadeUp: Bool { if case .made = people { true } else { false } }

    /// The events of which nobody said how many devices send them.
    package var guessedEvents: [String] { if case .made(let crowd) = people { crowd.guessedEvents } else { [] } }

    package enum Posting: Sendable {
        /// All at one time, whenever their events happened: a demonstration does not last a day.
        case atOnce(UnixSeconds)
        /// Each device posts in the window in which its events happened.
        case asItHappens
    }

    /// Every device's batches, all on one day, posted at one time: see
    /// ``forEachParcel(plan:purposes:day:posting:devices:seed:isShuffled:progress:_:)``.
    package func parcels(
        plan: Plan, purposes: [Purpose], day: UnixSeconds, now: UnixSeconds, devices count: Int, seed: UInt64,
        progress: () -> Void = {}
    ) -> [Parcel] {
        var parcels: [Parcel] = []
        forEachParcel(
            plan: plan, purposes: purposes, day: day, posting: .atOnce(now), devices: count, seed: seed,
            progress: progress
        ) { parcel, _ in parcels.append(parcel) }
        return parcels
    }

    /// Hands out every device's batches, all of one day, each in its purpose's window.
    ///
    /// - Parameters:
    ///   - purposes: those that are sent. A device has one identifier for each and window. Where all post at one time
    ///     and a metric looks at what identifiers did within their window, it has one a visit.
    ///   - seed: the same crowd for the same seed, but for identifiers and batch ids.
    ///   - isShuffled: whether devices come in another order for another seed.
    package func forEachParcel(
        plan: Plan, purposes: [Purpose], day: UnixSeconds, posting: Posting, devices count: Int, seed: UInt64,
        isShuffled: Bool = false, progress: () -> Void = {}, _ take: (Parcel, _ sent: UnixSeconds) throws -> Void
    ) rethrows {
        let routes = purposes.map { Route($0, of: plan) }
        var device = 0
        try forEachVisitor(count, seed: seed, isShuffled: isShuffled) { visitor in
            let visits = visitor.visits
            for route in routes where visitor.agrees(to: route.purpose) {
                for draft in route.drafts(visits, delay: visitor.manners.delay, day: day, posting) {
                    let identifier = route.purpose.hasIdentifiers ? ",\"id\":\"\(BatchID.random())\"" : ""
                    let head =
                        "\"app\":\"\(plan.app.name)\",\"purpose\":\"\(route.purpose.name)\",\"window\":"
                        + "\(route.purpose.rotation.window(at: draft.sent).value),"
                        + route.purpose.consentMember(isOutdated: visitor.manners.isOutdated)
                        + "\"context\":{\(visitor.context(allowed: route.context))}"
                    for start in stride(from: 0, to: draft.events.count, by: 100) {
                        let events = draft.events[start..<min(start + 100, draft.events.count)]
                        let body =
                            "{\(head)\(identifier),\"batch\":\"\(BatchID.random())\","
                            + "\"events\":[\(events.joined(separator: ","))]}"
                        let parcel = Parcel(
                            body: body, events: events.count, device: device, signals: visitor.manners.signals)
                        try take(parcel, draft.sent)
                    }
                }
            }
            device += 1
            progress()
        }
    }

    /// Those who come: devices in turn, each with a random shopper.
    package func visitors(_ count: Int, seed: UInt64, isShuffled: Bool = false) -> [Visitor] {
        var visitors: [Visitor] = []
        forEachVisitor(count, seed: seed, isShuffled: isShuffled) { visitors.append($0) }
        return visitors
    }

    private func forEachVisitor(
        _ count: Int, seed: UInt64, isShuffled: Bool, _ take: (Visitor) throws -> Void
    ) rethrows {
        var random = SeededGenerator(seed: seed)
        let devices = isShuffled ? devices.shuffled(using: &random) : devices
        for place in 0..<count {
            switch people {
            case .shoppers(let shoppers):
                let shopper = shoppers[Int(random.next() % UInt64(shoppers.count))]
                try take(Visitor(devices[place % devices.count], shopper, amountSeed: random.next()))
            case .made(let crowd):
                let sample = devices.isEmpty ? nil : devices[place % devices.count]
                try take(Visitor(crowd.guest(seed: random.next(), sample: sample), of: crowd))
            }
        }
    }

    // MARK: Parts

    /// The events of one purpose, and which of their fields it uses.
    private struct Route {
        let purpose: Purpose
        /// True if a visit has an identifier of its own where all post at one time.
        private let isByVisit: Bool
        /// The fields of each event that the purpose counts.
        private let fields: [String: Set<String>]
        let context: Set<String>

        init(_ purpose: Purpose, of plan: Plan) {
            self.purpose = purpose
            isByVisit = plan.metrics.contains { $0.within != nil && $0.purpose == purpose.name }
            fields = Dictionary(
                uniqueKeysWithValues: plan.events(of: purpose.name).map { event in
                    (event.text, Set(plan.fields(of: event, purpose: purpose.name).map(\.text)))
                })
            context = Set(plan.contextFields(of: purpose.name).map(\.text))
        }

        func drafts(
            _ visits: [[Step]], delay: Int64, day: UnixSeconds, _ posting: Posting
        ) -> [(events: [String], sent: UnixSeconds)] {
            var drafts = Drafts()
            for (visit, steps) in visits.enumerated() {
                for step in steps {
                    guard let used = fields[step.event] else { continue }
                    let own = step.fields.filter { used.contains($0.name) }.map { "\"\($0.name)\":\($0.json)" }
                    let at = day + step.second
                    let event =
                        "{\"event\":\"\(step.event)\",\"at\":\"\(Instant.text(at))\""
                        + (own.isEmpty ? "}" : ",\"fields\":{\(own.joined(separator: ","))}}")
                    switch posting {
                    case .atOnce(let now): drafts.add(event, to: isByVisit ? Int64(visit) : 0, sent: now)
                    case .asItHappens:
                        drafts.add(event, to: purpose.rotation.window(at: at + delay).value, sent: at + delay)
                    }
                }
            }
            return drafts.all
        }
    }

    /// The shop's file has no amounts: these are made up, skewed as orders are, 5 to 400 EUR.
    fileprivate static func amount(_ random: inout SeededGenerator) -> String {
        let share = random.fraction()
        let cents = Int(500 + 39_500 * share * share * share)
        return "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }

    private static func shoppers(of file: String) throws -> [Shopper] {
        let lines = try SampleDevice.lines(of: file)
        let names = (lines.first ?? "").split(separator: ",").map(String.init)
        let columns = ["user_id", "session_id", "event", "timestamp", "acquisition_channel", "user_lifecycle"]
            .map { names.firstIndex(of: $0) }
        guard !columns.contains(nil) else { throw CrowdError.lacksColumns(file: file) }
        let places = columns.compactMap { $0 }
        var order: [String] = []
        var shoppers: [String: Shopper] = [:]
        var (lastSession, name) = ("", "")
        for (place, line) in lines.enumerated().dropFirst() {
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard values.count == names.count, let at = instant(values[places[3]]) else {
                throw CrowdError.unlikeHeader(file: file, line: place + 1)
            }
            let isNewSession = values[places[1]] != lastSession
            lastSession = values[places[1]]
            if isNewSession { name = "\(values[places[0]]) \(PeriodCalendar.utc.date(at: at))" }
            if shoppers[name] == nil { order.append(name) }
            shoppers[name, default: Shopper()].channel = values[places[4]]
            shoppers[name]?.lifecycle = values[places[5]]
            shoppers[name]?.add(values[places[2]], at: at, opensSession: isNewSession)
        }
        return order.compactMap { shoppers[$0] }
    }

    /// "2024-03-13 10:21:14" in UTC.
    private static func instant(_ text: String) -> UnixSeconds? {
        let halves = text.split(separator: " ")
        guard halves.count == 2, let date = CalendarDate(halves[0]) else { return nil }
        let clock = halves[1].split(separator: ":").compactMap { Int64($0) }
        guard clock.count == 3 else { return nil }
        return UnixSeconds(date.daysSince1970 * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2])
    }
}

extension Purpose {
    /// The member of a batch for the version that people agreed to, or the one before it, with a comma behind it; empty
    /// where that is the first.
    package func consentMember(isOutdated: Bool = false) -> String {
        let version = isOutdated ? consentVersion - 1 : consentVersion
        return version > 1 ? "\"consent_version\":\(version)," : ""
    }
}
