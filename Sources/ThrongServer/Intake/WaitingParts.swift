internal import NIOCore
internal import NIOHTTP1

/// What has come of a connection and waits for the answer to the request before it, or for its turn.
///
/// Nothing is read from a socket while anything waits, but where the client has closed its end: then NIO reads all that is left
/// at once, which may be megabytes of requests. Of these as many wait as have room, each of them whole.
struct WaitingParts {
    enum Element {
        case part(HTTPServerRequestPart)
        case event(Any)
        case error(any Error)

        /// What it takes, roughly. Unit: bytes.
        fileprivate var bytes: Int {
            switch self {
            case .part(.head(let head)):
                head.headers.reduce(512 + head.uri.utf8.count) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
            case .part(.body(let bytes)): 64 + bytes.readableBytes
            case .part(.end(let trailers?)):
                trailers.reduce(64) { $0 + 64 + $1.name.utf8.count + $1.value.utf8.count }
            default: 64
            }
        }
    }

    private var elements = CircularBuffer<Element>()
    /// What has come since nothing waited. Unit: bytes.
    private var bytes = 0
    /// Whether more came than has room, or nobody waits for it.
    private(set) var isCut = false
    /// Whether something went wrong after what waits.
    private var hasFailed = false

    /// More than one read brings, through TLS, too: a request of 25 bytes, of which 32 KiB have 1,310, takes 650. Unit: bytes.
    private static let most = 2 << 20

    var isEmpty: Bool { elements.isEmpty }
    var first: Element? { elements.first }
    /// Whether nothing that comes from now on is a request.
    var isClosed: Bool { isCut || hasFailed }

    mutating func append(_ element: Element) {
        if elements.isEmpty { bytes = 0 }
        bytes += element.bytes
        switch element {
        case .part where bytes > Self.most:
            isCut = true
            while let last = elements.last, !last.isEnd { elements.removeLast() }
        case .error:
            hasFailed = true
            elements.append(element)
        default: elements.append(element)
        }
    }

    mutating func removeFirst() { elements.removeFirst() }

    /// Lets something wait before all that does.
    mutating func putBack(_ element: Element) {
        if elements.isEmpty { bytes = element.bytes }
        elements.prepend(element)
    }

    /// Nobody waits any more.
    mutating func drop() {
        elements.removeAll()
        isCut = true
    }
}

extension WaitingParts.Element {
    fileprivate var isEnd: Bool { if case .part(.end) = self { true } else { false } }
}
