import Foundation
import ThrongAttestation
import ThrongIngest
import ThrongPlan
import ThrongWire

/// Bodies of firsts. What was read lies in the plan and in a period that is open, its proof is about something, and written again it
/// is the same; it does not matter how it came, and who opted out proves nothing.
struct FirstTarget: FuzzTarget {
    private let plan: ProvingPlan

    init() throws { plan = try ProvingPlan() }

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        let sealed = reading(bytes, isSealed: true)
        switch (sealed, reading(bytes, isSealed: false)) {
        case (.success(let one?), .success(let other?)):
            try FuzzFinding.check(Self.isSame(one, other), .twoReadings(what: "a first, sealed and not"))
        case (.failure(let one), .failure(let other)) where one == other: break
        case (_, .failure(.obliviousOnly)): break
        default: throw .twoReadings(what: "a first, sealed and not")
        }
        if case .success(.some) = reading(bytes, signals: [.globalPrivacyControl], isSealed: true) {
            throw .mismatch(what: "a first and an opt-out")
        }
        guard case .success(let first?) = sealed else { return }
        try Self.check(first)
        guard let written = Self.written(first), case .success(let again?) = reading(written, isSealed: true) else {
            throw .written(what: "a first")
        }
        try FuzzFinding.check(Self.isSame(first, again), .written(what: "a first"))
    }

    private static func check(_ first: IncomingFirst) throws(FuzzFinding) {
        let layout = first.layout
        guard let firsts = layout.provedFirsts else { throw .mismatch(what: "a first and a metric without any") }
        try FuzzFinding.check(
            firsts.margins.contains(first.margin) && first.cell.value < layout.size(of: first.margin)
                && !layout.isImpossible(first.cell, in: first.margin), .mismatch(what: "a first and its cell"))
        let period = first.period
        try FuzzFinding.check(
            firsts.periods.contains(period.kind) && period.start <= FuzzPlan.now
                && first.calendar.period(period.kind, containing: period.start) == period,
            .mismatch(what: "a first and its period"))
        let own = layout.dimensions.indices.filter(layout.apart(of: first.margin).keeps)
        try FuzzFinding.check(
            first.provedCell.keys.sorted() == own.map { layout.dimensions[$0].name }.sorted(),
            .mismatch(what: "a first and what is proved"))
        // As the daemon does before it looks at the proof, which is some bytes.
        do throws(AttestationError) {
            _ = try PresentationContext.first(
                in: first.provedCell, of: layout.metric, layout: first.name, period: period, app: layout.app)
        } catch {
            throw .mismatch(what: "a first and its context")
        }
        let presentation = { () -> Presentation? in
            // What is none proves nothing.
            do throws(AttestationError) { return try Presentation(rawRepresentation: first.proof) } catch { return nil }
        }()
        try FuzzFinding.check(
            presentation.map { $0.rawRepresentation == first.proof } ?? true, .written(what: "a proof"))
    }

    /// As a device writes it.
    private static func written(_ first: IncomingFirst) -> [UInt8]? {
        let kept = first.layout.dimensions.indices.filter(first.margin.keeps)
        var cell: [DimensionName: BucketLabel] = [:]
        for (place, bucket) in zip(kept, first.layout.buckets(of: first.cell, in: first.margin)) {
            cell[first.layout.dimensions[place].name] = first.layout.dimensions[place].labels[bucket]
        }
        let proved = ProvedFirst(
            app: first.layout.app, metric: first.layout.metric, period: first.period, cell: cell,
            proof: Base64URL.text(of: first.proof))
        // Nil is a finding.
        return (try? JSONEncoder().encode(proved)).map { Array($0) }
    }

    private static func isSame(_ one: IncomingFirst, _ other: IncomingFirst) -> Bool {
        one.layout == other.layout && one.name == other.name && one.period == other.period
            && one.margin == other.margin && one.cell == other.cell && one.proof == other.proof
    }

    private func reading(
        _ bytes: [UInt8], signals: Set<OptOutSignal> = [], isSealed: Bool
    ) -> Result<IncomingFirst?, IntakeError> {
        bytes.withUnsafeBufferPointer { buffer in
            do throws(IntakeError) {
                return .success(
                    try plan.intake.readFirst(buffer, signals: signals, now: FuzzPlan.now, isSealed: isSealed))
            } catch {
                return .failure(error)
            }
        }
    }
}
