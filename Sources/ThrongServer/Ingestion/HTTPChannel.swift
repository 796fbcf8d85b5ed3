internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// HTTP/1.1 as Hummingbird serves it, but batches are answered before its router, and slow clients are bounded.
struct HTTPChannel: HTTPChannelHandler {
    typealias Value = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

    let responder: Responder
    /// The queues for batches; nil if none are taken.
    let queues: AnswerQueues?
    let origins: CrossOrigin
    let limits: ConnectionDeadline.Limits
    let room: ConnectionRoom
    let edge: ConnectionEdge
    let turns: LoopFairness.All
    var marksNetworks = false

    /// The sizes of a read. Unit: bytes.
    private static let reads = AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: 16 << 10)
    /// The longest request line with its headers. Unit: bytes.
    private static let largestHead = 80 << 10

    static func decoder() -> ByteToMessageHandler<HTTPRequestDecoder> {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderListSize = largestHead
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes, limitConfiguration: limits)
        // The decoder keeps the bytes after an upgrade that nobody offered, and they must have a limit.
        return ByteToMessageHandler(decoder, maximumBufferSize: 2 * largestHead)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        channel.eventLoop.makeCompletedFuture {
            // A read is decoded at once, and nobody else has a turn meanwhile.
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
            try channel.syncOptions?.setOption(.recvAllocator, value: Self.reads)
            let pipeline = channel.pipeline.syncOperations
            let source = try edge.begin(pipeline)
            let socket = SocketEnd()
            try pipeline.addHandler(socket)
            // Requests wait in BatchHandler until their predecessor is answered; Hummingbird answers malformed ones.
            try pipeline.addHandler(HTTPResponseEncoder())
            try pipeline.addHandler(Self.decoder())
            try pipeline.addHandler(ConnectionDeadline(self.limits, in: room, from: source, security: edge.security))
            try pipeline.addHandler(
                BatchHandler(
                    ingestion: queues?.counting, isForMembers: queues?.isForMembers == true,
                    marksNetworks: marksNetworks, queue: queues?.queue(of: channel.eventLoop), socket: socket,
                    client: RequestClient(source: source, forwarders: edge.forwarders), origins: origins,
                    security: edge.security, turns: turns.turns(of: channel.eventLoop)))
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: edge.sessions != nil))
            try pipeline.addHandler(HTTPConnectionStateHandler(logger: logger))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: Value, logger: Logger) async { await handleHTTP(asyncChannel: value, logger: logger) }
}

/// Tells the network that a request comes from, for bounds by network.
struct RequestClient {
    let source: ConnectionSource
    let forwarders: Proxies

    /// Returns the network of a request; nil if no address is known, or it is not the internet's.
    func network(of headers: RequestHeaders) -> ClientNetwork? {
        source.network(forwarded: headers.forwarded, by: forwarders)
    }

    /// Returns the prefix of any network, this machine's and private ones, too; unknown if no address is given.
    func prefix(of headers: RequestHeaders) -> NetworkPrefix {
        let client = source.client(forwarded: headers.forwarded, by: forwarders)
        return if case .at(let address) = client { NetworkPrefix(address) } else { .unknown }
    }
}
