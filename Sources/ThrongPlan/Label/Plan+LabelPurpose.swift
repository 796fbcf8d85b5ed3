internal import ThrongWire

extension Plan {
    /// Returns what the public is told of a purpose as a whole, by topic.
    func facts(of purpose: Purpose) -> [PrivacyLabel.Fact] {
        // No software says by itself how old somebody is.
        let names: [OptOutSignal: String] = [
            .globalPrivacyControl: "Global Privacy Control", .doNotTrack: "Do Not Track",
            .limitAdTracking: "Limit Ad Tracking",
        ]
        let signals = OptOutSignal.allCases.filter(purpose.refusedBy.contains).compactMap { names[$0] }
        return PrivacyLabel.Fact.all([
            ("Consent", "", consentText(of: purpose)), ("Used for", "Used for: ", purpose.use.map { $0.words + "." }),
            (
                "Signals", "",
                signals.isEmpty
                    ? nil : "Nothing is counted where your software sends \(signals.joined(separator: " or "))."
            ),
            ("Children", "", childrenText(of: purpose)), ("Code", "", codeText(of: purpose)),
            ("Proof", "", proofText(of: purpose)), ("Way", "", transportText(of: purpose)),
            ("Taken back", "", purpose.hasIdentifiers ? withdrawalText(of: purpose) : nil),
            ("Kept", "", keptText(of: purpose)),
        ])
    }

    private func codeText(of purpose: Purpose) -> String {
        let isServed = purpose.senders == .backends
        guard purpose.hasIdentifiers else {
            return """
                \(isServed ? "No code of your device is sent" : "Your device sends no code"): a value is sent, and a count goes up. \
                How many devices there were is not known. Nothing that was sent can be told apart, so nothing of it can be taken back.
                """
        }
        return """
            \(isServed ? "Servers send a random code for you" : "Your device sends a random code"), another one every \
            \(purpose.rotation.spoken) and for every purpose. One code counts as one \
            \(purpose.unit == .device ? "device" : "visit: who stays longer counts again").\
            \(isServed || purpose.needsProof ? "" : " On the web each tab has its own.") The code is scrambled on arrival. The key \
            to it is destroyed about \(Duration.seconds(purpose.rotation.seconds * 2).planText) after the code\u{2019}s start, or \
            later if the database is out of reach.
            """
    }

    private func proofText(of purpose: Purpose) -> String {
        let proved =
            "Only devices that prove to be one count for how large a group is. The proof says that there is one, and not which."
        let proof =
            purpose.hasIdentifiers
            ? "Nobody checks the codes: whoever makes some up can make a group look larger than it is."
            : "Nobody checks if what is sent has really happened."
        return (purpose.senders == .backends ? "Only servers of \(app.title) that show a secret may send. " : "")
            + (purpose.needsProof ? proved : proof)
            + (purpose.floorPerNetwork.map { " Of one network at most \($0) count for how large a group is." } ?? "")
    }

    /// Returns what somebody can expect who says no later; the daemon's `POST /v1/withdraw` does it.
    private func withdrawalText(of purpose: Purpose) -> String {
        let codes = "what came with your newest code and with the one before"
        let proves = metrics.contains { $0.purpose == purpose.name && $0.provesFirsts }
        return """
            If you say no later, \
            \(purpose.senders == .backends ? "those servers can take back \(codes)" : "\(codes) is taken out of the counts"). What is in \
            published numbers by then stays\(proves ? ", and so do your proofs" : ""). So do older counts, as nobody can tell which \
            are yours.
            """
    }

    private func keptText(of purpose: Purpose) -> String {
        let isGiven = labelledRecipients(of: metrics.filter { $0.purpose == purpose.name }).count > 1
        return """
            Published numbers are kept for \(purpose.retention.planText) here\
            \(isGiven ? "; who was given a report may keep it longer" : ""). \(Self.countsText)
            """
    }
}

extension Rotation {
    /// The length as in "every day": "day" rather than "1 day".
    var spoken: String { Duration.seconds(seconds).planText.replacing(/^1\s/, with: "") }
}
