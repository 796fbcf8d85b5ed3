internal import ThrongPlan
internal import ThrongReport
package import ThrongStore

extension RetentionProof {
    /// The proof for people, as Markdown. Names come from plans: what could mark something up is written so that it does not.
    var page: String {
        var lines = [
            "# What age took", "",
            """
            Released numbers and all that they were made from go at the ages that were promised when they were counted. This page \
            says what went, each entry with a digest over all before it, what goes next, and what is there. It has none of the \
            numbers.
            """, "", "Made at \(Instant.text(made)), \(key.map { "signed with key \($0)" } ?? "signed by nobody").", "",
            broken.map { "**The chain is broken at entry \($0): it, or one before it, is not what was written.**" }
                ?? "The chain of deletions holds: \(entries(head.place)), the last digest is `\(head.digest.lowerHex)`.",
            overdue == 0 ? "Nothing is overdue." : "**\(Wording.english.count(overdue, "promise")) overdue.**", "",
            "## What went", "",
        ]
        if from != nil || to != nil {
            let (start, end) = (from.map { "from \(Instant.text($0))" }, to.map { "before \(Instant.text($0))" })
            lines += ["Only what went \([start, end].compactMap(\.self).joined(separator: ", ")).", ""]
        }
        lines += table(
            ["entry", "when it went", "app", "went", "by which promise", "covers"],
            rows: entries.map { entry in
                [
                    "\(entry.place)", Instant.text(entry.taken), entry.appWords, entry.words, entry.term,
                    entry.period?.spanWords ?? "no period",
                ]
            }, empty: "Nothing.")
        lines += ["## What goes next of released numbers", ""]
        lines += table(
            ["when", "app", "metric", "by which promise", "releases", ""],
            rows: standing.due.map { due in
                [
                    Instant.text(due.at), due.app.text, due.metric.text, due.term,
                    Wording.english.number(Int(due.releases)), due.isOverdue(at: made) ? "overdue" : "",
                ]
            }, empty: "Nothing that was released is left to be taken.")
        lines += ["## What is there besides", ""]
        lines += table(
            ["app", "is there", "covers", "goes"],
            rows: standing.held.map { held in
                [
                    held.app == "*" ? "all apps" : held.app, DeletionWords.text(held.rows, held.kind, held.subject),
                    held.period?.spanWords ?? "not said", held.due.map { Instant.text($0) } ?? "with what it serves",
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

extension DeletionEntry {
    /// "1 counter of the table throng.counter_day": the amount, the kind and the subject.
    package var words: String { DeletionWords.text(rows, kind, subject) }

    package var appWords: String { app == "*" ? "all apps" : app }
}

extension Range<UnixSeconds> {
    /// "one hour, from 2026-11-21T10:00:00Z to 2026-11-21T11:00:00Z".
    package var spanWords: String {
        let length = Language.english.duration(seconds: upperBound.value - lowerBound.value)
        return "\(length), from \(Instant.text(lowerBound)) to \(Instant.text(upperBound))"
    }
}

/// The words of the ledger for somebody who knows none of its kinds.
private enum DeletionWords {
    /// One and several of each kind, and what their subject is.
    private static let nouns: [String: (one: String, many: String, of: String)] = [
        "numbers": ("released number", "released numbers", "the metric"),
        "counters": ("counter", "counters", "the table"), "questions": ("question", "questions", ""),
        "files": ("file", "files", "the report"), "copies": ("copied file", "copied files", "the report"),
        "coverage": ("hour of totals", "hours of totals", "all"),
        "labels": ("learned value", "learned values", "the dimension"), "records": ("record", "records", ""),
        "backups": ("backup key", "backup keys", ""), "open periods": ("open period", "open periods", "the metric"),
    ]

    /// "1 counter of the table throng.counter_day"; nil rows are those that nobody counts.
    static func text(_ rows: Int64?, _ kind: String, _ subject: String) -> String {
        let noun = nouns[kind] ?? (kind, kind, "")
        let amount = rows.map { "\(Wording.english.number(Int($0))) \($0 == 1 ? noun.one : noun.many)" } ?? noun.many
        let of = subject == "everything" || noun.of.isEmpty ? "" : noun.of + " "
        return "\(amount) of \(of)\(subject)"
    }
}
