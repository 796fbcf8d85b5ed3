internal import Foundation
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongRelease
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore

/// Reads a batch and its answers for the page.
struct TryoutReading {
    let plan: Plan
    let now: UnixSeconds

    /// The members of a batch that the page shows, whatever else is wrong with it.
    private struct Body: Decodable {
        var app: String?
        var purpose: String?
        var window: Int64?
        var batch: String?
        var consent_version: Int?
        var test: Bool?
        var events: [Event]?

        struct Event: Decodable {
            var event: String?
            var at: String?
        }
    }

    /// Returns the entry of a batch.
    ///
    /// - Parameters:
    ///   - body: as it came.
    ///   - status: of the answer.
    ///   - preview: what `POST /v1/preview` said of it just before.
    ///   - hasCome: notes a batch's name; true if it came before.
    func entry(
        _ number: Int, body: [UInt8], isGzip: Bool, status: Int, answer: [UInt8], preview: [UInt8]?,
        hasCome: (String) -> Bool
    ) -> TryoutEntry {
        let text = isGzip ? Self.unpacked(body) : body
        // A body that is no batch has no members; the problem says what is wrong with it.
        let read = (try? JSONDecoder().decode(Body.self, from: Data(text))) ?? Body()
        let purpose = read.purpose.flatMap { plan.purpose(PurposeName($0)) }
        var entry = TryoutEntry(
            number: number, time: Self.clock(now), status: status, app: read.app ?? "", purpose: read.purpose ?? "",
            window: window(read.window, of: purpose), consent: consent(read.consent_version, of: purpose),
            isRepeated: status == 202 && read.batch.map(hasCome) ?? false, isTest: read.test ?? false)
        guard status == 202 else {
            // An answer of another shape is told by its status.
            entry.problem =
                (try? JSONDecoder().decode(TryoutEntry.Problem.self, from: Data(answer)))
                ?? .init(error: "http_\(status)", detail: "The daemon took nothing of it.", pointer: nil)
            return entry
        }
        entry.events = (read.events ?? []).map { .init(event: $0.event ?? "", at: $0.at ?? "") }
        // What the daemon counted decides; the preview says as what.
        let said = try? JSONDecoder().decode(BatchAnswer.self, from: Data(answer))
        let shown = preview.flatMap { try? JSONDecoder().decode(PreviewAnswer.self, from: Data($0)) }
        for event in shown?.events ?? [] where entry.events.indices.contains(event.index) {
            entry.events[event.index].counted = event.counted.map(tuple)
        }
        for refusal in said?.refused ?? [] where entry.events.indices.contains(refusal.index) {
            entry.events[refusal.index].refused = refusal.reason.rawValue
            entry.events[refusal.index].hints = hints(refusal)
            entry.events[refusal.index].counted = []
        }
        return entry
    }

    private func tuple(_ tuple: PreviewAnswer.Tuple) -> TryoutEntry.Tuple {
        let metric = plan.metric(MetricName(tuple.metric))
        let dimensions = metric.map { plan.cubeDimensions(of: $0) } ?? []
        return TryoutEntry.Tuple(
            metric: metric?.title ?? tuple.metric, period: tuple.period, count: tuple.count,
            buckets: dimensions.compactMap { dimension in
                tuple.buckets[dimension.name.text].map { [dimension.title, $0] }
            },
            sums: (metric?.sums ?? []).compactMap { sum in
                tuple.sums[sum.name].map { "\(sum.name) \(Wording.english.amount(sum.quantum(of: $0), of: sum))" }
            }, said: tuple)
    }

    private func hints(_ refusal: BatchAnswer.Refusal) -> [String] {
        guard let detail = refusal.detail else { return [] }
        let isOfField = refusal.reason == .invalidValue && detail.field != nil
        let expected = detail.expected ?? (isOfField ? detail.member == nil ? "a number" : "one value" : nil)
        return [
            "at \(detail.pointer)" + (detail.member.map { ", member \($0) from 0" } ?? ""),
            detail.field.map { "field: \($0)" }, detail.nearest.map { "did you mean \($0)?" },
            expected.map { "expected: \($0)" },
        ].compactMap { $0 }
    }

    private func window(_ number: Int64?, of purpose: Purpose?) -> String {
        guard let number else { return "" }
        guard let purpose else { return "\(number)" }
        let current = purpose.rotation.window(at: now).value
        let start = purpose.rotation.start(of: WindowNumber(number))
        // Nobody's clock is off by so much that the times of it mean anything.
        guard abs(number - current) < 1_000_000 else { return "\(number); the current one is \(current)" }
        let times = "\(Self.clock(start)) to \(Self.clock(start + purpose.rotation.seconds)) UTC"
        return switch number - current {
        case 0: "\(number), the current one: \(times)"
        case -1: "\(number), the one before: \(times)"
        case 1: "\(number), the next one: \(times)"
        default: "\(number), \(times); the current one is \(current)"
        }
    }

