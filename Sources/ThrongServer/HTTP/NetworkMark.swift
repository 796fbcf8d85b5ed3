internal import HTTPTypes
internal import Hummingbird
internal import NIOHTTP1
internal import ThrongWire

/// The mark that tells routes a request's network: a header field that begins with a word of this process alone.
enum NetworkMark {
    static let name = "throng-network"
    private static let word = BatchID.random().description

    /// Sets the mark in a request's head; a client's own value is replaced.
    static func set(_ network: NetworkPrefix, in headers: inout HTTPHeaders) {
        headers.replaceOrAdd(name: name, value: "\(word) \(network.bytes.lowerHex)")
    }

    /// Returns the network's bytes; none if it is not known, and without a mark.
    static func network(of request: Request) -> [UInt8] {
        guard let name = HTTPField.Name(name), let value = request.headers[name] else { return [] }
        let words = value.split(separator: " ")
        return words.count == 2 && words[0] == word ? [UInt8](hex: words[1]) ?? [] : []
    }
}
