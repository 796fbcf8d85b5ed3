internal import ThrongPlan
internal import ThrongWire

extension Query {
    static func selectLabels(app: AppName) -> RowQuery<LearnedLabel> {
        RowQuery("revealed_label.select", PackageResources.revealed_label_select_sql, app) {
            (dimension, slot, label, isRetired, key: String?, output: String?) in
            var evaluated: EvaluatedLabel?
            if let key = key.flatMap({ EvaluatorKey(text: $0.utf8) }),
                let output = output.flatMap({ EvaluatedOutput(text: $0.utf8) })
            {
                evaluated = EvaluatedLabel(evaluator: key, output: output)
            }
            return LearnedLabel(
                dimension: dimension, slot: slot, label: label, isRetired: isRetired, evaluated: evaluated)
        }
    }

    static func evaluateLabel(
        app: AppName, dimension: DimensionName, label: BucketLabel, evaluated: EvaluatedLabel
    ) -> Statement {
        Statement(
            "revealed_label.evaluate", PackageResources.revealed_label_evaluate_sql,
            app, dimension, label, evaluated.evaluator.description, evaluated.output.description)
    }

    static func learnLabel(app: AppName, dimension: DimensionName, most: Int, label: BucketLabel) -> RowQuery<Int?> {
        RowQuery("revealed_label.learn", PackageResources.revealed_label_learn_sql, app, dimension, most, label)
    }

    static func restoreLabel(app: AppName, lost: LearnedLabel) -> RowQuery<Bool> {
        RowQuery(
            "revealed_label.restore", PackageResources.revealed_label_restore_sql,
            app, lost.dimension, lost.slot, lost.label)
    }

    static func notePublishedLabels(app: AppName, dimension: DimensionName, slots: [Int]) -> Statement {
        Statement("revealed_label.publish", PackageResources.revealed_label_publish_sql, app, dimension, slots)
    }

    static func retireLabels(
        app: AppName, dimension: DimensionName, before: UnixSeconds, now: UnixSeconds
    ) -> Statement {
        Statement("revealed_label.retire", PackageResources.revealed_label_retire_sql, app, dimension, before, now)
    }

    /// Deletes labels that were retired so long ago that their slots can be given to others.
    static func deleteLabels(app: AppName, before: UnixSeconds) -> Statement {
        Statement("revealed_label.delete", PackageResources.revealed_label_delete_sql, app, before)
    }
}
