internal import Foundation
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongRelease
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore

/// A batch or a withdrawal that was posted, the answer to it, and what the daemon said of it just before.
struct TryoutBatch: Sendable {
    let number: Int
    let plan: Plan
    let now: UnixSeconds
    let status: Int
    let body: Body
    let isWithdrawal, isRepeated: Bool
    /// The counted events that a withdrawal took back; nil where it is none, or was refused.
    var takenBack: Int?
    /// The reason why it was refused as a whole; nil if it was not.
    let problem: TryoutEntry.Problem?
    let answer: BatchAnswer?
    let preview: PreviewAnswer?
    /// The numbers of open periods with it; nil before they are known.
    var numbers: TryoutNumbers?

    /// The members of a batch that the page shows, whatever else is wrong with it.
    struct Body: Decodable, Sendable {
        var purpose, batch, id: String?
        var window: Int64?
        var consent_version: Int?
        var test: Bool?
        var events: [Event]?

        struct Event: Decodable, Sendable { var event, at: String? }
    }

    /// - Parameter hasCome: notes a batch's name; true if it came before.
    init(
        _ number: Int, plan: Plan, now: UnixSeconds, body: [UInt8], isGzip: Bool, status: Int, answer: [UInt8],
        preview: [UInt8]?, isWithdrawal: Bool = false, hasCome: (String) -> Bool
    ) {
        (self.number, self.plan, self.now, self.status, self.isWithdrawal) = (number, plan, now, status, isWithdrawal)
        let text = isGzip ? TryoutReading.unpacked(body) : body
        // A body that is no batch has no members; the problem says what is wrong with it.
        self.body = (try? JSONDecoder().decode(Body.self, from: Data(text))) ?? Body()
        isRepeated = status == 202 && self.body.batch.map(hasCome) ?? false
        // An answer of another shape is told by its status.
        let refused = try? JSONDecoder().decode(TryoutEntry.Problem.self, from: Data(answer))
        problem = status == 202 ? nil : refused ?? .init(error: "http_\(status)", detail: "", pointer: nil)
        // What the daemon counted decides; the preview says as what.
        self.answer = try? JSONDecoder().decode(BatchAnswer.self, from: Data(answer))
        self.preview = preview.flatMap { try? JSONDecoder().decode(PreviewAnswer.self, from: Data($0)) }
    }

    /// True if some event of it changed a counter whose numbers can be known.
    var isCounted: Bool { status == 202 && !isRepeated && preview?.events.contains { !$0.counted.isEmpty } ?? false }
}

/// Reads a batch and its answers for the page, in a language.
struct TryoutReading {
    private let batch: TryoutBatch
    private let plan: Plan
    private let language: Language

    init(of batch: TryoutBatch, in language: Language) {
        (self.batch, self.language, plan) = (batch, language, batch.plan.translated(into: language.tag))
    }

    var entry: TryoutEntry {
        let isCounting = batch.problem == nil && !batch.isRepeated && !batch.isWithdrawal
        let (read, events) = (batch.body, isCounting ? self.events : [])
        let purpose = read.purpose.flatMap { plan.purpose(PurposeName($0)) }
        let refused = events.count { $0.refused != nil }
        let marks = [
            batch.problem.map { ["bad", "\(batch.status): \($0.error)"] },
            batch.isRepeated ? ["", word("again")] : nil,
            isCounting ? ["good", word("counted", events.count - refused)] : nil,
            batch.takenBack.map { ["", word($0 > 0 ? "withdrawn" : "unknown", $0)] },
            refused > 0 ? ["bad", word("refused", refused)] : nil, read.test ?? false ? ["", word("test")] : nil,
        ]
        return TryoutEntry(
            number: batch.number, time: Self.clock(batch.now), purpose: read.purpose ?? word("nameless"),
            window: window(read.window, of: purpose),
            consent: batch.isWithdrawal ? "" : consent(read.consent_version, of: purpose),
            marks: marks.compactMap(\.self), problem: batch.problem, events: events)
    }

