internal import Foundation
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongReport
internal import ThrongWire

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

    static func clock(_ time: UnixSeconds) -> String {
        func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let second = ((time.value % 86_400) + 86_400) % 86_400
        return [second / 3600, second / 60 % 60, second % 60].map(two).joined(separator: ":")
    }

    private static func unpacked(_ body: [UInt8]) -> [UInt8] {
        // What can't be unpacked was refused, and the answer says so.
        let bytes = try? body.withUnsafeBufferPointer { try Gzip.unpacked($0, limit: 8 << 20) }
        return bytes ?? []
    }
}
