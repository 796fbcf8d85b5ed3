extension PlanReader {
    // MARK: Text

    /// A text of at most so many characters, without surrounding spaces; its line breaks become spaces.
    mutating func text<Key>(_ key: Key, in body: PlanBody<Key>, longest: Int = 120) -> String? {
        guard let node = body[key] else { return nil }
        return text(node, body.subject(key), longest: longest)
    }

    /// A text; see ``text(_:in:longest:)``.
    mutating func text(_ node: YAMLNode, _ subject: String, longest: Int = 120) -> String? {
        guard case .scalar(let written, _) = node.content, !node.isEmpty else {
            problems.add(node.place, "\(subject): found \(node.found); a text is allowed")
            return nil
        }
        let text = written.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
        if text.isEmpty {
            problems.add(node.place, "\(subject) is empty; write something or leave the key out")
            return nil
        }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            problems.add(node.place, "\(subject) holds a control character; delete it")
            return nil
        }
        if text.unicodeScalars.count > longest {
            problems.add(
                node.place, "\(subject) has \(text.unicodeScalars.count) characters; at most \(longest) are allowed")
            return nil
        }
        return text
    }

    /// One of an enumeration's words.
    mutating func choice<Key, Choice: RawRepresentable<String> & CaseIterable>(
        _ key: Key, in body: PlanBody<Key>, _: Choice.Type = Choice.self
    ) -> Choice? {
        body[key].flatMap { choice($0, body.subject(key)) }
    }

    /// One of an enumeration's words.
    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ node: YAMLNode, _ subject: String, _: Choice.Type = Choice.self
    ) -> Choice? {
        let allowed = Choice.allCases.map(\.rawValue)
        guard case .scalar(let written, _) = node.content, !node.isEmpty else {
            problems.add(
                node.place, "\(subject): found \(node.found); one of \(allowed.joined(separator: ", ")) is allowed")
            return nil
        }
        if let choice = Choice(rawValue: written) { return choice }
        let meant = NearestName.nearest(to: written, among: allowed).map { "; did you mean '\($0)'?" } ?? ";"
        problems.add(
            node.place,
            "\(subject): found \(YAMLNode.quoted(written))\(meant) allowed: \(allowed.joined(separator: ", "))")
        return nil
    }

    // MARK: Numbers

    /// A whole number in decimal digits.
    mutating func integer<Key>(_ key: Key, in body: PlanBody<Key>, _ range: ClosedRange<Int>) -> Int? {
        guard let node = body[key] else { return nil }
        guard case .scalar(let written, plain: true) = node.content, let number = Self.integer(written) else {
            problems.add(
                node.place,
                """
                \(body.subject(key)): found \(node.found); a whole number from \(range.lowerBound) to \
                \(range.upperBound) is allowed
                """
            )
            return nil
        }
        guard range.contains(number) else {
            problems.add(
                node.place,
                "\(body.subject(key)) is \(number); \(range.lowerBound) to \(range.upperBound) is allowed")
            return nil
        }
        return number
    }

    /// A finite number.
    mutating func number<Key>(_ key: Key, in body: PlanBody<Key>) -> Double? {
        body[key].flatMap { number($0, body.subject(key)) }
    }

    /// A finite number.
    mutating func number(_ node: YAMLNode, _ subject: String) -> Double? {
        guard case .scalar(let written, plain: true) = node.content, let number = Self.number(written) else {
            problems.add(node.place, "\(subject): found \(node.found); a number such as 10 or 0.5 is allowed")
            return nil
        }
        return number
    }

    private static func integer(_ written: String) -> Int? {
        let digits = written.hasPrefix("-") ? written.dropFirst() : written[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(written)
    }

    private static func number(_ written: String) -> Double? {
        let allowed = Set("0123456789.eE+-".unicodeScalars)
        guard written.unicodeScalars.allSatisfy(allowed.contains), let number = Double(written), number.isFinite else {
            return nil
        }
        return number == 0 ? 0 : number
    }

    /// true or false.
    mutating func flag<Key>(_ key: Key, in body: PlanBody<Key>) -> Bool? {
        guard let node = body[key] else { return nil }
        if case .scalar(let written, plain: true) = node.content, let flag = Bool(written) { return flag }
        problems.add(node.place, "\(body.subject(key)): found \(node.found); true or false is allowed")
        return nil
    }

    // MARK: Time

    /// A length of time such as "15 minutes".
    mutating func duration<Key>(
        _ key: Key, in body: PlanBody<Key>, _ range: ClosedRange<Duration>
    ) -> Duration? {
        guard let node = body[key] else { return nil }
        let subject = body.subject(key)
        guard case .scalar(let written, _) = node.content, let duration = Duration(planText: written) else {
            problems.add(
                node.place,
                """
                \(subject): found \(node.found); a whole number and a unit is allowed, such as 15 minutes, 24 hours, \
                400 days
                """
            )
            return nil
        }
        guard range.contains(duration) else {
            problems.add(
                node.place,
                """
                \(subject) is \(duration.planText); \(range.lowerBound.planText) to \(range.upperBound.planText) is \
                allowed
                """
            )
            return nil
        }
        return duration
    }

    /// A day such as 2027-06-30.
    mutating func date<Key>(_ key: Key, in body: PlanBody<Key>) -> CalendarDate? {
        guard let node = body[key] else { return nil }
        if case .scalar(let written, _) = node.content, let date = CalendarDate(written) { return date }
        problems.add(
            node.place, "\(body.subject(key)): found \(node.found); a day that exists is allowed, such as \(today)")
        return nil
    }

    // MARK: Lists

    /// A list with at least one element.
    mutating func list<Key>(_ key: Key, in body: PlanBody<Key>) -> [YAMLNode]? {
        body[key].flatMap { list($0, body.subject(key)) }
    }

    /// A list with at least one element.
    mutating func list(_ node: YAMLNode, _ subject: String) -> [YAMLNode]? {
        guard case .sequence(let nodes) = node.content else {
            let hint = if case .scalar(let text, _) = node.content { ": [\(text.prefix(40))]" } else { "" }
            problems.add(node.place, "\(subject): found \(node.found); a list is allowed\(hint)")
            return nil
        }
        if nodes.isEmpty {
            problems.add(node.place, "\(subject) is an empty list; name at least one or leave the key out")
            return nil
        }
        return nodes
    }

    /// A list of texts without repetition.
    mutating func texts(_ node: YAMLNode, _ subject: String) -> [(text: String, place: YAMLNode.Place)]? {
        guard let nodes = list(node, subject) else { return nil }
        var seen: Set<BucketLabel> = []
        var texts: [(text: String, place: YAMLNode.Place)] = []
        var fine = true
        for node in nodes {
            guard let text = text(node, subject) else {
                fine = false
                continue
            }
            if !seen.insert(BucketLabel(text)).inserted {
                problems.add(node.place, "\(subject): \(YAMLNode.quoted(text)) is listed twice; keep one")
                fine = false
            }
            texts.append((text, node.place))
        }
        return fine ? texts : nil
    }
}