    private var events: [TryoutEntry.Event] {
        var events = (batch.body.events ?? []).map {
            TryoutEntry.Event(event: $0.event ?? word("nameless"), at: $0.at ?? "")
        }
        for event in batch.preview?.events ?? [] where events.indices.contains(event.index) {
            events[event.index].counted = event.counted.map(tuple)
        }
        for refusal in batch.answer?.refused ?? [] where events.indices.contains(refusal.index) {
            let reason = refusal.reason.rawValue
            events[refusal.index].refused = reason
            events[refusal.index].note = language.say(.trialRefused, ["reason": reason])
            events[refusal.index].hints = hints(refusal)
            events[refusal.index].counted = []
        }
        for place in events.indices where events[place].refused == nil && events[place].counted.isEmpty {
            events[place].note = word("waits")
        }
        return events
    }

    private func word(_ word: String, _ count: Int = 0) -> String {
        language.say(.tryMark, ["case": word, "count": count])
    }

    private func tuple(_ tuple: PreviewAnswer.Tuple) -> TryoutEntry.Tuple {
        let metric = plan.metric(MetricName(tuple.metric))
        let dimensions = metric.map { plan.cubeDimensions(of: $0) } ?? []
        return TryoutEntry.Tuple(
            metric: metric?.title ?? tuple.metric, period: tuple.period,
            times: tuple.count == 1 ? nil : language.say(.times, ["count": tuple.count]),
            buckets: dimensions.compactMap { dimension in
                tuple.buckets[dimension.name.text].map {
                    [dimension.title, language.words(for: BucketLabel($0), by: dimension)]
                }
            },
            sums: (metric?.sums ?? []).compactMap { sum in
                guard let metric, let value = tuple.sums[sum.name] else { return nil }
                return "\(metric.title(of: sum)) \(Wording(language).amount(sum.quantum(of: value), of: sum))"
            }, numbers: batch.numbers?.numbers(of: tuple, by: plan, in: language))
    }

    private func hints(_ refusal: BatchAnswer.Refusal) -> [String] {
        guard let detail = refusal.detail else { return [] }
        let isOfField = refusal.reason == .invalidValue && detail.field != nil
        func hint(_ word: String, _ text: String?) -> String? {
            text.map { language.say(.tryHint, ["case": word, "text": $0]) }
        }
        return [
            hint("at", detail.pointer), hint("member", detail.member.map { "\($0)" }), hint("field", detail.field),
            hint("nearest", detail.nearest), hint("expected", detail.expected),
            hint(detail.member == nil ? "number" : "value", detail.expected == nil && isOfField ? "" : nil),
        ].compactMap(\.self)
    }

    private func window(_ number: Int64?, of purpose: Purpose?) -> String {
        guard let number else { return "" }
        func say(_ place: String, current: Int64 = 0, _ times: (String, String) = ("", "")) -> String {
            language.say(
                .tryWindow,
                ["case": place, "number": "\(number)", "current": "\(current)", "low": times.0, "high": times.1])
        }
        guard let purpose else { return say("unknown") }
        let current = purpose.rotation.window(at: batch.now).value
        // Nobody's clock is off by so much that the times of it mean anything.
        guard abs(number - current) < 1_000_000 else { return say("strange", current: current) }
        let start = purpose.rotation.start(of: WindowNumber(number))
        let place = [0: "current", -1: "before", 1: "next"][number - current] ?? "other"
        return say(place, current: current, (Self.clock(start), Self.clock(start + purpose.rotation.seconds)))
    }

    private func consent(_ version: Int?, of purpose: Purpose?) -> String {
        guard let purpose else { return "" }
        let (given, asked) = ("\(version ?? 1)", "\(purpose.consentVersion)")
        return language.say(.tryConsent, ["isNeeded": purpose.needsConsent, "given": given, "asked": asked])
    }

    /// The time of day in UTC: `14:03:07`.
    private static func clock(_ time: UnixSeconds) -> String { String(Instant.text(time).dropFirst(11).prefix(8)) }

    fileprivate static func unpacked(_ body: [UInt8]) -> [UInt8] {
        // What can't be unpacked was refused, and the answer says so.
        (try? body.withUnsafeBufferPointer { try Gzip.unpacked($0, limit: 8 << 20) }) ?? []
    }
}

