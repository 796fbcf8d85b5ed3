internal import ThrongPlan
internal import ThrongWire

/// All labels of an app, by dimension and slot.
struct SelectLabels: RowQuery {
    static let text = Query("revealed_label.select", PackageResources.revealed_label_select_sql)

    let app: AppName

    var parameters: [Parameter] { [.text(app.text)] }

    func row(_ columns: inout RowReader) throws -> LearnedLabel {
        let (dimension, slot) = (DimensionName(try columns.text()), try columns.int())
        let (label, isRetired) = (BucketLabel(try columns.text()), try columns.flag())
        let (key, output) = (try columns.optionalText(), try columns.optionalText())
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

/// Notes an evaluator's output for a label.
struct EvaluateLabel: Command {
    static let text = Query("revealed_label.evaluate", PackageResources.revealed_label_evaluate_sql)

    let app: AppName
    let dimension: DimensionName
    let label: BucketLabel
    let evaluated: EvaluatedLabel

    var parameters: [Parameter] {
        [
            .text(app.text), .text(dimension.text), .text(label.text), .text(evaluated.evaluator.description),
            .text(evaluated.output.description),
        ]
    }
}

/// Gives a label a slot and returns it, or the one that it has; nil where every slot is taken.
struct LearnLabel: RowQuery {
    static let text = Query("revealed_label.learn", PackageResources.revealed_label_learn_sql)

    let app: AppName
    let dimension: DimensionName
    /// The number of slots of the dimension.
    let most: Int
    let label: BucketLabel

    var parameters: [Parameter] {
        [.text(app.text), .text(dimension.text), .integer(Int64(most)), .text(label.text)]
    }

    func row(_ columns: inout RowReader) throws -> Int? { try columns.optionalInteger().map { Int($0) } }
}

/// Restores a label that the database has lost; false if its slot has another one.
struct RestoreLabel: RowQuery {
    static let text = Query("revealed_label.restore", PackageResources.revealed_label_restore_sql)

    let app: AppName
    let lost: LearnedLabel

    var parameters: [Parameter] {
        [.text(app.text), .text(lost.dimension.text), .integer(Int64(lost.slot)), .text(lost.label.text)]
    }

    func row(_ columns: inout RowReader) throws -> Bool { try columns.flag() }
}

/// Notes, once a day, that numbers of these slots were published.
struct NotePublishedLabels: Command {
    static let text = Query("revealed_label.publish", PackageResources.revealed_label_publish_sql)

    let app: AppName
    let dimension: DimensionName
    let slots: [Int]

    var parameters: [Parameter] {
        [.text(app.text), .text(dimension.text), .integers(slots.map(Int64.init))]
    }
}

/// Retires the labels that no number was published of since an instant.
struct RetireLabels: Command {
    static let text = Query("revealed_label.retire", PackageResources.revealed_label_retire_sql)

    let app: AppName
    let dimension: DimensionName
    /// The last publication of labels that are retired.
    let before: UnixSeconds
    let now: UnixSeconds

    var parameters: [Parameter] {
        [.text(app.text), .text(dimension.text), .instant(before), .instant(now)]
    }
}

/// Deletes labels that were retired so long ago that their slots can be given to others.
struct DeleteLabels: Command {
    static let text = Query("revealed_label.delete", PackageResources.revealed_label_delete_sql)

    let app: AppName
    /// The latest retirement of labels that are deleted.
    let before: UnixSeconds

    var parameters: [Parameter] { [.text(app.text), .instant(before)] }
}