    private func consent(_ version: Int?, of purpose: Purpose?) -> String {
        guard let purpose else { return "" }
        guard purpose.needsConsent else { return "no consent needed" }
        return "consent needed: version \(version ?? 1) was given, version \(purpose.consentVersion) is asked for"
    }

    /// The time of day in UTC: `14:03:07`.
    private static func clock(_ time: UnixSeconds) -> String { String(Instant.text(time).dropFirst(11).prefix(8)) }

    private static func unpacked(_ body: [UInt8]) -> [UInt8] {
        // What can't be unpacked was refused, and the answer says so.
        let bytes = try? body.withUnsafeBufferPointer { try Gzip.unpacked($0, limit: 8 << 20) }
        return bytes ?? []
    }
}

/// The numbers of open periods as they would be published if the periods were over now.
struct TryoutNumbers: Sendable {
    private let plan: Plan
    private let decisions: [(period: Period, decision: ReleaseDecision)]

    /// Decides about every open period that holds an instant.
    init(of plan: Plan, at now: UnixSeconds, _ releases: ReleaseScheduler, _ store: ReleaseStore) async throws {
        self.plan = plan
        var decisions: [(period: Period, decision: ReleaseDecision)] = []
        let open = try await store.openPeriods(app: plan.app.name).filter {
            $0.period.start <= now && now < $0.period.end
        }
        for metric in plan.metrics {
            let layout = try plan.layout(of: metric, rules: .system)
            for one in open where one.layout == layout {
                decisions.append((one.period, try await releases.trial(one, plan: plan)))
            }
        }
        self.decisions = decisions
    }

    var releases: [Release] { decisions.map(\.decision.release) }

    /// Returns the numbers that something counted went into, coarser ones first.
    func numbers(of tuple: PreviewAnswer.Tuple) -> [TryoutEntry.Number] {
        guard let metric = plan.metric(MetricName(tuple.metric)) else { return [] }
        let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
        let found = decisions.first {
            $0.decision.release.header.layout.metric == metric.name && calendar.label(of: $0.period) == tuple.period
        }
        guard let decision = found?.decision else { return [] }
        var labels: [DimensionName: BucketLabel] = [:]
        for (name, label) in tuple.buckets { labels[DimensionName(name)] = BucketLabel(label) }
        for derived in plan.derivedDimensions {
            guard let base = labels[derived.base] else { continue }
            labels[derived.name] = derived.groups.first { $0.values.contains(base.text) }?.label ?? .other
        }
        return decision.release.header.groupings.sorted { $0.bits.nonzeroBitCount < $1.bits.nonzeroBitCount }
            .compactMap { Self.number(labels, in: $0, of: decision) }
    }

    private static func number(
        _ labels: [DimensionName: BucketLabel], in grouping: Margin, of decision: ReleaseDecision
    ) -> TryoutEntry.Number? {
        let header = decision.release.header
        let layout = header.layout
        let places = layout.dimensions.indices.filter(grouping.keeps)
        var (indices, names): ([Int], [String]) = ([], [])
        for place in places {
            let dimension = layout.dimensions[place]
            guard let label = labels[dimension.name], let bucket = dimension.labels.firstIndex(of: label) else {
                return nil
            }
            indices.append(bucket)
            names.append("\(dimension.name) = \(label)")
        }
        let cell = layout.cell(buckets: indices, in: grouping)
        let name = names.isEmpty ? "total" : names.joined(separator: ", ")
        if let published = decision.release.cell(cell, in: grouping) {
            let margin = header.margin(of: grouping).map { ", off by up to \($0)" } ?? ""
            let isPart =
                Insight.Kind.reach.deviceBasis(header) == .window
                && header.period.kind.shortestSeconds > layout.rotation.seconds
            let devices = published.reach.map { reach in
                "; \(Wording.english.count(reach.devices, "device"))"
                    + (isPart ? " in the \(header.period.kind.rawValue)'s busiest \(layout.rotation.spoken)" : "")
                    + (header.deviceMargin(of: grouping).map { ", off by up to \($0)" } ?? "")
            }
            let sums = layout.sums.indices.map { place in
                let (sum, margin) = (layout.sums[place], header.margin(of: grouping, measure: place + 1))
                let bound = margin.map { ", off by up to \(Wording.english.amount($0, of: sum))" } ?? ""
                return "; \(sum.name) \(Wording.english.amount(published.sums[place], of: sum))\(bound)"
            }
            return .init(
                cell: name, state: "published",
                words: "would be published: \(Wording.english.count(published.count, "event"))\(margin)"
                    + (devices ?? "") + sums.joined())
        }
        let k = header.threshold.devices
        switch decision.withheld.first(where: { $0.margin == grouping && $0.cell == cell })?.reason {
        case .small(let floor)?:
            return .init(
                cell: name, state: "small",
                words: "too few: \(Wording.english.count(floor.devices, "device")), and k is \(k)")
        case .nearThreshold?:
            return .init(cell: name, state: "near", words: "too close to k = \(k): may or may not be shown, by chance")
        case nil: return .init(cell: name, state: "small", words: "too few: nothing in PostgreSQL yet")
        }
    }
}
