extension PrivacyLabel {
    /// The label as plain text that also reads as Markdown; no line is longer than 100 columns unless one word is.
    package var text: String {
        var label = LabelText()
        label.heading(1, title)
        label.paragraph(lede)
        for promise in promises { label.item(promise) }
        label.item(language.say(.questions, ["contact": contact]))
        for purpose in purposes {
            label.heading(2, language.say(.labelPurpose, ["purpose": purpose.name.text]))
            label.paragraph(purpose.explanation)
            for fact in purpose.facts { label.item(fact.sentence) }
            for metric in purpose.metrics {
                label.heading(3, metric.title)
                label.paragraph(metric.question)
                for fact in metric.facts { label.item(fact.sentence) }
            }
        }
        label.heading(2, language.say(.labelCoarsely))
        label.paragraph(coarsening)
        for dimension in dimensions { label.item("\(dimension.title), \(dimension.source): \(dimension.summary)") }
        label.heading(2, language.say(.labelRecipients))
        for recipient in recipients {
            label.item(recipient.insights.isEmpty ? recipient.title : "\(recipient.title):")
            for insight in recipient.insights { label.item(insight, depth: 1) }
        }
        label.heading(2, language.say(.labelRightsTitle))
        for right in rights { label.item(right) }
        label.gap()
        label.paragraph(language.say(.labelPlan, ["plan": plan, "timeZone": timeZone]))
        return label.text.replacing(/\n+$/, with: "\n")
    }

    package var coarsening: String { language.say(dimensions.isEmpty ? .labelUnsplit : .labelCoarsening) }
}

/// Plain text in lines of at most 100 columns, which also reads as Markdown.
struct LabelText {
    /// Longest line. Unit: characters.
    static let width = 100
    private var lines: [String] = []

    /// The text with a line feed at its end.
    var text: String { lines.joined(separator: "\n") + "\n" }

    /// A heading with an empty line around it.
    mutating func heading(_ level: Int, _ title: String) {
        if !lines.isEmpty { gap() }
        add(title, first: String(repeating: "#", count: level) + " ", rest: "  ")
        gap()
    }

    mutating func paragraph(_ text: String) {
        add(text, first: "", rest: "")
        gap()
    }

    mutating func item(_ text: String, depth: Int = 0) {
        let indent = String(repeating: "  ", count: depth)
        add(text, first: "\(indent)- ", rest: "\(indent)  ")
    }

    mutating func gap() {
        if lines.last != "" { lines.append("") }
    }

    private mutating func add(_ text: String, first: String, rest: String) {
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > Self.width {
                lines.append(line)
                line = rest
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        lines.append(line)
    }
}
