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
