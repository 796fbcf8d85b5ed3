internal import HTTPTypes
internal import Hummingbird
internal import NIOHTTP1
internal import ThrongWire

/// Tells routes from which network a request comes, where they are told: a field that begins with a word that nobody else knows,
/// another one in each process.
enum NetworkMark {
    static let name = "throng-network"
    private static let word = BatchID.random().description

    /// Says it in a request's head; what a client says there goes.
    static func set(_ network: NetworkPrefix, in headers: inout HTTPHeaders) {
        headers.replaceOrAdd(name: name, value: "\(word) \(network.bytes.lowerHex)")
    }

    /// The network's bytes; none where nobody knows, and where nobody says.
    static func network(of request: Request) -> [UInt8] {
        guard let name = HTTPField.Name(name), let value = request.headers[name] else { return [] }
        let words = value.split(separator: " ")
        return words.count == 2 && words[0] == word ? [UInt8](hex: words[1]) ?? [] : []
    }
}
