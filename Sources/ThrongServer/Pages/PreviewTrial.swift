internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongReport
internal import ThrongWire

/// Tries an event from a page's form like a client's batch, and says in words what would remain.
struct PreviewTrial: Sendable {
    let ingestion: Ingestion
    let clock: UnixClock

    /// The largest form. Unit: bytes.
    private static let largestForm = 64 << 10

    /// - Throws: ``IntakeError`` if the form is too large or its event would be refused with all of its batch.
    func trial(_ request: Request, of plan: Plan, in language: Language) async throws -> LabelTrial {
        let values = try await ingestion.bodies.collect(request.body, upTo: Self.largestForm) { Self.form($0) }
        let signals = RequestHeaders(request.headers).signals
        let event = EventName(values["event"] ?? "")
        var fields = values
        fields["event"] = nil
        let userAgents = plan.labelledFields.filter(\.isUserAgent).map(\.name)
        for field in userAgents where fields[field, default: ""].isEmpty {
            fields[field] = request.headers[.userAgent]
        }
        var outcomes: [LabelTrial.Outcome] = []
        for purpose in plan.purposes where plan.events(of: purpose.name).contains(event) {
            let body = try body(of: event, fields: fields, plan: plan, purpose: purpose)
            let answer = try await ingestion.previewInTurn(body, isGzip: false, signals: signals) { $0 }
            for event in answer.events {
                outcomes += Self.outcomes(of: event, plan: plan, purpose: purpose, in: language)
            }
        }
        if outcomes.isEmpty {
            outcomes = [Self.nothing(language.say(.trialNothing), Self.words(for: .unknownEvent, in: language))]
        }
        return LabelTrial(event: event.text, values: values, outcomes: outcomes)
    }

    /// Returns the fields of a form, and an empty text for what can't be decoded.
    static func form(_ bytes: ByteBuffer) -> [String: String] {
        var values: [String: String] = [:]
        for pair in String(buffer: bytes).split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.replacing("+", with: " ").removingPercentEncoding ?? ""
            }
            if parts.count == 2 { values[parts[0]] = parts[1] }
        }
        return values
    }

    private func body(
        of event: EventName, fields: [String: String], plan: Plan, purpose: Purpose
    ) throws -> ByteBuffer {
        let summed = Set(plan.metrics.flatMap(\.sums).map(\.field))
        var scalars: [String: Batch.Scalar] = [:]
        for field in plan.fields(of: event, purpose: purpose.name) {
            guard let value = fields[field.text], !value.isEmpty else { continue }
            scalars[field.text] =
                summed.contains(field) ? Double(value).map { .number($0) } ?? .text(value) : .text(value)
        }
        let now = clock.now
        let batch = Batch(
            app: plan.app.name.text, purpose: purpose.name.text, window: purpose.rotation.window(at: now).value,
            id: purpose.hasIdentifiers ? "trial" : nil,
            events: [.init(event: event.text, at: Instant.text(now), fields: scalars)])
        return ByteBuffer(bytes: try JSONEncoder().encode(batch))
    }

    private static func outcomes(
        of event: PreviewAnswer.Event, plan: Plan, purpose: Purpose, in language: Language
    ) -> [LabelTrial.Outcome] {
        let title = language.say(.trialNothingFor, ["purpose": purpose.name.text])
        if let reason = event.refused { return [nothing(title, words(for: reason, in: language))] }
        if event.counted.isEmpty { return [nothing(title, language.say(.trialNoStep))] }
        return event.counted.compactMap { tuple in
            guard let metric = plan.metric(MetricName(tuple.metric)) else { return nil }
            let buckets = plan.cubeDimensions(of: metric).compactMap { dimension in
                tuple.buckets[dimension.name.text].map { LabelTrial.Remain(name: dimension.title, value: $0) }
            }
            let sums = metric.sums.compactMap { sum in
                tuple.sums[sum.name].map {
                    LabelTrial.Remain(name: sum.name, value: Wording(language).amount(sum.quantum(of: $0), of: sum))
                }
            }
            let text = language.say(
                .trialCounted,
                [
                    "period": tuple.period, "isAsked": purpose.needsConsent, "isWithin": metric.within != nil,
                ])
            let title = language.say(.trialMetric, ["title": metric.title])
            return LabelTrial.Outcome(title: title, text: text, remains: buckets + sums)
        }
    }

    private static func nothing(_ title: String, _ text: String) -> LabelTrial.Outcome {
        LabelTrial.Outcome(title: title, text: text, remains: [])
    }

    private static func words(for reason: RefusalReason, in language: Language) -> String {
        language.say(.trialRefused, ["reason": reason.rawValue])
    }
}

extension Wording {
    /// Returns a number of a sum's smallest units with its unit: "24.90 EUR".
    func amount(_ units: Int64, of sum: SumMeasure) -> String {
        amount(Decimals(units, shiftedBy: sum.decimals, over: 1, places: sum.decimals), unit: sum.unit)
    }
}
