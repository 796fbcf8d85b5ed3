@testable import ThrongPlan

/// A form that sentences of a label may have, and the question whether one of them is true of a plan. Nothing here asks the
/// label's own writers.
struct LabelClaim {
    let pattern: String
    let isTrue: (Subject, [String]) -> Bool

    /// The plan, and the part of it that a sentence is about.
    struct Subject {
        let plan: Plan
        var purpose: Purpose?
        var metric: Metric?

        var isRotating: Bool { purpose?.identifier == .rotating }
        var isServed: Bool { purpose?.senders == .backends }
        var rotation: Int64 { purpose?.rotation.seconds ?? 0 }
        /// The word for one of what is counted: what has a code for a day is a device.
        var noun: String { !isRotating ? "action" : rotation == 86_400 ? "device" : "visit" }
        /// The words for what is counted in any purpose.
        var nouns: Set<String> { Set(plan.purposes.map { Subject(plan: plan, purpose: $0).noun + "s" }) }
        /// The margin that `plan check` prints of the metric, largest of its groupings.
        func printed(_ word: String) -> Double {
            let lines = plan.marginLines().map(\.text).filter { $0.contains("'\(metric?.name.text ?? "")'") }
            let margins = lines.compactMap { $0.firstMatch(of: /, each [^:]*: ([^;]*)/)?.output.1 }
            let numbers = margins.flatMap { $0.matches(of: /([0-9]+) ([a-z]+)/) }.filter { $0.output.2 == word }
            return numbers.compactMap { Double($0.output.1) }.max() ?? 0
        }
        /// True if a report shows numbers of the purpose.
        var isReported: Bool {
            plan.reports.flatMap(\.insights).contains { name in
                plan.metrics.contains { $0.name == plan.insight(name)?.metric && $0.purpose == purpose?.name }
            }
        }
    }

    /// Returns the groups if the whole sentence has the form.
    func groups(in sentence: String) throws -> [String]? {
        try Regex(pattern).wholeMatch(in: sentence).map { match in
            match.output.indices.dropFirst().map { match.output[$0].substring.map(String.init) ?? "" }
        }
    }

