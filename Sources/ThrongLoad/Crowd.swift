internal import Foundation
internal import ThrongChance
internal import ThrongIntake
package import ThrongPlan

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
        /// How many events are in it.
        package let events: Int

        /// Puts one together.
        package init(body: String, events: Int) {
            self.body = body
            self.events = events
        }
    }

    private struct Shopper {
        var sessions: [[Step]] = []
        var channel = ""
        var lifecycle = ""

        mutating func add(_ step: Step, opensSession: Bool) {
            if opensSession || sessions.isEmpty { sessions.append([]) }
            sessions[sessions.count - 1].append(step)
        }
    }

    private struct Step {
        let event: String
        /// When it was in the original.
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

    /// Every device's batches, all on one day, each in its purpose's window.
    ///
    /// - Parameters:
    ///   - plan: decides which events and fields are sent at all.
    ///   - purposes: those that are sent. A device has one identifier for each, but where a metric looks at what identifiers
    ///     did within their window, one a visit.
    ///   - day: the first second of the day.
    ///   - now: decides the windows.
    ///   - seed: the same crowd for the same seed, but for identifiers and batch ids.
    ///   - progress: called after each device.
    package func parcels(
        plan: Plan, purposes: [Purpose], day: UnixSeconds, now: UnixSeconds, devices count: Int, seed: UInt64,
        progress: () -> Void = {}
    ) -> [Parcel] {
        var random = SeededGenerator(seed: seed)
        let visits = Set(plan.purposesWithin.map(\.name))
        let purposes = purposes.map { purpose in
            (
                purpose: purpose,
                isByVisit: visits.contains(purpose.name),
                events: Set(plan.events(of: purpose.name).map(\.text)),
                context: Set(plan.contextFields(of: purpose.name).map(\.text)),
                window: purpose.rotation.window(at: now).value
            )
        }
        var parcels: [Parcel] = []
        for place in 0..<count {
            let device = devices[place % devices.count]
            let shopper = shoppers[Int(random.next() % UInt64(shoppers.count))]
            let amountSeed = random.next()
            for entry in purposes {
                var amounts = SeededGenerator(seed: amountSeed)
                let context = Self.context(of: device, shopper: shopper, allowed: entry.context)
                let head =
                    "\"app\":\"\(plan.app.name)\",\"purpose\":\"\(entry.purpose.name)\",\"window\":\(entry.window),"
                    + "\"context\":{\(context)}"
                var identifier = BatchID.random()
                var events: [String] = []
                func close() {
                    guard !events.isEmpty else { return }
                    let body =
                        "{\(head),\"id\":\"\(identifier)\",\"batch\":\"\(BatchID.random())\","
                        + "\"events\":[\(events.joined(separator: ","))]}"
                    parcels.append(Parcel(body: body, events: events.count))
                    events = []
                }
                for session in shopper.sessions {
                    for step in session {
                        let amount = step.event == "purchase" ? Self.amount(&amounts) : nil
                        guard entry.events.contains(step.event) else { continue }
                        let fields =
                            entry.context.contains("amount")
                            ? amount.map { ",\"fields\":{\"amount\":\($0)}" } ?? "" : ""
                        let at = Self.time(of: step, in: session, on: day)
                        events.append("{\"event\":\"\(step.event)\",\"at\":\"\(at)\"\(fields)}")
                        if events.count == 100 { close() }
                    }
                    if entry.isByVisit {
                        close()
                        identifier = BatchID.random()
                    }
                }
                close()
            }
            progress()
        }
        return parcels
    }

    // MARK: Parts

    private static func context(of device: SampleDevice, shopper: Shopper, allowed: Set<String>) -> String {
        let shopping = [("channel", shopper.channel.quotedJSON), ("lifecycle", shopper.lifecycle.quotedJSON)]
        let fields = device.fields + shopping
        return fields.filter { allowed.contains($0.name) }.map { "\"\($0.name)\":\($0.json)" }.joined(separator: ",")
    }

    /// The same time of day as in the original; a session that ran past midnight stays on its day.
    private static func time(of step: Step, in session: [Step], on day: UnixSeconds) -> String {
        let start = session.first?.at ?? step.at
        let second = min((start.value % 86_400) + (step.at - start), 86_399)
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let clock = [second / 3600, second / 60 % 60, second % 60].map(two).joined(separator: ":")
        return "\(PeriodCalendar.utc.date(at: day))T\(clock)Z"
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
