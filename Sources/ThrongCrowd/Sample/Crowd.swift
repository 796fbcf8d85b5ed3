internal import Foundation
internal import ThrongIngest
package import ThrongPlan
internal import ThrongSystem

/// A crowd made of real devices and real shopping: each device walks through the shop as a random shopper did.
///
/// Devices and sessions come from two different data sets, so the numbers are resampled: nobody bought this on that.
package struct Crowd: Sendable {
    /// Every device of the sample.
    package let devices: [SampleDevice]
    private let shoppers: [Shopper]
    /// Devices whose line in the file is the only one like it.
    package let uniqueRaw: Int

    /// One batch on its way.
    package struct Parcel: Sendable {
        /// JSON, as for `POST /v1/batches`.
        package let body: String
        /// The number of its events.
        package let events: Int
        /// The number of the day's device that sends it, from 0; no batch says so.
        package let device: Int

        package init(body: String, events: Int, device: Int = 0) {
            self.body = body
            self.events = events
            self.device = device
        }
    }

    /// One of those who shop, with all sessions.
    struct Shopper {
        fileprivate(set) var sessions: [[Step]] = []
        fileprivate(set) var channel = ""
        fileprivate(set) var lifecycle = ""

        fileprivate mutating func add(_ step: Step, opensSession: Bool) {
            if opensSession || sessions.isEmpty { sessions.append([]) }
            sessions[sessions.count - 1].append(step)
        }
    }

    /// One event of a session.
    struct Step {
        let event: String
        /// The time in the original.
        let at: UnixSeconds
    }

    /// Reads `devices.ndjson.gz` and `shop.csv.gz` from a folder.
    ///
    /// - Throws: ``LoadError`` where one of them is not there or is not what it should be.
    package init(folder: String) throws {
        let file = folder + "/devices.ndjson.gz"
        devices = try SampleDevice.all(in: file)
        let lines = try SampleDevice.lines(of: file)
        uniqueRaw = Dictionary(lines.map { ($0, 1) }, uniquingKeysWith: +).values.count { $0 == 1 }
        shoppers = try Self.shoppers(of: folder + "/shop.csv.gz")
    }

    /// The time at which devices post.
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
    ///   - plan: decides which events and fields are sent at all.
    ///   - purposes: those that are sent. A device has one identifier for each and window. Where all post at one time
    ///     and a metric looks at what identifiers did within their window, it has one a visit.
    ///   - day: the first second of the day, in UTC.
    ///   - posting: decides the windows.
    ///   - seed: the same crowd for the same seed, but for identifiers and batch ids.
    ///   - isShuffled: whether devices come in another order for another seed.
    ///   - progress: called after each device.
    ///   - take: gets each batch and when it is posted.
    package func forEachParcel(
        plan: Plan, purposes: [Purpose], day: UnixSeconds, posting: Posting, devices count: Int, seed: UInt64,
        isShuffled: Bool = false, progress: () -> Void = {}, _ take: (Parcel, _ sent: UnixSeconds) throws -> Void
    ) rethrows {
        let visits = Set(plan.purposesWithin.map(\.name))
        let purposes = purposes.map { purpose in
            (
                purpose: purpose,
                isByVisit: visits.contains(purpose.name),
                events: Set(plan.events(of: purpose.name).map(\.text)),
                context: Set(plan.contextFields(of: purpose.name).map(\.text))
            )
        }
        for (device, visitor) in visitors(count, seed: seed, isShuffled: isShuffled).enumerated() {
            for entry in purposes {
                var drafts = Drafts()
                var amounts = SeededGenerator(seed: visitor.amountSeed)
                for (visit, session) in visitor.shopper.sessions.enumerated() {
                    for step in session {
                        let amount = step.event == "purchase" ? Self.amount(&amounts) : nil
                        guard entry.events.contains(step.event) else { continue }
                        let fields =
                            entry.context.contains("amount")
                            ? amount.map { ",\"fields\":{\"amount\":\($0)}" } ?? "" : ""
                        let at = Self.time(of: step, in: session, on: day)
                        let event = "{\"event\":\"\(step.event)\",\"at\":\"\(Self.text(of: at))\"\(fields)}"
                        switch posting {
                        case .atOnce(let now): drafts.add(event, to: entry.isByVisit ? Int64(visit) : 0, sent: now)
                        case .asItHappens:
                            drafts.add(event, to: entry.purpose.rotation.window(at: at).value, sent: at)
                        }
                    }
                }
                let context = visitor.context(allowed: entry.context)
                for draft in drafts.all {
                    let identifier = entry.purpose.hasIdentifiers ? ",\"id\":\"\(BatchID.random())\"" : ""
                    let head =
                        "\"app\":\"\(plan.app.name)\",\"purpose\":\"\(entry.purpose.name)\",\"window\":"
                        + "\(entry.purpose.rotation.window(at: draft.sent).value),"
                        + "\(entry.purpose.consentMember)\"context\":{\(context)}"
                    for start in stride(from: 0, to: draft.events.count, by: 100) {
                        let events = draft.events[start..<min(start + 100, draft.events.count)]
                        let body =
                            "{\(head)\(identifier),\"batch\":\"\(BatchID.random())\","
                            + "\"events\":[\(events.joined(separator: ","))]}"
                        try take(Parcel(body: body, events: events.count, device: device), draft.sent)
                    }
                }
            }
            progress()
        }
    }

    /// Those who come: devices in turn, each with a random shopper.
    ///
    /// - Parameter isShuffled: whether devices come in an order that the seed decides, instead of that of the file.
    package func visitors(_ count: Int, seed: UInt64, isShuffled: Bool = false) -> [Visitor] {
        var random = SeededGenerator(seed: seed)
        let devices = isShuffled ? devices.shuffled(using: &random) : devices
        return (0..<count).map { place in
            Visitor(
                device: devices[place % devices.count],
                shopper: shoppers[Int(random.next() % UInt64(shoppers.count))], amountSeed: random.next())
        }
    }

    // MARK: Parts

    /// The same time of day as in the original; a session that ran past midnight stays on its day.
    private static func time(of step: Step, in session: [Step], on day: UnixSeconds) -> UnixSeconds {
        let start = session.first?.at ?? step.at
        let midnight = PeriodCalendar.utc.date(at: day).daysSince1970 * 86_400
        return UnixSeconds(midnight + min((start.value % 86_400) + (step.at - start), 86_399))
    }

    private static func text(of time: UnixSeconds) -> String {
        let second = time.value % 86_400
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [second / 3600, second / 60 % 60, second % 60].map(two).joined(separator: ":")
        return "\(PeriodCalendar.utc.date(at: time))T\(clock)Z"
    }

    /// The shop's file has no amounts: these are made up, skewed as orders are, 5 to 400 EUR.
    private static func amount(_ random: inout SeededGenerator) -> String {
        let share = random.fraction()
        let cents = Int(500 + 39_500 * share * share * share)
        return "\(cents / 100).\(cents % 100 < 10 ? "0" : "")\(cents % 100)"
    }

    private static func shoppers(of file: String) throws -> [Shopper] {
        let lines = try SampleDevice.lines(of: file)
        let names = (lines.first ?? "").split(separator: ",").map(String.init)
        let columns = ["user_id", "session_id", "event", "timestamp", "acquisition_channel", "user_lifecycle"]
            .map { names.firstIndex(of: $0) }
        guard !columns.contains(nil) else { throw LoadError.lacksColumns(file: file) }
        let places = columns.compactMap { $0 }
        var order: [String] = []
        var shoppers: [String: Shopper] = [:]
        var lastSession = ""
        for (place, line) in lines.enumerated().dropFirst() {
            let values = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard values.count == names.count, let at = instant(values[places[3]]) else {
                throw LoadError.unlikeHeader(file: file, line: place + 1)
            }
            let user = values[places[0]]
            if shoppers[user] == nil { order.append(user) }
            let step = Step(event: values[places[2]], at: at)
            let isNewSession = values[places[1]] != lastSession
            lastSession = values[places[1]]
            shoppers[user, default: Shopper()].channel = values[places[4]]
            shoppers[user]?.lifecycle = values[places[5]]
            shoppers[user]?.add(step, opensSession: isNewSession)
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

extension Crowd {
    /// Devices that are the only one in their combination of buckets, over every dimension of the plan that tells
    /// something about a device.
    package func uniqueBucketed(plan: Plan) throws -> (unique: Int, dimensions: [DimensionName]) {
        let known: Set<FieldName> = ["user_agent", "screen", "memory_gb", "cores"]
        let dimensions = plan.dimensions.filter { known.contains($0.field) }
        let bucketings = try dimensions.map { (field: $0.field, bucketing: try $0.rule.compiled(rules: .system)) }
        var seen: [[Int]: Int] = [:]
        for device in devices {
            seen[bucketings.map { device.bucket(of: $0.field, by: $0.bucketing) }, default: 0] += 1
        }
        return (seen.values.count { $0 == 1 }, dimensions.map(\.name))
    }
}

extension Plan {
    /// Purposes of which a metric counts what identifiers did within their window: known when that is over.
    package var purposesWithin: [Purpose] {
        let names = Set(metrics.filter { $0.within != nil }.map(\.purpose))
        return purposes.filter { names.contains($0.name) }
    }

    /// Purposes of which every metric counts events as they come.
    package var purposesAtOnce: [Purpose] {
        let later = Set(purposesWithin.map(\.name))
        return purposes.filter { !later.contains($0.name) }
    }
}