    /// "15 minutes", "day", "one day" or "2 days". Unit: seconds.
    static func seconds(_ text: String) -> Int64 {
        let parts = text.split(separator: " ")
        let units: [String: Int64] = ["second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800]
        let unit = String(parts.last ?? "")
        return (parts.count > 1 ? Int64(parts[0]) ?? (parts[0] == "one" ? 1 : -1) : 1)
            * (units[unit.hasSuffix("s") ? String(unit.dropLast()) : unit] ?? -1)
    }

    static func isNear(_ text: String, _ number: Double) -> Bool {
        guard let said = Double(text) else { return false }
        return abs(said - number) <= 1 + number * 0.05
    }

    private struct Claims {
        var all: [LabelClaim] = []

        mutating func add(_ pattern: String, _ isTrue: @escaping (Subject, [String]) -> Bool) {
            all.append(LabelClaim(pattern: pattern, isTrue: isTrue))
        }
    }

    // MARK: Of an app

    static var ofApp: [LabelClaim] {
        var claims = Claims()
        claims.add(#"Every published number stands for at least (\d+) ([a-z]+)(?: or ([a-z]+))?"#) { subject, groups in
            Int64(groups[0]) == subject.plan.app.threshold.devices
                && Set(groups[1...].filter { !$0.isEmpty }) == subject.nouns.subtracting(["actions"])
        }
        claims.add(
            #"Every published number stands for at least (\d+) actions, and of how many devices they are nobody knows"#
        ) {
            Int64($1[0]) == $0.plan.app.threshold.devices && $0.nouns == ["actions"]
        }
        claims.add(#"Where no code is sent it is (\d+) actions, and of how many devices they are nobody knows"#) {
            Int64($1[0]) == $0.plan.app.threshold.devices && $0.nouns.contains("actions") && $0.nouns.count > 1
        }
        claims.add("Smaller ones are left out") { _, _ in true }
        claims.add(
            "Every published number is off on purpose, so that nothing about a few devices .*|By how much is said below"
        ) { _, _ in true }
        claims.add(
            "Nobody can tell afterwards which counts are yours|So they can’t be shown to you, put right or deleted one by one .*"
        ) { _, _ in true }
        claims.add(
            #"You may complain to your .* authority \(Art\. 77 GDPR\)|Only what this page lists is counted, and only as .*"#
        ) { _, _ in true }
        claims.add("(.*) is made for children: nothing is counted for marketing") { subject, _ in
            subject.plan.app.directedTo == .children && subject.plan.purposes.allSatisfy { $0.use != .marketing }
        }
        claims.add("No code(?: of theirs)? is known again after the app was closed, or lasts for longer than (.*)") {
            subject, groups in
            subject.plan.app.directedTo != .general
                && subject.plan.purposes.filter { !$0.refusedBy.contains(.ageSignal) }
                    .allSatisfy { $0.rotation.seconds <= seconds(groups[0]) }
                && subject.plan.metrics.allSatisfy { !$0.countsFirsts && !$0.provesFirsts && $0.answered == nil }
        }
        claims.add("No word is kept that this page does not list") { subject, _ in
            !subject.plan.dimensions.contains(where: \.isRevealed)
        }
        claims.add(
            "Children may use (.*)|Until it is known that you are .*|Then only the purposes below .*|None of them is for marketing"
        ) { subject, _ in
            subject.plan.app.directedTo == .mixed
        }
        return claims.all
    }

    /// Rights, and the steps from an act to a number.
    static var ofRights: [LabelClaim] {
        var claims = Claims()
        claims.add(#"You may still ask (.*) what is kept of you \(Art\. 15 GDPR\)|No count can be found by a name, .*"#)
        {
            ["", $0.plan.app.contact].contains($1[0])
        }
        claims.add("Where you are asked first, you can say no, .*") { subject, _ in
            subject.plan.purposes.contains { $0.needsConsent }
        }
        claims.add("Where a purpose names a signal of your software below, that signal stops it") { subject, _ in
            let label = subject.plan.label(today: SamplePlan.today)
            return label.purposes.flatMap(\.facts).contains { $0.topic == "Signals" }
        }
        claims.add("(Your device|A server|Your device or a server) says what was done") { subject, groups in
            let senders = Set(subject.plan.purposes.map(\.senders))
            return groups[0].hasPrefix("Your device") == senders.contains(.anybody)
                && groups[0].hasSuffix("server") == senders.contains(.backends)
        }
        claims.add("Of that only what this page lists is left") { subject, _ in
            subject.plan.metrics.contains { metric in
                !metric.dimensions.isEmpty || !metric.sums.isEmpty || metric.histogram != nil || metric.answered != nil
                    || metric.steps.contains { !$0.filters.isEmpty }
            }
        }
        claims.add("Only that it was done is taken") { subject, _ in
            subject.plan.metrics.allSatisfy { $0.dimensions.isEmpty && $0.sums.isEmpty && $0.histogram == nil }
        }
        claims.add("The rest is dropped|It is added to a count|By itself it is not kept|Later a number is made of .*") {
            _, _ in true
        }
        claims.add(#"It is shown only if at least (\d+) (.*) are behind it"#) { subject, groups in
            let said = groups[1].split { !$0.isLetter }.map(String.init).filter { $0 != "or" }
            return Int64(groups[0]) == subject.plan.app.threshold.devices && Set(said) == subject.nouns
        }
        return claims.all + ofApp
    }

    // MARK: Of a purpose

    static var ofPurpose: [LabelClaim] {
        var claims = Claims()
        claims.add("You are not asked first|The legal basis for that is not written here; ask (.*)") {
            subject, groups in
            subject.purpose?.needsConsent == false && ["", subject.plan.app.contact].contains(groups[0])
                && (groups[0].isEmpty || subject.purpose?.legalBasis == nil)
        }
        claims.add(#"The legal basis is (.*) \(Art\. 6\(1\)\(([b-f])\) GDPR\)"#) { subject, groups in
            let bases: [LegalBasis: [String]] = [
                .contract: ["a contract with you", "b"], .legalObligation: ["a duty by law", "c"],
                .vitalInterests: ["that it guards lives", "d"], .publicTask: ["a public task", "e"],
                .legitimateInterests: ["a legitimate interest", "f"],
            ]
            return subject.purpose?.needsConsent == false && subject.purpose?.legalBasis.flatMap { bases[$0] } == groups
        }
        claims.add(#"You may object to that \(Art\. 21 GDPR\): write to (.*)"#) { subject, groups in
            [.publicTask, .legitimateInterests].contains(subject.purpose?.legalBasis)
                && groups[0] == subject.plan.app.contact
        }
        claims.add(
            #"You are asked first|Your yes is the legal basis \(Art\. 6\(1\)\(a\) GDPR\), and can be taken back"#
        ) {
            subject, _ in
            subject.purpose?.needsConsent == true && subject.purpose?.needsParent == false
        }
        claims.add(
            #"A parent is asked first|You .* first; for a child, a parent is|That yes is the .* \(Art\. 6\(1\)\(a\) and 8 GDPR\), .*"#
        ) { subject, _ in
            subject.purpose?.needsParent == true
        }
        claims.add("Used for: (.*)") { subject, groups in
            (groups[0] == "marketing") == (subject.purpose?.use == .marketing) && subject.purpose?.use != nil
        }
        claims.add("Nothing is counted where your software sends (.*)") { subject, groups in
            groups[0].contains("Global Privacy") == subject.purpose?.refusedBy.contains(.globalPrivacyControl)
                && groups[0].contains("Do Not") == subject.purpose?.refusedBy.contains(.doNotTrack)
        }
        claims.add("Nobody is counted who is not known to be grown up") { subject, _ in
            subject.purpose?.refusedBy.contains(.ageSignal) == true
        }
        claims.add(#"Children are counted, too|Its numbers stand for at least (\d+) ([a-z]+)"#) { subject, groups in
            subject.plan.app.directedTo == .mixed && subject.purpose?.refusedBy.contains(.ageSignal) == false
                && (groups[0].isEmpty
                    || Int64(groups[0]) == 50 && groups[1] == subject.noun + "s"
                        && subject.plan.metrics.filter { $0.purpose == subject.purpose?.name }.allSatisfy {
                            $0.threshold.devices >= 50
                        })
        }
        claims.add(
            "(Your device sends|Servers send) a random code(?: for you)?, another one every (.*) and for every purpose"
        ) { subject, groups in
            subject.isRotating && (groups[0] == "Servers send") == subject.isServed
                && seconds(groups[1]) == subject.rotation
        }
        claims.add("One code counts as one device|One code counts as one (visit): who stays longer counts again") {
            subject, groups in
            subject.noun == (groups[0].isEmpty ? "device" : "visit")
        }
        claims.add("On the web each tab has its own") {
            $0.isRotating && !$0.isServed && $0.purpose?.floor == .any && $1.isEmpty
        }
        claims.add("The code is scrambled on arrival") { subject, _ in subject.isRotating }
        claims.add(
            "The key to it is destroyed about (.*) after the code’s start, or later if the database is out of reach"
        ) {
            // The second window after it begins is over then.
            $0.isRotating && seconds($1[0]) == 2 * $0.rotation
        }
        return claims.all + ofCodes
    }

    private static var ofCodes: [LabelClaim] {
        var claims = Claims()
        claims.add("(Your device sends no code|No code of your device is sent): a value is sent, and a count goes up") {
            !$0.isRotating && ($1[0].hasPrefix("No code")) == $0.isServed
        }
        claims.add(
            "How many devices there were is not known|Nothing that was sent can be told apart, so nothing of it can be taken back"
        ) { subject, _ in
            !subject.isRotating
        }
        claims.add("Only servers of (.*) that show a secret may send") { $0.isServed && $1[0] == $0.plan.app.title }
        claims.add(#"Of one network at most (\d+) count for how large a group is"#) {
            Int($1[0]) == $0.purpose?.floorPerNetwork
        }
        claims.add(
            "Only devices that prove to be one count for how large a group is|The proof says that there is one, and not which"
        ) { subject, _ in
            subject.purpose?.floor == .attested
        }
        claims.add("Nobody checks the codes: .*|(Nobody) checks if what is sent has really happened") {
            subject, groups in
            subject.purpose?.floor == .any && subject.isRotating == groups[0].isEmpty
        }
        claims.add("Your address is seen on arrival, and is not kept") { subject, _ in
            subject.purpose?.transport == .direct && !subject.isServed
        }
        claims.add(
            "Sealed on your device and sent through (.*), which knows .*|Nothing is taken that comes in another way"
        ) {
            subject, groups in
            subject.purpose?.transport == .oblivious && ["", subject.plan.app.relay?.host].contains(groups[0])
        }
        claims.add("If you say no later, (.*your newest code and with the one before.*)") { subject, groups in
            subject.isRotating && groups[0].hasPrefix("those servers can take back") == subject.isServed
        }
        claims.add("So do older counts, as nobody can tell which are yours") { subject, _ in subject.isRotating }
        claims.add("What is in published numbers by then stays(, and so do your proofs)?") { subject, groups in
            let proves = subject.plan.metrics.contains { $0.purpose == subject.purpose?.name && $0.provesFirsts }
            return subject.isRotating && groups[0].isEmpty != proves
        }
        claims.add("Published numbers are kept for (.*) here(; who was given a report may keep it longer)?") {
            subject, groups in
            seconds(groups[0]) == subject.purpose?.retention.components.seconds
                && groups[1].isEmpty != subject.isReported
        }
        claims.add(
            "The exact counts behind them, small ones too, go about a week after .*, and after some 400 days at the latest if none is"
        ) { _, _ in true }
        return claims.all
    }

    // MARK: Of a metric

    static var ofMetric: [LabelClaim] {
        var claims = Claims()
        claims.add(
            #"Counts, by (hour|day|week|month): ([a-z_, ]+); at most (\d+) (from one device a day|from one visit|at once)"#
        ) { subject, groups in
            guard let metric = subject.metric else { return false }
            let end = ["device": "from one device a day", "visit": "from one visit", "action": "at once"]
            return groups[0] == metric.period.rawValue && groups[1] == metric.events.map(\.text).joined(separator: ", ")
                && Int(groups[2]) == metric.contributionBound && groups[3] == end[subject.noun]
        }
        claims.add(
            "Counts, by [a-z]+: ([a-z]+), by how (often|far) each (?:did one of these|came) within (.*): (.*); each once"
        ) { subject, groups in
            groups[0] == subject.noun + "s" && seconds(groups[2]) == subject.rotation
                && (groups[1] == "far") == !(subject.metric?.steps.isEmpty ?? true)
                && (subject.metric?.events ?? []).allSatisfy { groups[3].contains($0.text) }
        }
        claims.add("For that the counting program keeps .*, until the code’s time is over|Then only the number is left")
        {
            subject, _ in
            subject.metric?.within != nil
        }
        claims.add("Added up by (week|month|day), too") { [$1[0]] == $0.metric?.rollups.map(\.rawValue) }
        claims.add("Counts devices, too") { subject, _ in subject.metric?.reach == true && subject.rotation >= 3600 }
        claims.add("Counts devices, too: of a longer time those of its busiest (.*)") { subject, groups in
            subject.metric?.reach == true && seconds(groups[0]) == subject.rotation
        }
        claims.add("Counts devices, too: yours remembers what .* first in a day|Nobody can check what a device says") {
            subject, _ in
            subject.metric?.countsFirsts == true
        }
        claims.add(
            "Counts devices, too: yours remembers where it was in a day, and proves .*|Nobody can tell which, or that two .*"
        ) { subject, _ in
            subject.metric?.provesFirsts == true
        }
        return claims.all + ofValues
    }

    private static var ofValues: [LabelClaim] {
        var claims = Claims()
        claims.add("Split by: (.*)") {
            $1[0] == $0.metric?.dimensions.compactMap($0.plan.dimension).map(\.title).joined(separator: ", ")
        }
        claims.add(#"Adds up ([A-Za-z]+), each held between (\d+) and (\d+) EUR"#) { subject, groups in
            guard let metric = subject.metric, let sum = metric.sums.first else { return false }
            let told = metric.sumTitles[sum.name] ?? sum.field.text
            return [told, "\(Int(sum.lowest))", "\(Int(sum.highest))"] == groups
        }
        claims.add(#"Only (\d+) % of it is sent at all"#) { Double($1[0]) == ($0.metric?.sampling ?? 1) * 100 }
        claims.add(
            """
            Each number of it is off on purpose, in 19 of 20 cases by up to about (?:([0-9]+) ([a-z]+))?(?:, or )?\
            (?:what ([0-9]+) ([a-z]+) may add)?, so that nobody can tell from it whether (.*)
            """
        ) { subject, groups in
            let bound = Double(subject.metric?.contributionBound ?? 1)
            let devices = groups[0].isEmpty || isNear(groups[0], subject.printed("devices"))
            let events = groups[2].isEmpty || isNear(groups[2], subject.printed("events") / bound)
            let whose = [
                "device": "yours is counted", "visit": "a visit of yours is counted", "action": "you sent one",
            ]
            return devices && events && !(groups[0] + groups[2]).isEmpty && groups[4] == whose[subject.noun]
                && ["", subject.noun + "s"].contains(groups[3])
                && groups[1] == (groups[0].isEmpty ? "" : groups[2].isEmpty ? subject.noun + "s" : "devices")
        }
        claims.add(#"A (?:group|number) of fewer than (\d+) ([a-z]+) is never shown"#) {
            Int64($1[0]) == $0.metric?.threshold.devices && $1[1] == $0.noun + "s"
        }
        claims.add(#"Its numbers stand for at least (\d+) ([a-z]+)"#) {
            Int64($1[0]) == $0.metric?.threshold.devices && $1[1] == $0.noun + "s"
        }
        claims.add("After (.*) the split by (.*) is deleted") { subject, groups in
            subject.metric?.decay.contains {
                guard case .drop(let name) = $0.action else { return false }
                return $0.after.components.seconds == seconds(groups[0])
                    && subject.plan.dimension(name)?.title == groups[1]
            } ?? false
        }
        claims.add("After (.*) the numbers of shorter periods are deleted, and only those of whole (.*)s are left") {
            subject, groups in
            subject.metric?.decay.contains {
                guard case .keep(let kind) = $0.action else { return false }
                return $0.after.components.seconds == seconds(groups[0]) && kind.rawValue == groups[1]
            } ?? false
        }
        claims.add("Counting ends on (.*) unless it is renewed") { subject, groups in
            groups[0] == subject.metric.map { Language.english.date("yMMMMd", $0.expires) }
        }
        return claims.all
    }
}
