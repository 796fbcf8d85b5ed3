import Yams

/// A plan's text on its way to a tree of ``YAMLNode``: one document without anchors, aliases, merge keys and tags,
/// which readers would have to resolve in their heads.
struct YAMLText {
    private var scalars: [Unicode.Scalar]
    private let text: String
    /// The places of repeated keys that were masked, each with the key's first scalar.
    private var masked: [YAMLNode.Place: Unicode.Scalar] = [:]

    /// The longest plan; a longer one is refused. Unit: bytes of UTF-8.
    static let longest = 1 << 20
    /// The number of repeated keys that are reported before the reader gives up.
    private static let mostMasks = 64

    init(_ text: String) {
        self.text = text
        scalars = Array(text.unicodeScalars)
        // libYAML counts a byte order mark as indentation of the first line.
        if scalars.first == "\u{FEFF}" { scalars.removeFirst() }
    }

    /// Returns the tree, or nil with at least one problem.
    mutating func compose(_ problems: inout ProblemList) -> YAMLNode? {
        let bytes = text.utf8.count
        guard bytes <= Self.longest else {
            let nowhere: YAMLNode.Place? = nil
            return problems.refuse(nowhere, "the plan has \(bytes) bytes; \(Self.longest) are allowed: split it by app")
        }
        guard checkCharacters(&problems) else { return nil }
        while true {
            do {
                let parser = try Parser(yaml: String(String.UnicodeScalarView(scalars)), resolver: .basic)
                // The parser owns the anchors, which the nodes only borrow.
                return try withExtendedLifetime(parser) {
                    guard let root = try parser.singleRoot() else {
                        return problems.refuse(
                            .init(line: 1, column: 1), "the plan is empty; it needs at least app, purposes and metrics")
                    }
                    return convert(root, &problems)
                }
            } catch YamlError.duplicatedKeysInMapping(let names, let context) {
                // Yams stops at a repeated key: hide the first of the pair and look on, so that one run shows all.
                let place = YAMLNode.Place(line: context.mark.line, column: context.mark.column)
                guard masked.count < Self.mostMasks, mask(place) else {
                    return problems.refuse(
                        place, "the key \(YAMLNode.quoted(names.first ?? "")) is written twice in one mapping; keep one"
                    )
                }
            } catch {
                report(error, &problems)
                return nil
            }
        }
    }

    // MARK: Characters

    private func checkCharacters(_ problems: inout ProblemList) -> Bool {
        var (fine, line, column, inIndentation) = (true, 1, 1, true)
        for (index, scalar) in scalars.enumerated() {
            if scalar == "\0" {
                problems.add(
                    .init(line: line, column: column), "found a NUL character; a plan is plain text: delete it")
                fine = false
            } else if scalar == "\t", inIndentation {
                problems.add(
                    .init(line: line, column: column), "found a tab in the indentation; YAML allows only spaces there")
                fine = false
            }
            if endsLine(at: index) {
                (line, column, inIndentation) = (line + 1, 1, true)
            } else {
                column += 1
                // One tab a line is enough to say so.
                if scalar != " " { inIndentation = false }
            }
        }
        return fine
    }

    /// True if a line of YAML 1.1 ends at that scalar, as libYAML counts lines.
    private func endsLine(at index: Int) -> Bool {
        switch scalars[index] {
        case "\n", "\u{85}", "\u{2028}", "\u{2029}": true
        case "\r": index + 1 == scalars.count || scalars[index + 1] != "\n"
        default: false
        }
    }

    /// Replaces the first scalar of the key at that place with a private one, which no key starts with.
    private mutating func mask(_ place: YAMLNode.Place) -> Bool {
        guard var index = index(of: place) else { return false }
        let isQuoted = scalars[index] == "\"" || scalars[index] == "'"
        if isQuoted { index += 1 }
        guard index < scalars.count, ![":", "\"", "'", "\\", "?", "*", "&", "{", "["].contains(scalars[index]),
            let mask = Unicode.Scalar(UInt32(0xE000 + masked.count))
        else { return false }
        masked[place] = scalars[index]
        scalars[index] = mask
        return true
    }

    private func index(of place: YAMLNode.Place) -> Int? {
        var (line, column) = (1, 1)
        for index in scalars.indices {
            if line == place.line, column == place.column { return index }
            (line, column) = endsLine(at: index) ? (line + 1, 1) : (line, column + 1)
        }
        return nil
    }

    // MARK: Nodes

    private func convert(_ node: Node, _ problems: inout ProblemList) -> YAMLNode? {
        let place = YAMLNode.Place(line: node.mark?.line ?? 1, column: node.mark?.column ?? 1)
        if let anchor = node.anchor {
            return problems.refuse(
                place,
                "found the anchor '&\(anchor.rawValue)'; anchors and aliases are not allowed: write the value out "
                    + "where it is used")
        }
        switch node {
        case .scalar(let scalar):
            guard checkTag(scalar.tag, place, &problems) else { return nil }
            return YAMLNode(place: place, content: .scalar(scalar.string, plain: scalar.style == .plain))
        case .sequence(let sequence):
            guard checkTag(sequence.tag, place, &problems) else { return nil }
            return YAMLNode(place: place, content: .sequence(sequence.compactMap { convert($0, &problems) }))
        case .mapping(let mapping):
            guard checkTag(mapping.tag, place, &problems) else { return nil }
            let entries = mapping.compactMap { entry($0.key, $0.value, &problems) }
            return YAMLNode(place: place, content: .mapping(entries))
        case .alias:
            return problems.refuse(place, "found an alias; anchors and aliases are not allowed: write the value out")
        }
    }

