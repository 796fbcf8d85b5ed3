internal import ThrongWire

extension PlanComparison {
    mutating func compareRelays() {
        guard let before = old.app.relay, let now = new.app.relay, before != now else { return }
        note(.widens, "app", "the relay \(now.host) sees addresses, no longer \(before.host)")
    }

    /// Notes that values can be guessed, or can't any more, and that they are learned anew.
    mutating func compareEvaluators() {
        let (before, now) = (old.app.evaluator, new.app.evaluator)
        guard before != now else { return }
        guard let now else {
            note(
                .widens, "app",
                "nobody evaluates values any more: whoever runs the daemon can try guesses against hashes")
            return
        }
        guard let before else {
            note(
                .tightens, "app",
                "values are evaluated by \(now.url.host) before they are hashed; plain hashes count as other from the start on"
            )
            return
        }
        if before.url != now.url {
            note(.widens, "app", "the evaluator \(now.url.host) sees addresses, no longer \(before.url.host)")
        }
        if before.key != now.key {
            note(
                .runs, "app",
                "the evaluator has another key: labels count again once enough devices with this plan have sent them"
            )
        }
    }

    mutating func compareTransports(_ now: Purpose, _ before: Purpose, _ subject: String) {
        guard before.transport != now.transport else { return }
        let isOblivious = now.transport == .oblivious
        note(
            isOblivious ? .tightens : .widens, subject,
            isOblivious
                ? "goes through the relay, so that the daemon sees no address; what comes directly is refused from the start on"
                : "goes to the daemon directly, which sees the address", purpose: now.name)
    }
}
