internal import ThrongWire

extension PlanComparison {
    mutating func compareRelays() {
        guard let before = old.app.relay, let now = new.app.relay, before != now else { return }
        note(.widens, .app, "the relay \(now.host) sees addresses, no longer \(before.host)")
    }

    /// Notes that values can be guessed, or can't any more, and that they are learned anew.
    mutating func compareEvaluators() {
        let (before, now) = (old.app.evaluator, new.app.evaluator)
        guard before != now else { return }
        guard let now else {
            return note(
                .widens, .app,
                "nobody evaluates values any more: whoever runs the daemon can try guesses against hashes")
        }
        guard let before else {
            let change = "values are evaluated by \(now.url.host) before they are hashed"
            return note(.tightens, .app, "\(change); plain hashes count as other from the start on")
        }
        if before.url != now.url {
            note(.widens, .app, "the evaluator \(now.url.host) sees addresses, no longer \(before.url.host)")
        }
        if before.key != now.key {
            note(
                .runs, .app,
                "the evaluator has another key: labels count again once enough devices with this plan have sent them")
        }
    }

    mutating func compareTransports(_ now: Purpose, _ before: Purpose, _ part: Part) {
        guard before.transport != now.transport else { return }
        note(
            part, isLess: now.transport == .oblivious,
            "goes through the relay, so that the daemon sees no address; what comes directly is refused from the start on",
            else: "goes to the daemon directly, which sees the address")
    }
}