    private func entry(_ key: Node, _ value: Node, _ problems: inout ProblemList) -> YAMLNode.Entry? {
        guard let converted = convert(key, &problems) else { return nil }
        guard case .scalar(var text, _) = converted.content else {
            return problems.refuse(converted.place, "found \(converted.found) as a key; a key is plain text")
        }
        if text == "<<" {
            return problems.refuse(converted.place, "found the merge key '<<'; it is not allowed: write the keys out")
        }
        if let first = masked[converted.place] { text = String(first) + String(text.unicodeScalars.dropFirst()) }
        guard let value = convert(value, &problems) else { return nil }
        return YAMLNode.Entry(key: text, place: converted.place, value: value)
    }

    private func checkTag(_ tag: Tag, _ place: YAMLNode.Place, _ problems: inout ProblemList) -> Bool {
        let plain: Set<String> = ["", "!", "str", "map", "seq"]
        let name = tag.description.replacing("tag:yaml.org,2002:", with: "")
        if plain.contains(name) { return true }
        problems.add(place, "found the tag \(YAMLNode.quoted(name)); tags are not allowed: leave it out")
        return false
    }

    /// Returns what to do about a problem of libYAML's, in front of a semicolon; nothing for rare ones.
    private static func cure(_ problem: String) -> String {
        let cures = [
            (
                "mapping values are not allowed",
                "put a text that holds a colon and a space into quotes, or indent the line like its neighbours"
            ), ("cannot start any token", "put a text that begins with @, % or ` into quotes"),
            ("expected ',' or ']'", "close the list with ]"), ("expected ',' or '}'", "close the mapping with }"),
            (
                "could not find expected ':'",
                "write a colon and a space behind a key, and a text of several lines into quotes"
            ), ("did not find expected key", "indent the line like its neighbours, or put the text into quotes"),
        ]
        return cures.first { problem.contains($0.0) }.map { "; \($0.1)" } ?? ""
    }

    private func report(_ error: any Error, _ problems: inout ProblemList) {
        func add(_ context: YamlError.Context?, _ problem: String, _ mark: Mark) {
            let start = context.map { " \($0.text) that starts at line \($0.mark.line)" } ?? ""
            // A bracket that nobody closed is named where it was opened.
            let mark = problem.contains("expected ','") ? context?.mark ?? mark : mark
            problems.add(
                .init(line: mark.line, column: mark.column), "this is not YAML\(start): \(problem)\(Self.cure(problem))"
            )
        }
        switch error {
        case YamlError.scanner(let context, let problem, let mark, _): add(context, problem, mark)
        case YamlError.parser(let context, let problem, let mark, _): add(context, problem, mark)
        case YamlError.composer(_, let problem, let mark, _):
            add(nil, problem + "; one document is allowed, without aliases", mark)
        case YamlError.reader(let problem, let offset?, _, _):
            let before = text.prefix(offset)
            let line = before.count(where: \.isNewline) + 1
            let column = before.reversed().prefix { !$0.isNewline }.count + 1
            problems.add(.init(line: line, column: column), "this is not YAML: \(problem)")
        default: problems.add(nil as YAMLNode.Place?, "this is not YAML: \(error)")
        }
    }
}

/// A value in a plan's text, with the place where it is written.
///
/// Scalars stay as written, so `1.10` is not 1.1 and the country `NO` is not false; their reader decides the type.
struct YAMLNode: Sendable {
    let place: Place
    let content: Content

    /// A place in the text, counted from 1; columns count Unicode scalars, as editors do.
    struct Place: Hashable, Sendable, Comparable {
        let line: Int
        let column: Int

        static func < (left: Self, right: Self) -> Bool { (left.line, left.column) < (right.line, right.column) }
    }

    /// The three shapes of YAML.
    enum Content: Sendable {
        /// Text; only a plain scalar, outside of quotes and blocks, may be a number or a flag.
        case scalar(String, plain: Bool)
        case sequence([YAMLNode])
        /// The entries in the order of the text; keys may repeat.
        case mapping([Entry])
    }

    struct Entry: Sendable {
        let key: String
        let place: Place
        let value: YAMLNode
    }

    /// True if nothing is written: `key:`, `~` or `null`.
    var isEmpty: Bool {
        guard case .scalar(let text, plain: true) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The node's name in messages: "a list", "a mapping", "nothing", "'3'", "the text 'abc'".
    var found: String {
        switch content {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar where isEmpty: "nothing"
        case .scalar(let text, plain: true): Self.quoted(text)
        case .scalar(let text, plain: false): "the text \(Self.quoted(text))"
        }
    }

    /// Returns a plan's own words for a message: in single quotes, cut if long, an address without its password.
    static func quoted(_ text: String) -> String {
        let text = AddressText.shown(text)
        let line = text.prefix { !$0.isNewline }
        return line.count > 60 || line.count < text.count ? "'\(line.prefix(60))…'" : "'\(line)'"
    }
}
