internal import ThrongReport
internal import ThrongStore
internal import ThrongWire

extension RetentionProof {
    /// The proof for people, as Markdown. Names come from plans: what could mark something up is written so that it does not.
    var page: String {
        var lines = [
            "# What age took", "",
            "Made at \(Instant.text(made)), \(key.map { "signed with key \($0)" } ?? "signed by nobody").", "",
            broken.map { "**The chain is broken at entry \($0): it, or one before it, is not what was written.**" }
                ?? "The chain of deletions holds: \(entries(head.place)), the last digest is `\(head.digest.lowerHex)`.",
            overdue == 0
                ? "Nothing is overdue." : "**\(Wording.english.count(overdue, "promise")) overdue.**", "",
            "## What went", "",
        ]
        if from != nil || to != nil {
            let (start, end) = (from.map { "from \(Instant.text($0))" }, to.map { "before \(Instant.text($0))" })
            lines += ["Only what went \([start, end].compactMap(\.self).joined(separator: ", ")).", ""]
        }
        lines += table(
            ["entry", "when", "app", "what", "by which term", "of", "rows"],
            rows: entries.map { entry in
                [
                    "\(entry.place)", Instant.text(entry.taken), entry.app, "\(entry.kind) of \(entry.subject)",
                    entry.term, span(entry.period), Wording.english.number(Int(entry.rows)),
                ]
            }, empty: "Nothing.")
        lines += ["## What goes next of released numbers", ""]
        lines += table(
            ["when", "app", "metric", "by which term", "releases", ""],
            rows: standing.due.map { due in
                [
                    Instant.text(due.at), due.app.text, due.metric.text, due.term,
                    Wording.english.number(Int(due.releases)), due.isOverdue(at: made) ? "overdue" : "",
                ]
            }, empty: "Nothing that was released is left to be taken.")
        lines += ["## What is there besides", ""]
        lines += table(
            ["app", "what", "rows", "of", "goes"],
            rows: standing.held.map { held in
                [
                    held.app, "\(held.kind) of \(held.subject)",
                    held.rows.map { Wording.english.number(Int($0)) } ?? "not counted", span(held.period),
                    held.due.map { Instant.text($0) } ?? "with what it serves",
                ]
            }, empty: "Nothing.")
        lines += ["## What was promised", ""]
        lines += table(
            ["app", "metric", "promise", "steps", "counted for", "received by"],
            rows: standing.promises.map { promise in
                [
                    promise.app.text, promise.metric.text,
                    promise.until.map { "until \(Instant.text($0))" } ?? "in force",
                    promise.steps.joined(separator: "; "), promise.explanation ?? "not kept",
                    promise.recipients.map { $0.isEmpty ? "nobody" : $0.map(\.text).joined(separator: ", ") }
                        ?? "not kept",
                ]
            }, empty: "Nothing.")
        return lines.joined(separator: "\n")
    }

    private func entries(_ count: Int64) -> String {
        count == 1 ? "1 entry" : "\(Wording.english.number(Int(count))) entries"
    }

    private func span(_ period: Range<UnixSeconds>?) -> String {
        period.map { "\(Instant.text($0.lowerBound)) to \(Instant.text($0.upperBound))" } ?? ""
    }

    private func table(_ head: [String], rows: [[String]], empty: String) -> [String] {
        guard !rows.isEmpty else { return [empty, ""] }
        let divider = "|" + String(repeating: "---|", count: head.count)
        return ["| \(head.joined(separator: " | ")) |", divider]
            + rows.map { "| \($0.map(plain).joined(separator: " | ")) |" } + [""]
    }

    /// Text that marks nothing up.
    private func plain(_ text: String) -> String {
        text.printable.reduce(into: "") { result, letter in
            if "\\`*_{}[]<>()#+!|~&".contains(letter) { result += "\\" }
            result.append(letter)
        }
    }
}
