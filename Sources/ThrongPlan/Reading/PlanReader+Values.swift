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
            return problems.refuse(node, subject, "a text is allowed")
        }
        let text = written.split { $0.isWhitespace || $0.isNewline }.joined(separator: " ")
        if text.isEmpty {
            return problems.refuse(node.place, "\(subject) is empty; write something or leave the key out")
        }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return problems.refuse(node.place, "\(subject) holds a control character; delete it")
        }
        if text.unicodeScalars.count > longest {
            return problems.refuse(
                node.place, "\(subject) has \(text.unicodeScalars.count) characters; at most \(longest) are allowed")
        }
        return text
    }

    mutating func choice<Key, Choice: RawRepresentable<String> & CaseIterable>(
        _ key: Key, in body: PlanBody<Key>, _: Choice.Type = Choice.self
    ) -> Choice? {
        body[key].flatMap { choice($0, body.subject(key)) }
    }

    mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
        _ node: YAMLNode, _ subject: String, _: Choice.Type = Choice.self
    ) -> Choice? {
        let allowed = Choice.allCases.map(\.rawValue)
        guard case .scalar(let written, _) = node.content, !node.isEmpty else {
            return problems.refuse(node, subject, "one of \(allowed.joined(separator: ", ")) is allowed")
        }
        if let choice = Choice(rawValue: written) { return choice }
        let meant = NearestName.nearest(to: written, among: allowed).map { "; did you mean '\($0)'?" } ?? ";"
        return problems.refuse(
            node.place,
            "\(subject): found \(YAMLNode.quoted(written))\(meant) allowed: \(allowed.joined(separator: ", "))")
    }

    // MARK: Numbers

    /// A whole number in decimal digits.
    mutating func integer<Key>(_ key: Key, in body: PlanBody<Key>, _ range: ClosedRange<Int>) -> Int? {
        guard let node = body[key] else { return nil }
        guard case .scalar(let written, plain: true) = node.content, let number = Self.integer(written) else {
            return problems.refuse(
                node, body.subject(key),
                "a whole number from \(range.lowerBound) to \(range.upperBound) is allowed\(Self.hint(at: node))")
        }
        guard range.contains(number) else {
            return problems.refuse(
                node.place, "\(body.subject(key)) is \(number); \(range.lowerBound) to \(range.upperBound) is allowed")
        }
        return number
    }

    mutating func number<Key>(_ key: Key, in body: PlanBody<Key>) -> Double? {
        body[key].flatMap { number($0, body.subject(key)) }
    }

    mutating func number(_ node: YAMLNode, _ subject: String) -> Double? {
        guard case .scalar(let written, plain: true) = node.content, let number = Self.number(written) else {
            return problems.refuse(node, subject, "a number such as 10 or 0.5 is allowed")
        }
        return number
    }

    /// Returns how a whole number is written that was meant; nothing where none was.
    private static func hint(at node: YAMLNode) -> String {
        guard case .scalar(let written, let isPlain) = node.content else { return "" }
        if !isPlain, integer(written) != nil { return ", without quotes" }
        let digits = written.filter { !",_'".contains($0) }
        return digits != written && integer(digits) != nil ? ", without separators: \(digits)" : ""
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

    mutating func flag<Key>(_ key: Key, in body: PlanBody<Key>) -> Bool? {
        guard let node = body[key] else { return nil }
        if case .scalar(let written, plain: true) = node.content, let flag = Bool(written) { return flag }
        return problems.refuse(node, body.subject(key), "true or false is allowed")
    }

    // MARK: Time

    /// A length of time such as "15 minutes".
    mutating func duration<Key>(
        _ key: Key, in body: PlanBody<Key>, _ range: ClosedRange<Duration>
    ) -> Duration? {
        guard let node = body[key] else { return nil }
        let subject = body.subject(key)
        guard case .scalar(let written, _) = node.content, let duration = Duration(planText: written) else {
            return problems.refuse(
                node, subject, "a whole number and a unit is allowed, such as 15 minutes, 24 hours, 400 days")
        }
        guard range.contains(duration) else {
            return problems.refuse(
                node.place,
                """
                \(subject) is \(duration.planText); \(range.lowerBound.planText) to \(range.upperBound.planText) is \
                allowed
                """)
        }
        return duration
    }

    mutating func date<Key>(_ key: Key, in body: PlanBody<Key>) -> CalendarDate? {
        guard let node = body[key] else { return nil }
        if case .scalar(let written, _) = node.content, let date = CalendarDate(written) { return date }
        return problems.refuse(node, body.subject(key), "a day that exists is allowed, such as \(today)")
    }

    // MARK: Lists

    mutating func list<Key>(_ key: Key, in body: PlanBody<Key>) -> [YAMLNode]? {
        body[key].flatMap { list($0, body.subject(key)) }
    }

    /// A list with at least one element.
    mutating func list(_ node: YAMLNode, _ subject: String) -> [YAMLNode]? {
        guard case .sequence(let nodes) = node.content else {
            let hint = if case .scalar(let text, _) = node.content { ": [\(text.prefix(40))]" } else { "" }
            return problems.refuse(node, subject, "a list is allowed\(hint)")
        }
        if nodes.isEmpty {
            return problems.refuse(node.place, "\(subject) is an empty list; name at least one or leave the key out")
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
