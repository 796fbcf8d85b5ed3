/// Collects an answer from the pieces that the library hands on, within limits.
final class AnswerCollector {
    private(set) var answer = ReceivedAnswer(status: 0, headers: [], body: [])
    /// The reason why it wants no more; nil where it does, or has all that it wanted.
    private(set) var fault: HTTPFault?
    /// True if the head of the final answer was read.
    private(set) var hasHead = false
    private let bodyLimit: Int?
    private var headBytes = 0

    /// - Parameter bodyLimit: The longest body, in bytes; nil ends the exchange after the head.
    init(bodyLimit: Int?) { self.bodyLimit = bodyLimit }

    /// Takes one line of a head; false ends the exchange.
    func take(line: UnsafeBufferPointer<UInt8>) -> Bool {
        headBytes += line.count
        guard headBytes <= ConnectionRules.headLimit else {
            fault = .longHead(limit: ConnectionRules.headLimit)
            return false
        }
        // Trailers come after the body, and nobody needs them.
        guard !hasHead else { return true }
        let text = String(decoding: line, as: UTF8.self).filter { !$0.isNewline }
        if text.hasPrefix("HTTP/") {
            let words = text.split(separator: " ", maxSplits: 2)
            answer.status = words.count > 1 ? Int(words[1]) ?? 0 : 0
            answer.headers = []
        } else if text.isEmpty {
            // An answer before the final one, such as 103, does not count.
            hasHead = answer.status >= 200
            return !hasHead || bodyLimit != nil
        } else if let colon = text.firstIndex(of: ":") {
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            answer.headers.append((text[..<colon].lowercased(), String(value)))
        }
        return true
    }

    /// Takes a piece of the body; false ends the exchange.
    func take(piece: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let bodyLimit else { return false }
        guard answer.body.count + piece.count <= bodyLimit else {
            fault = .longBody(limit: bodyLimit)
            return false
        }
        answer.body.append(contentsOf: piece)
        return true
    }
}
