internal import CSimdJSON

extension JSONDocument {
    /// The words that may appear in a pointer; anything else is a client's own and stays out of messages.
    private static let words: Set<String> = [
        "app", "batch", "purpose", "window", "id", "context", "events", "event", "at", "fields", "count",
        "firsts",
    ]

    /// The JSON pointer to a node of a finished document, or to the nearest thing around it that has a public name.
    func pointer(to target: Int) -> String { pointer(to: target, isUnfinished: false) }

    /// The same while the parser has stopped in the middle: containers around the end have no `next` yet.
    func pointer(inUnfinished target: Int) -> String { pointer(to: target, isUnfinished: true) }

    private func pointer(to target: Int, isUnfinished: Bool) -> String {
        var path = ""
        var node = 0
        while node < target {
            let container = node
            let isObject = isObject(container)
            guard isObject || isArray(container) else { break }
            var child = container + 1
            var place = 0
            var found: (step: String, node: Int)?
            while child <= target, child < nodes.count {
                let value = isObject ? child + 1 : child
                if isObject, child == target || value >= nodes.count { return path }
                let end = Int(nodes[value].next)
                // A container that was not finished has no end yet: it is the one that holds the target.
                let holds = value == target || (value < target && (end > target || (isUnfinished && end == 0)))
                if holds {
                    let step = isObject ? String(decoding: bytes(child), as: UTF8.self) : String(place)
                    if isObject, !Self.words.contains(step) { return path }
                    found = (step, value)
                    break
                }
                child = end
                place += 1
            }
            guard let found else { return path }
            path += "/" + found.step
            node = found.node
        }
        return path
    }
}
