extension PrivacyLabel {
    /// The label as plain text that also reads as Markdown; no line is longer than 100 columns unless one word is.
    package var text: String {
        var label = LabelText()
        label.heading(1, title)
        label.paragraph(lede)
        for promise in promises { label.item(promise) }
        label.item("Questions: \(contact)")
        for purpose in purposes {
            label.heading(2, "Purpose: \(purpose.name)")
            label.paragraph(purpose.explanation)
            for fact in purpose.facts { label.item(fact.sentence) }
            for metric in purpose.metrics {
                label.heading(3, metric.title)
                label.paragraph(metric.question)
                for fact in metric.facts { label.item(fact.sentence) }
            }
        }
        if !dimensions.isEmpty {
            label.heading(2, "How coarsely")
            label.paragraph(Self.coarsening)
            for dimension in dimensions { label.item("\(dimension.title), \(dimension.source): \(dimension.summary)") }
        }
        label.heading(2, "Who receives numbers")
        for recipient in recipients {
            label.item(recipient.insights.isEmpty ? recipient.title : "\(recipient.title):")
            for insight in recipient.insights { label.item(insight, depth: 1) }
        }
        label.gap()
        label.paragraph("Plan \(plan), days in \(timeZone).")
        return label.text.replacing(/\n+$/, with: "\n")
    }

    /// What the list of dimensions means.
    package static let coarsening = "Each of these is reduced to one of the listed words before anything is stored."
}
