internal import Synchronization
internal import ThrongIngest
internal import ThrongPlan
internal import ThrongWire

extension Ingestion {
    /// Returns what a body would add, event by event; nothing is counted and nothing is kept.
    func preview(_ body: UnpackedBody, signals: Set<OptOutSignal>) throws(IntakeError) -> PreviewAnswer {
        let now = clock.now
        let outcome = try body.read { bytes throws(IntakeError) in
            try intake.read(bytes, signals: signals, now: now, use: .preview)
        }
        switch outcome {
        case .optedOut(let answer, _, _), .consentOutdated(let answer, _), .keptApart(let answer):
            return PreviewAnswer(
                events: answer.refused.map { .init(index: $0.index, counted: [], refused: $0.reason) })
        case .batch(let incoming):
            let batch = incoming.bucketed
            try checkSize(of: batch)
            var trial = state.withLock { $0.forPreview() }
            guard let events = trial.preview(batch, now: now) else {
                throw .windowOutOfRange(current: batch.window.rotation.window(at: now).value)
            }
            let refused = events.enumerated().compactMap { index, event in
                event.refused.map { BatchAnswer.Refusal(index: index, reason: $0) }
            }
            var explained = incoming.explained(refused)[...]
            return PreviewAnswer(
                events: events.enumerated().map { index, event in
                    .init(
                        index: index, counted: event.additions.map { tuple(of: $0, in: trial.space) },
                        refused: event.refused, detail: event.refused == nil ? nil : explained.removeFirst().detail)
                })
        }
    }

    private func tuple(of addition: CountedBatch.Addition, in space: CellSpace) -> PreviewAnswer.Tuple {
        let layout = space.layouts[addition.metric]
        let leaf = layout.buckets(of: addition.cell, in: layout.leaf)
        let kept = layout.dimensions.indices.filter { layout.leaf.keeps($0) }
        return PreviewAnswer.Tuple(
            metric: layout.metric.text,
            buckets: Dictionary(
                uniqueKeysWithValues: zip(kept, leaf).map { place, bucket in
                    let dimension = layout.dimensions[place]
                    let label = intake.vocabulary.name(of: bucket, in: dimension, app: layout.app)
                    return (dimension.name.text, label.text)
                }),
            period: space.label(ofPeriod: addition.periodStart, of: addition.metric),
            count: addition.count,
            sums: Dictionary(
                uniqueKeysWithValues: zip(layout.sums, addition.sums).map { ($0.name, Double($1) / $0.scale) }))
    }
}
