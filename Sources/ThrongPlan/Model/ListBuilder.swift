/// Makes a list of what its lines say, one after the other: values, lists of them, and what is nil where there is none.
@resultBuilder
enum ListBuilder<Element> {
    static func buildExpression(_ one: Element) -> [Element] { [one] }
    static func buildExpression(_ one: Element?) -> [Element] { one.map { [$0] } ?? [] }
    static func buildExpression(_ several: [Element]) -> [Element] { several }
    static func buildBlock(_ parts: [Element]...) -> [Element] { parts.flatMap(\.self) }
    static func buildOptional(_ part: [Element]?) -> [Element] { part ?? [] }
    static func buildEither(first part: [Element]) -> [Element] { part }
    static func buildEither(second part: [Element]) -> [Element] { part }
    static func buildArray(_ parts: [[Element]]) -> [Element] { parts.flatMap(\.self) }
}

/// Returns sentences as one text, those that are said of a plan.
func sentences(@ListBuilder<String> _ said: () -> [String]) -> String { said().joined(separator: " ") }

extension Sequence<String> {
    /// The texts in one sentence: "a, b, c".
    var listed: String { joined(separator: ", ") }
}