/// The numbers of open periods as they would be published if the periods were over now.
struct TryoutNumbers: Sendable {
    private let decisions: [(period: Period, decision: ReleaseDecision)]

    /// Decides about every open period that holds an instant.
    init(of plan: Plan, at now: UnixSeconds, _ releases: ReleaseScheduler, _ store: ReleaseStore) async throws {
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

    /// Returns the numbers that something counted went into, coarser ones first, in the words of a plan and a language.
    func numbers(of tuple: PreviewAnswer.Tuple, by plan: Plan, in language: Language) -> [TryoutEntry.Number] {
        guard let metric = plan.metric(MetricName(tuple.metric)) else { return [] }
        let calendar = plan.calendar
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
        let telling = plan.tellingDimensions(of: metric)
        return decision.release.header.groupings.sorted { $0.bits.nonzeroBitCount < $1.bits.nonzeroBitCount }
            .compactMap { Self.number(labels, in: $0, of: decision, metric, telling, language) }
    }

    private static func number(
        _ labels: [DimensionName: BucketLabel], in grouping: Margin, of decision: ReleaseDecision, _ metric: Metric,
        _ telling: [DimensionName: ThrongPlan.Dimension], _ language: Language
    ) -> TryoutEntry.Number? {
        let header = decision.release.header
        let layout = header.layout
        var (indices, names): ([Int], [String]) = ([], [])
        for dimension in layout.dimensions.indices.filter(grouping.keeps).map({ layout.dimensions[$0] }) {
            guard let label = labels[dimension.name], let bucket = dimension.labels.firstIndex(of: label) else {
                return nil
            }
            indices.append(bucket)
            let (told, words) = (telling[dimension.name], language.words(for: label, by: telling[dimension.name]))
            names.append(language.say(.scope, ["dimension": told?.title ?? dimension.name.text, "bucket": words]))
        }
        let cell = layout.cell(buckets: indices, in: grouping)
        let (name, k) = (names.isEmpty ? language.say(.headAll) : language.list(names), header.threshold.devices)
        func words(_ kind: String, _ number: String = "", offBy margin: String? = nil) -> String {
            let told: KeyValuePairs<String, any MessageArgument> = [
                "case": kind, "number": number, "threshold": "\(k)", "hasMargin": margin != nil, "margin": margin ?? "",
            ]
            return language.say(.tryNumber, told)
        }
        let wording = Wording(language)
        func counted(_ number: Int64, _ counts: Counted) -> String {
            "\(wording.number(Int(number))) \(wording.noun(counts, of: number))"
        }
        guard let published = decision.release.cell(cell, in: grouping) else {
            switch decision.withheld.first(where: { $0.margin == grouping && $0.cell == cell })?.reason {
            case .small(let floor)?:
                return .init(cell: name, state: "small", words: words("small", counted(floor.devices, .devices)))
            case .nearThreshold?: return .init(cell: name, state: "near", words: words("near"))
            case nil: return .init(cell: name, state: "small", words: words("nothing"))
            }
        }
        let isPart =
            Insight.Kind.reach.deviceBasis(header) == .window
            && header.period.kind.shortestSeconds > layout.rotation.seconds
        let number = words(
            "published", counted(published.count, .events),
            offBy: header.margin(of: grouping).map { wording.number(Int($0)) })
        let devices = published.reach.map { reach in
            words(
                isPart ? "busiest" : "more", counted(reach.devices, .devices),
                offBy: header.deviceMargin(of: grouping).map { wording.number(Int($0)) })
        }
        let sums = layout.sums.enumerated().map { place, sum in
            words(
                "more", "\(metric.title(of: sum)) \(wording.amount(published.sums[place], of: sum))",
                offBy: header.margin(of: grouping, measure: place + 1).map { wording.amount($0, of: sum) })
        }
        let all = [number] + [devices].compactMap(\.self) + sums
        return .init(cell: name, state: "published", words: all.joined(separator: "; "))
    }
}
